//! A stranger's text, made harmless to look at.

/// Cuts a site's own text to `max` characters and takes away what hides, reorders or breaks lines.
#[must_use]
pub fn shown(text: &str, max: usize) -> String {
    let mut out: String = text.chars().take(max).map(tamed).collect();
    if text.chars().nth(max).is_some() {
        out.pop();
        out.push('…');
    }
    out
}

fn tamed(c: char) -> char {
    match c {
        '\n' | '\r' | '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        // Soft hyphen, Arabic and Mongolian marks, zero-width and direction marks, joiners and
        // deprecated format characters, the byte order mark, interlinear marks, variation
        // selectors, private use, tags and everything beyond.
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{10ffff}' => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_reorders_is_replaced() {
        for (text, expected) in [
            ("plain ünïcode 漢", "plain ünïcode 漢"),
            ("a\u{202e}b\u{200b}c", "a\u{fffd}b\u{fffd}c"),
            ("a\nb\tc\u{7}", "a b c\u{fffd}"),
            ("\u{e0041}\u{feff}", "\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(shown(text, 80), expected);
        }
    }

    #[test]
    fn what_is_long_is_cut_and_says_so() {
        assert_eq!(shown("abcdef", 6), "abcdef");
        assert_eq!(shown("abcdefg", 6), "abcde…");
        assert_eq!(shown("ab", 0).chars().count(), 1, "the mark alone");
    }

    proptest::proptest! {
        #[test]
        fn nothing_longer_and_no_control_comes_out(text: String, max in 1_usize..100) {
            let out = shown(&text, max);
            proptest::prop_assert!(out.chars().count() <= max);
            proptest::prop_assert!(!out.chars().any(char::is_control));
        }
    }
}
