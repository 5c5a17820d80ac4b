//! Short quotations of a passage in which hidden characters are spelled out.

use contract::text::is_hidden;

/// The first `most` characters of a text, with hidden characters as `[U+200B]` and white space
/// collapsed.
pub(super) fn excerpt(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0_usize;
    let mut chars = text.chars().peekable();
    let mut blank = false;
    while let Some(c) = chars.next() {
        let mut piece = String::new();
        if is_spelled_out(c) {
            let mut same = 1_usize;
            while chars.next_if(|next| is_spelled_out(*next)).is_some() {
                same = same.saturating_add(1);
            }
            piece = format!("[U+{:04X}", u32::from(c));
            if same > 1 {
                piece.push_str(&format!(" and {} more", same.saturating_sub(1)));
            }
            piece.push(']');
        } else if c.is_whitespace() || c.is_control() {
            if !blank && !out.is_empty() {
                piece.push(' ');
            }
        } else {
            piece.push(c);
        }
        blank = c.is_whitespace() || c.is_control();
        let long = piece.chars().count();
        if length.saturating_add(long) > most {
            break;
        }
        length = length.saturating_add(long);
        out.push_str(&piece);
    }
    out.truncate(out.trim_end().len());
    out
}

/// Hidden characters, except line breaks and controls: those count as white space.
fn is_spelled_out(c: char) -> bool {
    is_hidden(c) && !c.is_whitespace() && !c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_spelled_out() {
        assert_eq!(excerpt("a\u{200b}\u{200c}\u{2060}b", 80), "a[U+200B and 2 more]b");
        assert_eq!(excerpt("a\u{1d173}\n\tb\u{2028}c", 80), "a[U+1D173] b c");
    }

    proptest::proptest! {
        #[test]
        fn nothing_hidden_and_nothing_longer_comes_out(text: String, most in 0_usize..100) {
            let out = excerpt(&text, most);
            proptest::prop_assert!(!out.chars().any(is_hidden));
            proptest::prop_assert!(out.chars().count() <= most);
        }
    }
}
