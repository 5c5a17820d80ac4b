//! A name for each request: the caller's own, or one of ours.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

use http::HeaderValue;

/// The longest name of a caller's that we repeat.
const LONGEST: usize = 128;

/// This request's name, as a request extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(pub String);

#[derive(Debug)]
pub(super) struct RequestIds {
    seed: u64,
    next: AtomicU64,
}

impl RequestIds {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, next: AtomicU64::new(1) }
    }

    /// The caller's, when it is short visible ASCII; otherwise a new one.
    pub(super) fn for_request(&self, given: Option<&HeaderValue>) -> String {
        let usable = given
            .map(HeaderValue::as_bytes)
            .filter(|name| (1..=LONGEST).contains(&name.len()))
            .filter(|name| name.iter().all(u8::is_ascii_graphic))
            .and_then(|name| std::str::from_utf8(name).ok());
        match usable {
            Some(name) => name.to_owned(),
            None => {
                let count = self.next.fetch_add(1, Ordering::Relaxed);
                format!("{:016x}-{count:x}", self.seed)
            }
        }
    }
}

/// Differs from process to process, which is all that is asked of it.
pub(super) fn process_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_short_visible_names_and_makes_others() {
        let ids = RequestIds::new(0xab);
        let ask = |given: &[u8]| ids.for_request(Some(&HeaderValue::from_bytes(given).unwrap()));
        assert_eq!(ask(b"abc-123_{}\"<>"), "abc-123_{}\"<>");
        assert_eq!(ask(&[b'x'; 128]), "x".repeat(128));
        assert_eq!(ask(&[b'x'; 129]), "00000000000000ab-1");
        assert_eq!(ask(b""), "00000000000000ab-2");
        assert_eq!(ask(b"two words"), "00000000000000ab-3");
        assert_eq!(ask(b"tab\there"), "00000000000000ab-4");
        assert_eq!(ask("caf\u{e9}".as_bytes()), "00000000000000ab-5");
        assert_eq!(ids.for_request(None), "00000000000000ab-6");
    }
}
