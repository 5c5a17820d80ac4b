//! Text of strangers as one plain line.

use super::is_hidden;

/// The text in one line of at most `max_chars` characters: runs of white space become one space, hidden
/// characters are removed. If it was cut, its last character is `…`.
#[must_use]
pub fn plain_line(text: &str, max_chars: usize) -> String {
    let (mut line, mut length) = (String::new(), 0);
    let mut space = false;
    for letter in text.chars() {
        if letter.is_whitespace() {
            space = length > 0;
            continue;
        }
        if is_hidden(letter) {
            continue;
        }
        let needed = 1 + usize::from(space);
        if length + needed > max_chars {
            // There is always room for the mark: the last letter gives its place.
            if length == max_chars {
                line.pop();
            }
            if max_chars > 0 {
                line.push('…');
            }
            return line;
        }
        if space {
            line.push(' ');
        }
        line.push(letter);
        length += needed;
        space = false;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_one_line_without_hidden_characters() {
        for (text, line) in [
            ("  14 Harbour\n\tLane \r\n", "14 Harbour Lane"),
            ("a\u{202e}b\u{200b}c\u{0}d", "abcd"),
            ("a\u{2028}b\u{a0}\u{3000}c", "a b c"),
            ("\u{200b} \u{feff}", ""),
            ("Ünïcode 漢", "Ünïcode 漢"),
        ] {
            assert_eq!(plain_line(text, 80), line, "{text:?}");
        }
        assert_eq!(plain_line("abcdef", 6), "abcdef");
        assert_eq!(plain_line("abcdefg", 6), "abcde…");
        assert_eq!(plain_line("abcde f", 6), "abcde…");
        assert_eq!(plain_line("ab", 1), "…");
        assert_eq!(plain_line("ab", 0), "");
    }

    proptest::proptest! {
        #[test]
        fn a_line_is_bounded_plain_and_stays_as_it_is(text: String, max in 0..40_usize) {
            let line = plain_line(&text, max);
            proptest::prop_assert!(line.chars().count() <= max);
            proptest::prop_assert!(!line.chars().any(is_hidden));
            proptest::prop_assert_eq!(plain_line(&line, max), line.clone());
            proptest::prop_assert_eq!(line.trim(), line.as_str());
        }
    }
}
