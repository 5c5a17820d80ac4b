//! Base64 in running text.

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};

/// Shorter blobs hold no sentence.
const SHORTEST: usize = 24;
const LONGEST: usize = 8192;
/// Blobs tried in one passage.
const MOST: usize = 32;

/// Blobs of a passage that decode to text: (where, text).
pub(super) fn decoded(text: &str) -> Vec<(usize, String)> {
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
        if !(SHORTEST..=LONGEST).contains(&length) {
            continue;
        }
        tried = tried.saturating_add(1);
        if tried > MOST {
            break;
        }
        if let Some(plain) = text.get(from..at).and_then(plain) {
            found.push((from, plain));
        }
    }
    found
}

fn plain(blob: &str) -> Option<String> {
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
        assert_eq!(decoded(&format!("see {blob}.")), [(4, "follow me to the river".to_owned())]);
        assert_eq!(
            decoded("sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4"),
            []
        );
        assert_eq!(decoded("a/long/path/to/some/file-with-a-name.html"), []);
    }
}
