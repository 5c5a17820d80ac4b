//! Changes between answers about a domain, between scans of an MCP server, or between AI-accuracy records, in the
//! order they were recorded. Only [`crate::Log::append`], [`crate::McpScans::put_mcp_scan`] and
//! [`crate::Accuracy::put_accuracy`] write them, in one transaction with the newer answer, scan or record.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::size::check_size;
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

/// A stored change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChange {
    /// From 1, without gaps, across all domains.
    pub seq: u64,
    pub domain: Domain,
    pub at: Timestamp,
    pub section: String,
    pub direction: String,
    pub body: Bytes,
}

/// Which changes to return. Newest first, unless `after` is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesQuery {
    pub domain: Option<Domain>,
    pub section: Option<String>,
    pub direction: Option<String>,
    /// Only changes with a greater number, in ascending order.
    pub after: Option<u64>,
    /// Only changes recorded at or after this time.
    pub since: Option<Timestamp>,
    pub limit: usize,
}

pub trait Changes: Send + Sync {
    fn changes(&self, ask: ChangesQuery) -> BoxFuture<'_, Result<Vec<StoredChange>, StoreError>>;

    /// The oldest stored change.
    fn first_change(&self) -> BoxFuture<'_, Result<Option<StoredChange>, StoreError>>;

    /// Stores changes of another store under the numbers they have there. Refused unless they follow
    /// the last stored change without a gap; in a store without changes they may start anywhere.
    fn import_changes(&self, changes: Vec<StoredChange>) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl NewChange {
    /// The change with its number.
    #[must_use]
    pub fn into_stored(self, seq: u64) -> StoredChange {
        let Self { domain, at, section, direction, body } = self;
        StoredChange { seq, domain, at, section, direction, body }
    }

    /// Refuses a change that no engine could read back. Called before it is written.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        check_size("change", &self.body)
    }
}

impl StoredChange {
    /// The change without its number.
    #[must_use]
    pub fn into_new(self) -> NewChange {
        let Self { domain, at, section, direction, body, .. } = self;
        NewChange { domain, at, section, direction, body }
    }

    /// A digest over all members, which engines compare when they read.
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
    use crate::scans::parse_stored_domain;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let new = NewChange {
            domain: parse_stored_domain("shop.lab").unwrap(),
            at: Timestamp::from_millis(1),
            section: "policy".into(),
            direction: "tightened".into(),
            body: Bytes::from_static(b"{}"),
        };
        let before = new.clone().into_stored(3);
        assert_eq!(before.clone().into_new(), new);
        let changes: [fn(&mut StoredChange); 6] = [
            |c| c.seq = 4,
            |c| c.domain = parse_stored_domain("shop.lap").unwrap(),
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
