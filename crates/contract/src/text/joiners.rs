//! Where invisible characters are part of ordinary writing: joiners and selectors in emoji, joiners
//! between letters of scripts that need them.

use super::hidden::is_hidden;

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// The selectors of text and of emoji appearance.
const TEXT_SELECTOR: char = '\u{fe0e}';
const EMOJI_SELECTOR: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// Characters, each with whether it must not be shown as it is.
pub(super) struct MarkedChars<I: Iterator<Item = char>> {
    rest: std::iter::Peekable<I>,
    /// The character before, U+FFFD in place of one that was marked.
    before: char,
}

impl<I: Iterator<Item = char>> MarkedChars<I> {
    pub(super) fn new(letters: I) -> Self {
        Self { rest: letters.peekable(), before: char::REPLACEMENT_CHARACTER }
    }
}

impl<I: Iterator<Item = char>> Iterator for MarkedChars<I> {
    type Item = (char, bool);

    fn next(&mut self) -> Option<Self::Item> {
        let letter = self.rest.next()?;
        let after = self.rest.peek().copied().unwrap_or(char::REPLACEMENT_CHARACTER);
        let hidden = is_hidden(letter) && !is_part_of_writing(self.before, letter, after);
        self.before = if hidden { char::REPLACEMENT_CHARACTER } else { letter };
        Some((letter, hidden))
    }
}

/// Whether an invisible character belongs to what is written around it. `before` was itself shown.
fn is_part_of_writing(before: char, letter: char, after: char) -> bool {
    match letter {
        EMOJI_SELECTOR if matches!(before, '0'..='9' | '#' | '*') => after == KEYCAP,
        TEXT_SELECTOR | EMOJI_SELECTOR => is_pictograph(before),
        ZERO_WIDTH_JOINER if is_end_of_emoji(before) => is_pictograph(after),
        // A virama with a joiner also ends words: the joiner decides how the last letter looks.
        ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER => {
            is_virama(before)
                || joining_script(before).is_some_and(|own| joining_script(after) == Some(own))
        }
        _ => false,
    }
}

/// An emoji, one with a skin colour, or one with its selector (which is shown only after an emoji).
const fn is_end_of_emoji(letter: char) -> bool {
    is_pictograph(letter) || matches!(letter, '\u{1f3fb}'..='\u{1f3ff}' | EMOJI_SELECTOR)
}

/// The scripts in which joiners between letters change what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JoiningScript {
    Arabic,
    Syriac,
    Nko,
    Khmer,
    /// Devanagari to Sinhala, by the number of the block.
    Indic(u32),
}

/// The script of a letter or of a mark on it; `None` for digits, punctuation and other scripts.
fn joining_script(letter: char) -> Option<JoiningScript> {
    match letter {
        '\u{610}'..='\u{61a}'
        | '\u{620}'..='\u{65f}'
        | '\u{66e}'..='\u{6d3}'
        | '\u{6d5}'..='\u{6dc}'
        | '\u{6fa}'..='\u{6ff}'
        | '\u{750}'..='\u{77f}'
        | '\u{8a0}'..='\u{8e1}'
        | '\u{8e3}'..='\u{8ff}' => Some(JoiningScript::Arabic),
        '\u{710}'..='\u{74f}' => Some(JoiningScript::Syriac),
        '\u{7ca}'..='\u{7f5}' => Some(JoiningScript::Nko),
        '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17d3}' => Some(JoiningScript::Khmer),
        '\u{900}'..='\u{dff}' => {
            let code = u32::from(letter);
            // Dandas and digits have the same place in each of these blocks.
            (!matches!(code % 0x80, 0x64..=0x6f)).then_some(JoiningScript::Indic(code / 0x80))
        }
        _ => None,
    }
}

/// The sign that takes the vowel from a letter, in the blocks Devanagari to Sinhala.
const fn is_virama(letter: char) -> bool {
    matches!(letter, '\u{d3b}' | '\u{d3c}' | '\u{dca}')
        || (letter as u32 >= 0x900 && letter as u32 <= 0xd7f && letter as u32 % 0x80 == 0x4d)
}

/// Unicode's property `Extended_Pictographic`.
const fn is_pictograph(letter: char) -> bool {
    matches!(letter,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2194}'..='\u{2199}' | '\u{21a9}'..='\u{21aa}' | '\u{231a}'..='\u{231b}' | '\u{2328}'
        | '\u{2388}' | '\u{23cf}' | '\u{23e9}'..='\u{23f3}' | '\u{23f8}'..='\u{23fa}' | '\u{24c2}'
        | '\u{25aa}'..='\u{25ab}' | '\u{25b6}' | '\u{25c0}' | '\u{25fb}'..='\u{25fe}'
        | '\u{2600}'..='\u{2605}' | '\u{2607}'..='\u{2612}' | '\u{2614}'..='\u{2685}'
        | '\u{2690}'..='\u{2705}' | '\u{2708}'..='\u{2712}' | '\u{2714}' | '\u{2716}' | '\u{271d}'
        | '\u{2721}' | '\u{2728}' | '\u{2733}'..='\u{2734}' | '\u{2744}' | '\u{2747}' | '\u{274c}'
        | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}'..='\u{2767}'
        | '\u{2795}'..='\u{2797}' | '\u{27a1}' | '\u{27b0}' | '\u{27bf}' | '\u{2934}'..='\u{2935}'
        | '\u{2b05}'..='\u{2b07}' | '\u{2b1b}'..='\u{2b1c}' | '\u{2b50}' | '\u{2b55}' | '\u{3030}'
        | '\u{303d}' | '\u{3297}' | '\u{3299}')
        || matches!(letter,
        '\u{1f000}'..='\u{1f0ff}' | '\u{1f10d}'..='\u{1f10f}' | '\u{1f12f}'
        | '\u{1f16c}'..='\u{1f171}' | '\u{1f17e}'..='\u{1f17f}' | '\u{1f18e}'
        | '\u{1f191}'..='\u{1f19a}' | '\u{1f1ad}'..='\u{1f1e5}' | '\u{1f201}'..='\u{1f20f}'
        | '\u{1f21a}' | '\u{1f22f}' | '\u{1f232}'..='\u{1f23a}' | '\u{1f23c}'..='\u{1f23f}'
        | '\u{1f249}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f53d}' | '\u{1f546}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}' | '\u{1f774}'..='\u{1f77f}' | '\u{1f7d5}'..='\u{1f7ff}'
        | '\u{1f80c}'..='\u{1f80f}' | '\u{1f848}'..='\u{1f84f}' | '\u{1f85a}'..='\u{1f85f}'
        | '\u{1f888}'..='\u{1f88f}' | '\u{1f8ae}'..='\u{1f8ff}' | '\u{1f90c}'..='\u{1f93a}'
        | '\u{1f93c}'..='\u{1f945}' | '\u{1f947}'..='\u{1faff}' | '\u{1fc00}'..='\u{1fffd}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{display_safe, visible_text};
    use super::*;

    /// Text with every invisible character in its place.
    const ORDINARY: [&str; 19] = [
        "👨\u{200d}👩\u{200d}👧",
        "🏃🏽\u{200d}♂\u{fe0f}",
        "🧑🏽\u{200d}🤝\u{200d}🧑🏻",
        "🏳\u{fe0f}\u{200d}🌈",
        "❤\u{fe0f}\u{200d}🔥",
        "🏴\u{200d}☠\u{fe0f}",
        "❤\u{fe0f}",
        "↩\u{fe0e}",
        "©\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "#\u{fe0f}\u{20e3}",
        "می\u{200c}خواهم",
        "کار\u{200c}ها",
        "क्\u{200d}ष",
        "क्\u{200c}ष",
        "র\u{200d}্যাব",
        "ශ්\u{200d}රී",
        "അവന്\u{200d}",
        "നാട്\u{200c} ",
    ];

    #[test]
    fn ordinary_writing_stays() {
        for text in ORDINARY {
            assert_eq!(display_safe(text, 80), text, "{text:?}");
            assert_eq!(visible_text(text), text, "{text:?}");
        }
    }

    #[test]
    fn out_of_place_they_are_replaced() {
        for (text, expected) in [
            ("pay\u{200d}pal", "pay\u{fffd}pal"),
            ("Auf\u{200c}lage", "Auf\u{fffd}lage"),
            ("\u{200d}👧", "\u{fffd}👧"),
            ("👧\u{200d}", "👧\u{fffd}"),
            ("👧\u{200d}x", "👧\u{fffd}x"),
            ("👧\u{200d}\u{200d}👧", "👧\u{fffd}\u{fffd}👧"),
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\u{fffd}"),
            ("x\u{fe0f}", "x\u{fffd}"),
            ("1\u{fe0f}2", "1\u{fffd}2"),
            ("👧\u{200c}👧", "👧\u{fffd}👧"),
            ("می\u{200c}", "می\u{fffd}"),
            ("می\u{200c}\u{200c}خ", "می\u{fffd}\u{fffd}خ"),
            ("م\u{200c}क", "م\u{fffd}क"),
            ("۱\u{200c}۲ १\u{200d}२", "۱\u{fffd}۲ १\u{fffd}२"),
            ("क\u{fe0f} 漢\u{fe00}", "क\u{fffd} 漢\u{fffd}"),
            ("क्\u{200d}\u{202e}", "क्\u{200d}\u{fffd}"),
        ] {
            assert_eq!(display_safe(text, 80), expected, "{text:?}");
        }
    }

    /// The mark of a cut takes the place of a letter, so a joiner before it stands at the end.
    #[test]
    fn a_cut_leaves_no_loose_joiner() {
        assert_eq!(display_safe("می\u{200c}خواهم", 4), "می\u{fffd}…");
        assert_eq!(display_safe("👨\u{200d}👩", 2), "👨…");
        assert_eq!(display_safe("👨\u{200d}👩x", 3), "👨\u{fffd}…");
    }

    #[test]
    fn no_pictograph_is_a_letter_or_digit_of_a_language() {
        for letter in '\0'..=char::MAX {
            let is_word = letter.is_alphanumeric() && !matches!(letter, 'ℹ' | 'Ⓜ' | '㊗' | '㊙');
            let symbol = matches!(letter, '\u{1f100}'..='\u{1f1ff}');
            assert!(!(is_pictograph(letter) && is_word && !symbol), "{letter:?}");
            assert!(!(is_hidden(letter) && joining_script(letter).is_some()), "{letter:?}");
        }
    }

    fn invisible() -> impl Strategy<Value = char> {
        prop::sample::select(vec!['\u{200c}', '\u{200d}', '\u{fe0e}', '\u{fe0f}', '\u{fe00}'])
    }

    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            invisible().prop_map(String::from),
            prop::sample::select(ORDINARY.to_vec()).prop_map(String::from),
            "[a-z0-9#* \u{627}-\u{64a}\u{905}-\u{94d}😀-😅🏻-🏿]",
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn writing_made_of_ordinary_pieces_stays(pieces in prop::collection::vec(prop::sample::select(ORDINARY.to_vec()), 0..12)) {
            let text = pieces.join(" ");
            prop_assert_eq!(visible_text(&text), text);
        }

        /// Between letters, digits and signs of other scripts nothing invisible is left.
        #[test]
        fn nothing_invisible_stays_in_other_scripts(
            letters in prop::collection::vec(
                prop_oneof!["[a-zA-Z0-9à-ÿα-ωа-яא-ת一-龥가-힣ก-ฮ .,:/@-]".prop_map(|s| s), invisible().prop_map(String::from)],
                0..60,
            ),
        ) {
            let out = display_safe(&letters.concat(), 100);
            prop_assert!(!out.chars().any(is_hidden), "{:?}", out);
        }

        #[test]
        fn only_invisible_characters_are_replaced(text in any_text()) {
            let out = visible_text(&text);
            prop_assert_eq!(out.chars().count(), text.chars().count());
            for (given, shown) in text.chars().zip(out.chars()) {
                prop_assert!(shown == given || (shown == char::REPLACEMENT_CHARACTER && is_hidden(given)));
            }
        }

        /// What stays has its base before it, and never two in a row except a selector and a joiner.
        #[test]
        fn what_stays_stands_after_its_base(text in any_text(), max in 0_usize..60) {
            let out = display_safe(&text, max);
            let mut before = None;
            for letter in out.chars() {
                if is_hidden(letter) {
                    let joiner = matches!(letter, ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER);
                    let selector = matches!(letter, TEXT_SELECTOR | EMOJI_SELECTOR);
                    prop_assert!(joiner || selector, "{:?}", out);
                    let base: char = before.unwrap();
                    let after_selector = letter == ZERO_WIDTH_JOINER && base == EMOJI_SELECTOR;
                    prop_assert!(!is_hidden(base) || after_selector, "{:?}", out);
                    prop_assert!(!base.is_whitespace() && base != '\u{fffd}', "{:?}", out);
                }
                before = Some(letter);
            }
            prop_assert_eq!(display_safe(&out, max), out);
        }
    }
}
