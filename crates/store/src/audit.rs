//! The audit log: what operators did. Entries are only ever added.

use contract::Timestamp;

use crate::fingerprint::Fingerprint;
use crate::{BoxFuture, Digest, StoreError};

/// An action to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditEntry {
    pub at: Timestamp,
    /// Who did it, for example `operator` or the id of a licence.
    pub actor: String,
    /// What was done, for example `licence.revoke`.
    pub action: String,
    /// To what it was done, for example the id of a licence.
    pub subject: String,
    /// Anything else worth knowing, as JSON. Never a secret.
    pub detail: String,
}

/// An action that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its number, from 1.
    pub seq: u64,
    pub at: Timestamp,
    pub actor: String,
    pub action: String,
    pub subject: String,
    pub detail: String,
}

/// The longest detail, in bytes.
pub const MAX_DETAIL_BYTES: usize = 4096;
/// The longest actor, action and subject, in bytes.
pub const MAX_NAME_BYTES: usize = 512;

pub trait Audit: Send + Sync {
    /// Adds an entry and returns its number; durable when this returns.
    fn append_audit(&self, entry: NewAuditEntry) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// The entries with a number below `before`, newest first, at most `limit`.
    fn audit_entries(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AuditEntry>, StoreError>>;

    /// The entries with a number above `after`, oldest first, at most `limit`: for copying to another
    /// store.
    fn export_audit(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AuditEntry>, StoreError>>;

    /// Adds entries of another store under their numbers. The same entry again has no effect; another
    /// entry under a number that is stored is refused.
    fn import_audit(&self, entries: Vec<AuditEntry>) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl NewAuditEntry {
    #[must_use]
    pub fn numbered(self, seq: u64) -> AuditEntry {
        let Self { at, actor, action, subject, detail } = self;
        AuditEntry { seq, at, actor, action, subject, detail }
    }
}

impl AuditEntry {
    /// Refuses an entry that is too large. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        let names = [&self.actor, &self.action, &self.subject].map(|name| (name, MAX_NAME_BYTES));
        for (text, limit) in names.into_iter().chain([(&self.detail, MAX_DETAIL_BYTES)]) {
            if text.len() > limit {
                return Err(StoreError::TooLarge { what: "audit entry", bytes: text.len(), limit });
            }
        }
        Ok(())
    }

    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("audit 1")
            .number(self.seq)
            .time(self.at)
            .text(&self.actor)
            .text(&self.action)
            .text(&self.subject)
            .text(&self.detail)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> AuditEntry {
        let new = NewAuditEntry {
            at: Timestamp::from_millis(1),
            actor: "operator".into(),
            action: "licence.create".into(),
            subject: "l".into(),
            detail: "{}".into(),
        };
        new.numbered(1)
    }

    #[test]
    fn every_field_moves_the_fingerprint() {
        let changes: [fn(&mut AuditEntry); 6] = [
            |e| e.seq = 2,
            |e| e.at = Timestamp::from_millis(2),
            |e| e.actor.push('x'),
            |e| e.action.push('x'),
            |e| e.subject.push('x'),
            |e| e.detail.push('x'),
        ];
        let mut seen = vec![entry().fingerprint()];
        for change in changes {
            let mut after = entry();
            change(&mut after);
            assert!(!seen.contains(&after.fingerprint()), "{after:?}");
            seen.push(after.fingerprint());
        }
    }

    #[test]
    fn an_entry_is_bounded() {
        let mut long = entry();
        assert_eq!(long.check_size(), Ok(()));
        long.detail = "x".repeat(MAX_DETAIL_BYTES + 1);
        assert!(matches!(long.check_size(), Err(StoreError::TooLarge { .. })));
        let long = AuditEntry { actor: "x".repeat(MAX_NAME_BYTES + 1), ..entry() };
        assert!(matches!(long.check_size(), Err(StoreError::TooLarge { .. })));
    }
}
