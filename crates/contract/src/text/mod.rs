//! Makes text from strangers harmless to show, and puts the values of records into plain words.

mod hidden;
mod joiners;
mod plain_line;
pub mod record_words;
mod repro_command;
pub mod unblock_guides;
mod word_difference;

pub use hidden::{is_hidden, visible, visible_in_line};
use joiners::MarkedChars;
pub use plain_line::plain_line;
pub use repro_command::curl_command;
pub use word_difference::{TextPiece, mark_differences};

/// The characters of a text, each with whether it must not be shown as it is: hidden characters, except
/// joiners and selectors where writing needs them (in emoji, and in scripts such as Arabic and
/// Devanagari).
pub fn mark_hidden(letters: impl Iterator<Item = char>) -> impl Iterator<Item = (char, bool)> {
    MarkedChars::new(letters)
}

/// The whole text, with U+FFFD in place of hidden characters, also of line breaks. Joiners and selectors
/// stay where writing needs them.
#[must_use]
pub fn visible_text(text: &str) -> String {
    let shown = |(letter, hidden)| if hidden { char::REPLACEMENT_CHARACTER } else { letter };
    mark_hidden(text.chars()).map(shown).collect()
}

/// A text in one line of at most `max_chars` characters. Hidden characters are replaced, except joiners
/// and selectors where writing needs them; if it was cut, its last character is `…`.
#[must_use]
pub fn display_safe(text: &str, max_chars: usize) -> String {
    let cut = text.chars().nth(max_chars).is_some();
    let kept = if cut { max_chars.saturating_sub(1) } else { max_chars };
    let mark = (cut && max_chars > 0).then_some('…');
    let shown = |(letter, hidden)| if hidden { visible_in_line(letter) } else { letter };
    mark_hidden(text.chars().take(kept).chain(mark)).map(shown).collect()
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

    /// Visible characters are never replaced, and joiners only where they are out of place.
    #[test]
    fn other_marks_are_replaced_and_letters_stay() {
        for (text, expected) in [
            ("👍🏽 🇩🇪 1\u{20e3}", "👍🏽 🇩🇪 1\u{20e3}"),
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
            let joiners = ['\u{200c}', '\u{200d}', '\u{fe0e}', '\u{fe0f}'];
            prop_assert!(!out.chars().any(|letter| is_hidden(letter) && !joiners.contains(&letter)));
            prop_assert_eq!(display_safe(&out, max), out);
        }

        #[test]
        fn ordinary_text_stays(text in "[a-zA-Zà-ÿα-ωа-я一-龥 0-9.,;:!?()“”'\"/\\\\-]{0,80}") {
            prop_assert_eq!(display_safe(&text, 80), text);
        }
    }
}
