//! Reads what somebody published to prove that they control a domain: contents of meta elements, lines
//! of a file, TXT records. Finding the expected value among them is a comparison of whole values, with
//! the case of their letters.

pub use crate::page::head_meta_contents;

/// How much of a challenge file is considered.
pub const MAX_FILE_BYTES: usize = 4 * 1024;
const MAX_FILE_LINES: usize = 64;

/// The lines of a challenge file without the white space around them; empty lines are left out.
/// `None` if the file is not text in UTF-8. A line that the size limit cuts is left out, because its
/// beginning is not what was written.
#[must_use]
pub fn challenge_lines(body: &[u8]) -> Option<Vec<&str>> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let considered = match body.get(..MAX_FILE_BYTES) {
        Some(start) if body.len() > MAX_FILE_BYTES => {
            let end = start.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(0);
            start.get(..end).unwrap_or_default()
        }
        _ => body,
    };
    let text = std::str::from_utf8(considered).ok()?;
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    Some(lines.take(MAX_FILE_LINES).collect())
}

/// Whether one of these values is the expected one. White space around a value does not matter. An
/// empty expectation is never met.
#[must_use]
pub fn has_value<'a>(values: impl IntoIterator<Item = &'a str>, expected: &str) -> bool {
    let expected = expected.trim();
    !expected.is_empty() && values.into_iter().any(|value| value.trim() == expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_trimmed_and_may_end_in_any_way() {
        let lines = challenge_lines(b"\xef\xbb\xbf one\r\n\r\n\ttwo \rthree");
        assert_eq!(lines.unwrap(), ["one", "two", "three"]);
        assert_eq!(challenge_lines(b"").unwrap(), [""; 0]);
        assert_eq!(challenge_lines(b"one\n\xff"), None);
    }

    #[test]
    fn a_cut_line_does_not_count() {
        let padding = "x".repeat(MAX_FILE_BYTES - 4);
        let exact = format!("{padding}\nt0k");
        assert_eq!(exact.len(), MAX_FILE_BYTES);
        assert!(has_value(challenge_lines(exact.as_bytes()).unwrap(), "t0k"));
        let cut = format!("{padding}\nt0ken");
        assert_eq!(challenge_lines(cut.as_bytes()).unwrap(), [padding.as_str()]);
        // Also where the limit falls into a character.
        let cut = format!("a\n{}", "ü".repeat(MAX_FILE_BYTES));
        assert_eq!(challenge_lines(cut.as_bytes()).unwrap(), ["a"]);
    }

    #[test]
    fn lines_are_limited_in_number() {
        let many = "a\n".repeat(MAX_FILE_LINES) + "t0k";
        let lines = challenge_lines(many.as_bytes()).unwrap();
        assert_eq!(lines.len(), MAX_FILE_LINES);
        assert!(!has_value(lines, "t0k"));
    }

    #[test]
    fn values_are_compared_as_a_whole_and_with_their_case() {
        assert!(has_value(["other", " token=t0k "], "token=t0k"));
        for values in [vec![], vec!["TOKEN=T0K"], vec!["token=t0k2"], vec!["x token=t0k"]] {
            assert!(!has_value(values.clone(), "token=t0k"), "{values:?}");
        }
        assert!(!has_value(["", " "], ""));
        assert!(!has_value(["", " "], " "));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(body in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            if let Some(lines) = challenge_lines(&body) {
                proptest::prop_assert!(lines.iter().all(|line| !line.is_empty()));
            }
        }
    }
}
