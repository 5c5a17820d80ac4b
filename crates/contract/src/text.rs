//! Makes text from strangers harmless to show.

/// Whether a character is invisible, changes the direction or order of text, or has no agreed
/// appearance: controls (also line breaks and tabs), format and direction marks, zero-width characters,
/// fillers, variation selectors, tags, private use.
#[must_use]
pub const fn is_hidden(character: char) -> bool {
    // Controls, also those after DEL.
    matches!(character, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}')
        // Soft hyphen, grapheme joiner, Arabic letter mark.
        || matches!(character, '\u{ad}' | '\u{34f}' | '\u{61c}')
        // Fillers and vowels without appearance (Hangul, Khmer), Mongolian selectors.
        || matches!(character, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        || matches!(character, '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        // Zero width, directions, line and paragraph separators, joiners, deprecated formats.
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}')
        // Variation selectors, byte order mark, interlinear marks.
        || matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}')
        // Formats of shorthand and musical notation.
        || matches!(character, '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        // Private use; tags, further variation selectors and all above them.
        || matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..)
}

/// The character, or U+FFFD in place of one that [`is_hidden`].
#[must_use]
pub const fn visible(character: char) -> char {
    if is_hidden(character) { char::REPLACEMENT_CHARACTER } else { character }
}

/// The character as one in a line: line breaks and tabs become spaces, other hidden characters U+FFFD.
#[must_use]
pub const fn visible_in_line(character: char) -> char {
    if matches!(character, '\n' | '\r' | '\t') { ' ' } else { visible(character) }
}

/// A text in one line of at most `max_chars` characters. Hidden characters are replaced; if it was cut,
/// its last character is `…`.
#[must_use]
pub fn display_safe(text: &str, max_chars: usize) -> String {
    let mut out: String = text.chars().take(max_chars).map(visible_in_line).collect();
    if text.chars().nth(max_chars).is_some() && out.pop().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hiding_and_reordering_characters_are_replaced() {
        for (text, expected) in [
            ("plain ünïcode 漢 😀", "plain ünïcode 漢 😀"),
            ("a\u{202e}b\u{200b}c", "a\u{fffd}b\u{fffd}c"),
            ("a\nb\tc\rd\u{7}\u{9b}", "a b c d\u{fffd}\u{fffd}"),
            ("\u{e0041}\u{feff}\u{fe0f}\u{10ffff}", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            ("\u{2028}\u{34f}\u{17b4}\u{1d173}", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(display_safe(text, 80), expected);
        }
    }

    #[test]
    fn every_control_is_hidden_and_no_letter() {
        for character in '\0'..=char::MAX {
            assert!(!character.is_control() || is_hidden(character), "{character:?}");
            // The fillers count as letters in Unicode.
            let filler = matches!(character, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}');
            let shown = character.is_alphanumeric() && !filler;
            assert!(!(shown && is_hidden(character)), "{character:?}");
        }
        assert!(!is_hidden('\u{a0}') && !is_hidden('\u{2027}') && !is_hidden('\u{fffd}'));
    }

    /// Joiners and selectors are ordinary in emoji and in many scripts. They are replaced all the same,
    /// visible characters around them never.
    #[test]
    fn ordinary_joiners_are_replaced_and_letters_stay() {
        for (text, expected) in [
            ("👨\u{200d}👩\u{200d}👧", "👨\u{fffd}👩\u{fffd}👧"),
            ("❤\u{fe0f}", "❤\u{fffd}"),
            ("👍🏽 🇩🇪 1\u{20e3}", "👍🏽 🇩🇪 1\u{20e3}"),
            ("می\u{200c}خواهم", "می\u{fffd}خواهم"),
            ("क्\u{200d}ष हिन्दी", "क्\u{fffd}ष हिन्दी"),
            ("שָׁלוֹם\u{200f}!", "שָׁלוֹם\u{fffd}!"),
            ("السَّلامُ عليكم", "السَّلامُ عليكم"),
            ("Silben\u{ad}trennung", "Silben\u{fffd}trennung"),
            ("\u{feff}title", "\u{fffd}title"),
            ("a\u{a0}b\u{202f}c\u{3000}d", "a\u{a0}b\u{202f}c\u{3000}d"),
        ] {
            assert_eq!(display_safe(text, 80), expected);
        }
    }

    #[test]
    fn a_long_text_costs_only_what_is_shown() {
        for letter in ['\u{301}', '\u{202e}', '\u{e0041}', '\u{fe0f}'] {
            let text = letter.to_string().repeat(1 << 18);
            let out = display_safe(&text, 300);
            assert_eq!(out.chars().count(), 300);
            assert!(out.ends_with('…') && out.capacity() < 4_096);
        }
    }

    #[test]
    fn long_text_is_cut_and_marked() {
        assert_eq!(display_safe("abcdef", 6), "abcdef");
        assert_eq!(display_safe("abcdefg", 6), "abcde…");
        assert_eq!(display_safe("ab", 1), "…");
        assert_eq!(display_safe("ab", 0), "");
    }

    fn any_text() -> impl Strategy<Value = String> {
        let hidden = prop::sample::select(vec![
            '\u{0}',
            '\n',
            '\t',
            '\u{ad}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{fe0f}',
            '\u{e0041}',
        ]);
        prop::collection::vec(prop_oneof![any::<char>(), hidden], 0..60)
            .prop_map(|letters| letters.into_iter().collect())
    }

    proptest! {
        #[test]
        fn nothing_hidden_and_nothing_longer_comes_out(text in any_text(), max in 0_usize..70) {
            let out = display_safe(&text, max);
            prop_assert!(out.chars().count() <= max);
            prop_assert!(!out.chars().any(is_hidden));
            prop_assert_eq!(display_safe(&out, max), out);
        }

        #[test]
        fn ordinary_text_stays(text in "[a-zA-Zà-ÿα-ωа-я一-龥 0-9.,;:!?()“”'\"/\\\\-]{0,80}") {
            prop_assert_eq!(display_safe(&text, 80), text);
        }
    }
}
