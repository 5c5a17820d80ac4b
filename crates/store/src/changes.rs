//! What changed about a domain, in the order in which it was recorded. Changes are put by
//! [`crate::Log::append`] alone, in one step with the answer that shows them.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::scans::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// A change that has no number yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChange {
    pub domain: Domain,
    /// When it was recorded.
    pub at: Timestamp,
    pub section: String,
    pub direction: String,
    /// Canonical JSON of the entry without its `seq`.
    pub body: Bytes,
}

/// A change as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptChange {
    /// From 1, without a gap, over all domains.
    pub seq: u64,
    pub domain: Domain,
    pub at: Timestamp,
    pub section: String,
    pub direction: String,
    pub body: Bytes,
}

/// Which changes are asked for. The newest come first, unless `after` is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesAsk {
    pub domain: Option<Domain>,
    pub section: Option<String>,
    pub direction: Option<String>,
    /// Only those with a greater number, the smallest first.
    pub after: Option<u64>,
    /// Only those recorded then or later.
    pub since: Option<Timestamp>,
    pub limit: usize,
}

pub trait Changes: Send + Sync {
    fn changes(&self, ask: ChangesAsk) -> BoxFuture<'_, Result<Vec<KeptChange>, StoreError>>;

    /// The first change that is kept.
    fn first_change(&self) -> BoxFuture<'_, Result<Option<KeptChange>, StoreError>>;
}

impl NewChange {
    /// The change under its number.
    #[must_use]
    pub fn kept(self, seq: u64) -> KeptChange {
        let Self { domain, at, section, direction, body } = self;
        KeptChange { seq, domain, at, section, direction, body }
    }

    /// Refuses what no engine could give back; called before it is written.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        check_size("change", &self.body)
    }
}

impl KeptChange {
    /// The change without its number, as it was put.
    #[must_use]
    pub fn new_change(self) -> NewChange {
        let Self { domain, at, section, direction, body, .. } = self;
        NewChange { domain, at, section, direction, body }
    }

    /// A digest over everything in here, compared by engines when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("change 1")
            .number(self.seq)
            .text(self.domain.as_str())
            .time(self.at)
            .text(&self.section)
            .text(&self.direction)
            .body(&self.body)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::kept_domain;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let new = NewChange {
            domain: kept_domain("shop.lab").unwrap(),
            at: Timestamp::from_millis(1),
            section: "policy".into(),
            direction: "tightened".into(),
            body: Bytes::from_static(b"{}"),
        };
        let before = new.clone().kept(3);
        assert_eq!(before.clone().new_change(), new);
        let changes: [fn(&mut KeptChange); 6] = [
            |c| c.seq = 4,
            |c| c.domain = kept_domain("shop.lap").unwrap(),
            |c| c.at = Timestamp::from_millis(2),
            |c| c.section = "policies".into(),
            |c| c.direction = "loosened".into(),
            |c| c.body = Bytes::new(),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }
}
