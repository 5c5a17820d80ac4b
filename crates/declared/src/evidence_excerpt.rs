//! Excerpts of a site's own text that are stored as evidence.

use contract::text::visible;

/// How many characters of a statement are kept as evidence.
const EVIDENCE_CHARS: usize = 300;

/// A site's own text as evidence: its first 300 characters, with hidden characters replaced.
///
/// Stored records hold what this returns. It differs from `contract::text::display_safe`: line breaks
/// become U+FFFD instead of spaces, and there is no mark where it was cut.
pub(crate) fn evidence_excerpt(text: &str) -> String {
    text.chars().take(EVIDENCE_CHARS).map(visible).collect()
}

/// As [`evidence_excerpt`], cut after `max_chars` characters and marked there, for use in a sentence.
pub(crate) fn marked_excerpt(text: &str, max_chars: usize) -> String {
    let max_chars = max_chars.min(EVIDENCE_CHARS);
    let mut excerpt: String = text.chars().take(max_chars).map(visible).collect();
    if text.chars().nth(max_chars).is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use contract::text::is_hidden;

    use super::*;

    #[test]
    fn evidence_is_cut_without_a_mark() {
        assert_eq!(evidence_excerpt("a\nb\u{202e}c\u{fe0f}"), "a\u{fffd}b\u{fffd}c\u{fffd}");
        assert_eq!(evidence_excerpt(&"é".repeat(400)), "é".repeat(300));
        assert_eq!(marked_excerpt("abcdef", 6), "abcdef");
        assert_eq!(marked_excerpt("abcdefg", 6), "abcdef…");
    }

    proptest::proptest! {
        #[test]
        fn nothing_hidden_comes_out(text: String, max in 0_usize..100) {
            proptest::prop_assert!(!evidence_excerpt(&text).chars().any(is_hidden));
            let marked = marked_excerpt(&text, max);
            proptest::prop_assert!(!marked.chars().any(is_hidden));
            proptest::prop_assert!(marked.chars().count() <= max + 1);
        }
    }
}
