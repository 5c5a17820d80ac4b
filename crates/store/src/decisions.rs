//! Decision receipts, kept so that only whoever holds a receipt's digest can open it: they are
//! found by a digest of that digest, and what is kept is encrypted by the use case.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::scans::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// A receipt, sealed, and what is needed of it without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptDecision {
    /// SHA-256 of `decision`, a line feed and the receipt's own digest in hex.
    pub lookup: Digest,
    pub domain: Domain,
    pub action: String,
    pub decision: String,
    /// The answer that it was taken from.
    pub answer_sha256: Digest,
    pub decided_at: Timestamp,
    pub expires_at: Timestamp,
    pub sealed: Bytes,
}

pub trait Decisions: Send + Sync {
    /// Keeps receipts, all or none, durable when this returns. The same again is fine; another one
    /// under the same lookup is refused.
    fn put_decisions(&self, decisions: Vec<KeptDecision>) -> BoxFuture<'_, Result<(), StoreError>>;

    fn decision(&self, lookup: Digest) -> BoxFuture<'_, Result<Option<KeptDecision>, StoreError>>;

    /// Forgets what expired before `before`, and says how many that were.
    fn forget_decisions(&self, before: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// All lookups in their order, at most `limit`, all after `after`: for moving to another store.
    /// One that is damaged is listed too.
    fn list_decisions(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Digest>, StoreError>>;
}

impl KeptDecision {
    /// Where the receipt with this digest is kept.
    #[must_use]
    pub fn lookup_of(receipt: &Digest) -> Digest {
        Digest::of(format!("decision\n{receipt}").as_bytes())
    }

    /// A digest over everything in here, compared by engines when they read.
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

    /// Refuses what is too large for any engine; called by engines before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("sealed decision", &self.sealed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::kept_domain;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = KeptDecision {
            lookup: KeptDecision::lookup_of(&Digest::of(b"r")),
            domain: kept_domain("shop.lab").unwrap(),
            action: "read".into(),
            decision: "allow".into(),
            answer_sha256: Digest::of(b"a"),
            decided_at: Timestamp::from_millis(1),
            expires_at: Timestamp::from_millis(2),
            sealed: Bytes::from_static(b"sealed"),
        };
        let changes: [fn(&mut KeptDecision); 8] = [
            |d| d.lookup = Digest::of(b"x"),
            |d| d.domain = kept_domain("shop.lap").unwrap(),
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
