//! Request ids: the caller's own, or a generated one.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
};

use http::HeaderValue;

/// A longer id of the caller is replaced by a generated one.
const MAX_LENGTH: usize = 128;

/// The id of a request, as a request extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(pub String);

/// Generates request ids. Every request may increment the counter, which is an atomic.
#[derive(Debug)]
pub(crate) struct RequestIds {
    seed: u64,
    next: AtomicU64,
}

impl RequestIds {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, next: AtomicU64::new(1) }
    }

    /// The caller's id if it is 1 to 128 visible ASCII characters; otherwise a new one.
    pub(crate) fn id_for_request(&self, given: Option<&HeaderValue>) -> String {
        let usable = given
            .map(HeaderValue::as_bytes)
            .filter(|name| (1..=MAX_LENGTH).contains(&name.len()))
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

/// Differs from process to process; needs no other property.
pub(super) fn process_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_ids_are_kept_and_others_replaced() {
        let ids = RequestIds::new(0xab);
        let ask = |given: &[u8]| ids.id_for_request(Some(&HeaderValue::from_bytes(given).unwrap()));
        assert_eq!(ask(b"abc-123_{}\"<>"), "abc-123_{}\"<>");
        assert_eq!(ask(&[b'x'; 128]), "x".repeat(128));
        assert_eq!(ask(&[b'x'; 129]), "00000000000000ab-1");
        assert_eq!(ask(b""), "00000000000000ab-2");
        assert_eq!(ask(b"two words"), "00000000000000ab-3");
        assert_eq!(ask(b"tab\there"), "00000000000000ab-4");
        assert_eq!(ask("caf\u{e9}".as_bytes()), "00000000000000ab-5");
        assert_eq!(ids.id_for_request(None), "00000000000000ab-6");
    }
}
