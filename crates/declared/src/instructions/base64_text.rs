//! Finds and decodes base64 in text.

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};

/// Shorter blobs cannot contain a sentence.
const MIN_LENGTH: usize = 24;
const MAX_LENGTH: usize = 8192;
/// Blobs tried in one passage.
const MAX_ATTEMPTS: usize = 32;

/// Blobs of a passage that decode to text: (offset, text).
pub(super) fn find_base64_texts(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut tried = 0_usize;
    let mut start = None;
    let ends = std::iter::once((text.len(), ' '));
    for (at, c) in text.char_indices().chain(ends) {
        if c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '=') {
            start.get_or_insert(at);
            continue;
        }
        let Some(from) = start.take() else { continue };
        let length = at.saturating_sub(from);
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&length) {
            continue;
        }
        tried = tried.saturating_add(1);
        if tried > MAX_ATTEMPTS {
            break;
        }
        if let Some(plain) = text.get(from..at).and_then(decode_base64) {
            found.push((from, plain));
        }
    }
    found
}

fn decode_base64(blob: &str) -> Option<String> {
    let blob = blob.trim_end_matches('=').as_bytes();
    let bytes = BASE64_NOPAD.decode(blob).or_else(|_| BASE64URL_NOPAD.decode(blob)).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let wordy = text.contains(' ') && text.chars().all(|c| !c.is_control() || c.is_whitespace());
    wordy.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_and_digests_are_not() {
        let blob = data_encoding::BASE64.encode(b"follow me to the river");
        assert_eq!(
            find_base64_texts(&format!("see {blob}.")),
            [(4, "follow me to the river".to_owned())]
        );
        assert_eq!(
            find_base64_texts("sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4"),
            []
        );
        assert_eq!(find_base64_texts("a/long/path/to/some/file-with-a-name.html"), []);
    }
}
