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
    for (start, length) in long_runs(text.as_bytes()).filter(|(_, length)| *length <= MAX_LENGTH) {
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

/// Start and length of the runs that are long enough. All characters of a blob are single bytes.
fn long_runs(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        loop {
            // No run that is long enough begins before the last other byte, so that most bytes of a
            // text are not looked at.
            let (least, more) = text.get(start..)?.split_at_checked(MIN_LENGTH)?;
            if let Some(other) = least.iter().rposition(|byte| !is_base64(*byte)) {
                start += other + 1;
                continue;
            }
            let length = MIN_LENGTH + more.iter().take_while(|byte| is_base64(**byte)).count();
            let run = (start, length);
            start += length;
            return Some(run);
        }
    })
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

    proptest::proptest! {
        #[test]
        fn runs_are_found_as_if_every_byte_were_looked_at(text in "([a-z]{1,30}|[ .é]){0,20}") {
            let mut all = Vec::new();
            let mut from = 0;
            for run in text.as_bytes().split(|byte| !is_base64(*byte)) {
                all.extend((run.len() >= MIN_LENGTH).then_some((from, run.len())));
                from += run.len() + 1;
            }
            proptest::prop_assert_eq!(long_runs(text.as_bytes()).collect::<Vec<_>>(), all);
        }
    }

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
