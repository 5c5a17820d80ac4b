//! Decision receipts. They are stored encrypted, under a digest of the receipt's digest, so that
//! only someone who knows the receipt's digest can find and decrypt it. The use case encrypts them.
//! [`crate::Pruning`] removes them after they expire.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// An encrypted receipt, and the members that are needed without decrypting it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDecision {
    /// SHA-256 of the word `decision`, a line feed and the receipt's own digest in hex.
    pub lookup: Digest,
    pub domain: Domain,
    pub action: String,
    pub decision: String,
    /// The answer that the decision is based on.
    pub answer_sha256: Digest,
    pub decided_at: Timestamp,
    pub expires_at: Timestamp,
    pub sealed: Bytes,
}

pub trait Decisions: Send + Sync {
    /// Stores all receipts or none; durable when this returns. Storing the same receipt again has
    /// no effect; a different one under the same lookup is refused.
    fn put_decisions(
        &self,
        decisions: Vec<StoredDecision>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    fn decision(&self, lookup: Digest)
    -> BoxFuture<'_, Result<Option<StoredDecision>, StoreError>>;

    /// All lookups after `after`, in order, at most `limit`: for copying to another store. Damaged
    /// receipts are listed too.
    fn list_decisions(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>>;
}

impl StoredDecision {
    /// The lookup of the receipt with this digest.
    #[must_use]
    pub fn lookup_of(receipt: &Digest) -> Digest {
        Digest::of(format!("decision\n{receipt}").as_bytes())
    }

    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("decision 1")
            .bytes(self.lookup.as_bytes())
            .text(self.domain.as_str())
            .text(&self.action)
            .text(&self.decision)
            .bytes(self.answer_sha256.as_bytes())
            .time(self.decided_at)
            .time(self.expires_at)
            .body(&self.sealed)
            .finish()
    }

    /// Refuses a receipt that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("sealed decision", &self.sealed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::parse_stored_domain;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = StoredDecision {
            lookup: StoredDecision::lookup_of(&Digest::of(b"r")),
            domain: parse_stored_domain("shop.lab").unwrap(),
            action: "read".into(),
            decision: "allow".into(),
            answer_sha256: Digest::of(b"a"),
            decided_at: Timestamp::from_millis(1),
            expires_at: Timestamp::from_millis(2),
            sealed: Bytes::from_static(b"sealed"),
        };
        let changes: [fn(&mut StoredDecision); 8] = [
            |d| d.lookup = Digest::of(b"x"),
            |d| d.domain = parse_stored_domain("shop.lap").unwrap(),
            |d| d.action = "cite".into(),
            |d| d.decision = "block".into(),
            |d| d.answer_sha256 = Digest::of(b"b"),
            |d| d.decided_at = Timestamp::from_millis(2),
            |d| d.expires_at = Timestamp::from_millis(3),
            |d| d.sealed = Bytes::new(),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }
}
