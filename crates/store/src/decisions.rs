//! Decision receipts. They are stored encrypted, under a digest of the receipt's digest, so that
//! only someone who knows the receipt's digest can find and decrypt it. The use case compresses and encrypts them.
//! [`crate::Pruning`] removes them after they expire.

use bytes::Bytes;
use contract::{Domain, Timestamp};
use twox_hash::XxHash3_128;

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
    /// The receipt, compressed and encrypted.
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

    /// A digest over all members, which engines compare when they read. It takes the encrypted receipt, which is nearly
    /// all of them, by a hash that only shows damage; an intended change is found when it is decrypted.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let sealed = XxHash3_128::oneshot(&self.sealed).to_be_bytes();
        let columns = self.fingerprinted_columns("decision 2");
        columns.number(self.sealed.len() as u64).bytes(&sealed).finish()
    }

    /// Whether a stored fingerprint is that of this receipt, by the present rule or the one before it.
    #[must_use]
    pub fn has_fingerprint(&self, stated: &Digest) -> bool {
        self.fingerprint() == *stated || self.first_fingerprint() == *stated
    }

    fn fingerprinted_columns(&self, rule: &str) -> Fingerprint {
        Fingerprint::of(rule)
            .bytes(self.lookup.as_bytes())
            .text(self.domain.as_str())
            .text(&self.action)
            .text(&self.decision)
            .bytes(self.answer_sha256.as_bytes())
            .time(self.decided_at)
            .time(self.expires_at)
    }

    /// The fingerprint of receipts that were stored before there was the present rule.
    fn first_fingerprint(&self) -> Digest {
        self.fingerprinted_columns("decision 1").body(&self.sealed).finish()
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

    fn receipt(sealed: Bytes) -> StoredDecision {
        StoredDecision {
            lookup: StoredDecision::lookup_of(&Digest::of(b"r")),
            domain: parse_stored_domain("shop.lab").unwrap(),
            action: "read".into(),
            decision: "allow".into(),
            answer_sha256: Digest::of(b"a"),
            decided_at: Timestamp::from_millis(1),
            expires_at: Timestamp::from_millis(2),
            sealed,
        }
    }

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = receipt(Bytes::from_static(b"sealed"));
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
            for stated in [before.fingerprint(), before.first_fingerprint()] {
                assert!(before.has_fingerprint(&stated) && !after.has_fingerprint(&stated));
            }
        }
    }

    /// Stored receipts depend on it: it is the same on every machine and in every version of the library.
    #[test]
    fn both_rules_of_fingerprints_stay_the_same() {
        let prints = |length: u8| {
            let receipt = receipt((0..length).collect());
            [receipt.fingerprint(), receipt.first_fingerprint()].map(|print| print.to_hex())
        };
        assert_eq!(
            prints(0),
            [
                "c6a75f65b1333a2e3e2aa8e4475bb251d4f0f491fc93e536e85f4d495b3fb227",
                "090680a9dac2ad3cadd6b9c39ba9ca3fa900f02ce9fd6a2c5584d26ad7567b2e"
            ]
        );
        assert_eq!(
            prints(255),
            [
                "0e2d9cdd3cdee04e795dc99aac83b617e9ffdb845cc3b2ff826f87df6a683f09",
                "7d05ad490c916f12293c1175ef31d94d189062c08cb97afb08be598e372ecb39"
            ]
        );
    }
}
