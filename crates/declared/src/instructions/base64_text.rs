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
    let mut from = 0;
    // All characters of a blob are single bytes, so that the runs between others are blobs or empty.
    for run in text.as_bytes().split(|byte| !is_base64(*byte)) {
        let (start, length) = (from, run.len());
        from += length + 1;
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&length) {
            continue;
        }
        tried = tried.saturating_add(1);
        if tried > MAX_ATTEMPTS {
            break;
        }
        if let Some(plain) = text.get(start..start + length).and_then(decode_base64) {
            found.push((start, plain));
        }
    }
    found
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
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
