//! Digests over stored values, which engines compare when they read.

use bytes::Bytes;
use contract::Timestamp;

use crate::Digest;

/// Hashes a value part by part, each preceded by its length, so that different values never hash
/// the same bytes.
pub(crate) struct Fingerprint(proof::Hasher);

impl Fingerprint {
    /// `what` names the kind of value and the version of its hashing rule.
    pub(crate) fn of(what: &str) -> Self {
        Self(proof::Hasher::new()).text(what)
    }

    pub(crate) fn bytes(mut self, part: &[u8]) -> Self {
        self.0.update(&(part.len() as u64).to_be_bytes());
        self.0.update(part);
        self
    }

    pub(crate) fn body(self, part: &Bytes) -> Self {
        self.bytes(part)
    }

    pub(crate) fn text(self, part: &str) -> Self {
        self.bytes(part.as_bytes())
    }

    pub(crate) fn time(self, at: Timestamp) -> Self {
        self.bytes(&at.as_millis().to_be_bytes())
    }

    pub(crate) fn number(self, number: u64) -> Self {
        self.bytes(&number.to_be_bytes())
    }

    /// Distinguishes `None` from an empty text.
    pub(crate) fn optional(self, part: Option<&str>) -> Self {
        match part {
            None => self.number(0),
            Some(part) => self.number(1).text(part),
        }
    }

    /// Distinguishes `None` from every time.
    pub(crate) fn optional_time(self, at: Option<Timestamp>) -> Self {
        match at {
            None => self.number(0),
            Some(at) => self.number(1).time(at),
        }
    }

    /// Distinguishes `None` from every digest.
    pub(crate) fn optional_digest(self, digest: Option<&Digest>) -> Self {
        match digest {
            None => self.number(0),
            Some(digest) => self.number(1).bytes(digest.as_bytes()),
        }
    }

    pub(crate) fn words(self, words: &[String]) -> Self {
        let all = self.number(words.len() as u64);
        words.iter().fold(all, |all, word| all.text(word))
    }

    pub(crate) fn finish(self) -> Digest {
        self.0.finish()
    }
}
