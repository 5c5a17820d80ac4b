//! Text prepared for matching phrases, and the length of a text in any script.

use icu_normalizer::DecomposingNormalizerBorrowed;

use super::super::text::truncate_at_char;

/// Compatibility forms resolved, accents and vowel signs dropped, lower case, plain apostrophes,
/// single spaces. Phrases and pages are compared in this form, so that "connecté" matches
/// "CONNECTE" and full-width letters match plain ones.
pub(super) fn fold(text: &str, max_bytes: usize) -> String {
    let text = truncate_at_char(text, max_bytes);
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(text);
    let mut folded = String::with_capacity(decomposed.len());
    for c in decomposed.chars() {
        match c {
            // Nearly all characters.
            'a'..='z' | 'A'..='Z' | '0'..='9' => folded.push(c.to_ascii_lowercase()),
            '’' | '‘' | '`' | '´' => folded.push('\''),
            c if is_dropped(c) => {}
            c if c.is_whitespace() => {
                if !folded.is_empty() && !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            c => folded.extend(c.to_lowercase().filter(|c| !is_dropped(*c))),
        }
    }
    folded
}

/// Combining marks, and characters that have no width.
fn is_dropped(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}'
        | '\u{3099}' | '\u{309a}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}')
}

/// Scripts without spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// How long a text is, in words. Two characters of a script without spaces count as one word, which
/// is about right for Chinese, Japanese and Thai.
pub(super) fn count_words(text: &str) -> usize {
    if text.is_ascii() {
        let words = text.as_bytes().split(|byte| matches!(byte, b'\t'..=b'\r' | b' '));
        return words.filter(|word| word.iter().any(u8::is_ascii_alphanumeric)).count();
    }
    text.split_whitespace()
        .map(|piece| {
            let (mut unspaced, mut other) = (0_usize, false);
            for c in piece.chars() {
                if is_unspaced(c) {
                    unspaced += 1;
                } else {
                    other |= c.is_alphanumeric();
                }
            }
            unspaced.div_ceil(2) + usize::from(other)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_case_and_width_make_no_difference() {
        for (one, other) in [
            ("Se Connecté", "se connecte"),
            ("GİRİŞ YAP", "giris yap"),
            ("Ｌｏｇｉｎ", "login"),
            ("l’âge", "l'age"),
            ("سجّل", "سجل"),
            ("a\u{a0}\n b", "a b"),
            ("ログイン", "ログイン"),
        ] {
            assert_eq!(fold(one, 100), fold(other, 100), "{one}");
        }
        assert_eq!(fold("aüb", 2), "a");
    }

    #[test]
    fn words_are_counted_in_scripts_without_spaces() {
        assert_eq!(count_words("The ferry leaves — at 7."), 5);
        assert_eq!(count_words("渡し船は七時に出ます"), 5);
        assert_eq!(count_words(""), 0);
        assert_eq!(count_words("배는 일곱 시에 떠납니다"), 4);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_folded(text in "\\PC{0,200}", most in 0usize..300) {
            let once = fold(&text, most);
            proptest::prop_assert!(!once.contains("  "));
            let _ = count_words(&text);
        }
    }
}
