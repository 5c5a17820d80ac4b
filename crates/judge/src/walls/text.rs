//! Text helpers for matching marks and for showing excerpts.

use contract::text::visible;

/// The most characters of a site's text shown in a mark.
pub(super) const EXCERPT_CHARS: usize = 80;

/// Lower case with plain apostrophes. Marks and responses are compared in this form.
pub(super) fn fold_case(text: &str) -> String {
    text.to_lowercase().replace(['’', '‘'], "'")
}

/// The beginning of a text, cut at a character boundary.
pub(super) fn truncate_at_char(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// Untrusted text made safe to show: short, on one line, without hidden characters. A cut is marked
/// after the last of [`EXCERPT_CHARS`].
pub(super) fn excerpt(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(EXCERPT_CHARS)
        .map(|c| if c.is_whitespace() { ' ' } else { visible(c) })
        .collect();
    if text.chars().nth(EXCERPT_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_hides_nothing() {
        assert_eq!(excerpt("a\r\nb\u{202e}c\u{0}"), "a  b\u{fffd}c\u{fffd}");
        assert_eq!(excerpt(&"ü".repeat(200)).chars().count(), EXCERPT_CHARS + 1);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(truncate_at_char("aüb", 2), "a");
        assert_eq!(truncate_at_char("aüb", 3), "aü");
        assert_eq!(truncate_at_char("aüb", 99), "aüb");
    }
}
