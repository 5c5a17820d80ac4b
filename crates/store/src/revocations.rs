//! Revocations: a hash chain of entries, and the domains for which actions are currently withheld.
//!
//! The engine assigns numbers and digests with [`link_revocation`], inside the transaction that
//! writes an entry, so that two entries can never follow the same one.

use contract::{Domain, Timestamp};
use serde::Serialize;

use crate::fingerprint::Fingerprint;
use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError, word_list};

/// An entry that is not in the chain yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRevocation {
    pub at: Timestamp,
    /// Can be earlier than `at`, when the fault existed before it was found.
    pub effective_from: Timestamp,
    /// `revoked`, `tightened`, `suspended` or `reinstated`.
    pub kind: String,
    pub target_kind: String,
    pub target_id: String,
    pub domain: Option<Domain>,
    pub actions: Vec<String>,
    pub reason: String,
    pub why: String,
    pub replaced_by: Option<Digest>,
}

/// An entry of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRevocation {
    /// From 1, without gaps.
    pub seq: u64,
    /// The digest of the previous entry; `None` for the first.
    pub prev: Option<Digest>,
    /// SHA-256 of the canonical JSON of the entry as served, without this member.
    pub entry_sha256: Digest,
    pub entry: NewRevocation,
}

/// The actions that are withheld for a domain. Replaces the earlier value for that domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WithheldActions {
    pub domain: Domain,
    pub actions: Vec<String>,
    /// Empty when nothing is withheld any longer.
    pub causes: Vec<String>,
    pub state: String,
    pub since: Timestamp,
    pub updated_at: Timestamp,
}

/// Which entries to return, in ascending order. Without `after` and `since`: the newest `limit`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevocationsQuery {
    /// Only entries with a greater number.
    pub after: Option<u64>,
    /// Only entries written at or after this time.
    pub since: Option<Timestamp>,
    pub domain: Option<Domain>,
    pub kind: Option<String>,
    pub target_kind: Option<String>,
    pub limit: usize,
}

/// What a decision about some domains needs to know of revocations.
#[derive(Debug)]
pub struct RevocationState {
    /// For each of the domains.
    pub withheld: Vec<Option<WithheldActions>>,
    pub last: Option<StoredRevocation>,
}

pub trait Revocations: Send + Sync {
    /// Appends entries to the chain and replaces the withheld actions in one transaction; durable
    /// when this returns. Returns the entries with their numbers and digests.
    fn append_revocations(
        &self,
        entries: Vec<NewRevocation>,
        standings: Vec<WithheldActions>,
    ) -> BoxFuture<'_, Result<Vec<StoredRevocation>, StoreError>>;

    /// Stores entries of another store as they are there. Refused unless they follow the last stored
    /// entry; in a store without entries they may start anywhere.
    fn import_revocations(
        &self,
        entries: Vec<StoredRevocation>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    fn last_revocation(&self) -> BoxFuture<'_, Result<Option<StoredRevocation>, StoreError>>;

    fn first_revocation(&self) -> BoxFuture<'_, Result<Option<StoredRevocation>, StoreError>>;

    fn revocations(
        &self,
        ask: RevocationsQuery,
    ) -> BoxFuture<'_, Result<Vec<StoredRevocation>, StoreError>>;

    /// All entries about one target, in ascending order.
    fn revocations_of<'a>(
        &'a self,
        target_kind: &'a str,
        target_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredRevocation>, StoreError>>;

    /// Ordered by domain. Without `since`: those currently in force. With `since`: all that were
    /// updated at or after that time, including those that withhold nothing any longer.
    fn withheld_actions(
        &self,
        since: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<Vec<WithheldActions>, StoreError>>;

    fn withheld_actions_for<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<WithheldActions>, StoreError>>;

    /// What [`Self::withheld_actions_for`] finds for each of the domains, and the last revocation. An engine can
    /// read them together.
    fn revocation_state(
        &self,
        domains: Vec<Domain>,
    ) -> BoxFuture<'_, Result<RevocationState, StoreError>> {
        Box::pin(async move {
            let mut withheld = Vec::with_capacity(domains.len());
            for domain in &domains {
                withheld.push(self.withheld_actions_for(domain).await?);
            }
            Ok(RevocationState { withheld, last: self.last_revocation().await? })
        })
    }
}

/// An entry as served, without its own digest: the input of that digest.
#[derive(Serialize)]
struct ServedEntry<'a> {
    seq: u64,
    at: Timestamp,
    effective_from: Timestamp,
    #[serde(rename = "type")]
    kind: &'a str,
    target: ServedTarget<'a>,
    actions: &'a [String],
    reason: &'a str,
    why: &'a str,
    replaced_by: Option<Digest>,
    prev: Option<Digest>,
}

#[derive(Serialize)]
struct ServedTarget<'a> {
    kind: &'a str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<&'a Domain>,
}

/// The entry with its number and digests, following the last entry.
pub fn link_revocation(
    last: Option<&StoredRevocation>,
    entry: NewRevocation,
) -> Result<StoredRevocation, StoreError> {
    let seq = last.map_or(1, |last| last.seq.saturating_add(1));
    let prev = last.map(|last| last.entry_sha256);
    let entry_sha256 = entry_digest(seq, prev, &entry)?;
    Ok(StoredRevocation { seq, prev, entry_sha256, entry })
}

fn entry_digest(
    seq: u64,
    prev: Option<Digest>,
    entry: &NewRevocation,
) -> Result<Digest, StoreError> {
    let bare = ServedEntry {
        seq,
        at: entry.at,
        effective_from: entry.effective_from,
        kind: &entry.kind,
        target: ServedTarget {
            kind: &entry.target_kind,
            id: &entry.target_id,
            domain: entry.domain.as_ref(),
        },
        actions: &entry.actions,
        reason: &entry.reason,
        why: &entry.why,
        replaced_by: entry.replaced_by,
        prev,
    };
    let bytes = proof::canonical::to_vec(&bare)
        .map_err(|e| StoreError::Failed { doing: "linking a revocation", why: e.to_string() })?;
    Ok(Digest::of(&bytes))
}

impl NewRevocation {
    /// Refuses values that no engine could read back. Called before they are written.
    pub fn check(&self) -> Result<(), StoreError> {
        word_list::check_words("actions", &self.actions)?;
        check_size("revocation", self.why.as_bytes())?;
        check_size("revocation", self.target_id.as_bytes())
    }
}

impl StoredRevocation {
    /// Whether the entry comes directly after `last`.
    #[must_use]
    pub fn follows(&self, last: &Self) -> bool {
        self.seq == last.seq.saturating_add(1) && self.prev == Some(last.entry_sha256)
    }

    /// Fails unless the entry matches its stored digest. Engines call this when they read.
    pub fn check(&self) -> Result<(), StoreError> {
        if entry_digest(self.seq, self.prev, &self.entry)? == self.entry_sha256 {
            return Ok(());
        }
        let what = format!("revocation {}", self.seq);
        Err(StoreError::Damaged { what, why: String::from("its digest does not match") })
    }
}

impl WithheldActions {
    /// Whether any action is withheld.
    #[must_use]
    pub fn is_in_force(&self) -> bool {
        !self.causes.is_empty()
    }

    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("standing 1")
            .text(self.domain.as_str())
            .words(&self.actions)
            .words(&self.causes)
            .text(&self.state)
            .time(self.since)
            .time(self.updated_at)
            .finish()
    }

    /// Refuses values that no engine could read back. Called before they are written.
    pub fn check(&self) -> Result<(), StoreError> {
        word_list::check_words("actions", &self.actions)?;
        word_list::check_words("causes", &self.causes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::parse_stored_domain;

    fn entry() -> NewRevocation {
        NewRevocation {
            at: Timestamp::from_millis(2_000),
            effective_from: Timestamp::from_millis(1_000),
            kind: "tightened".into(),
            target_kind: "answer".into(),
            target_id: "5b".into(),
            domain: Some(parse_stored_domain("shop.lab").unwrap()),
            actions: vec!["read".into(), "cite".into()],
            reason: "site_changed".into(),
            why: "The policy file now disallows the path.".into(),
            replaced_by: Some(Digest::of(b"newer")),
        }
    }

    #[test]
    fn the_digest_is_over_the_entry_as_it_is_served() {
        let first = link_revocation(None, entry()).unwrap();
        let newer = Digest::of(b"newer");
        let served = format!(
            "{{\"actions\":[\"read\",\"cite\"],\"at\":\"1970-01-01T00:00:02Z\",\
             \"effective_from\":\"1970-01-01T00:00:01Z\",\"prev\":null,\
             \"reason\":\"site_changed\",\"replaced_by\":\"{newer}\",\"seq\":1,\
             \"target\":{{\"domain\":\"shop.lab\",\"id\":\"5b\",\"kind\":\"answer\"}},\
             \"type\":\"tightened\",\"why\":\"The policy file now disallows the path.\"}}"
        );
        assert_eq!(first.entry_sha256, Digest::of(served.as_bytes()));
        assert_eq!((first.seq, first.prev), (1, None));
        let second = link_revocation(Some(&first), entry()).unwrap();
        assert_eq!((second.seq, second.prev), (2, Some(first.entry_sha256)));
        assert_ne!(second.entry_sha256, first.entry_sha256);
    }

    #[test]
    fn every_member_moves_the_digest() {
        let first = link_revocation(None, entry()).unwrap();
        let before = link_revocation(Some(&first), entry()).unwrap();
        before.check().unwrap();
        let changes: [fn(&mut StoredRevocation); 14] = [
            |k| k.seq = 3,
            |k| k.prev = None,
            |k| k.entry_sha256 = Digest::of(b"x"),
            |k| k.entry.at = Timestamp::from_millis(2_001),
            |k| k.entry.effective_from = Timestamp::from_millis(1_001),
            |k| k.entry.kind = "revoked".into(),
            |k| k.entry.target_kind = "decision".into(),
            |k| k.entry.target_id = "5c".into(),
            |k| k.entry.domain = None,
            |k| k.entry.actions.truncate(1),
            |k| k.entry.reason = "rule_fault".into(),
            |k| k.entry.why = String::new(),
            |k| k.entry.replaced_by = None,
            |k| k.prev = Some(Digest::of(b"another")),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert!(matches!(after.check(), Err(StoreError::Damaged { .. })), "{after:?}");
        }
    }

    #[test]
    fn every_field_moves_a_standings_fingerprint() {
        let before = WithheldActions {
            domain: parse_stored_domain("shop.lab").unwrap(),
            actions: vec!["connect".into()],
            causes: vec!["impersonation".into()],
            state: "suspended".into(),
            since: Timestamp::from_millis(1),
            updated_at: Timestamp::from_millis(2),
        };
        assert!(before.is_in_force());
        let changes: [fn(&mut WithheldActions); 7] = [
            |s| s.domain = parse_stored_domain("shop.lap").unwrap(),
            |s| s.actions.push("transact".into()),
            |s| s.causes.clear(),
            |s| (s.actions, s.causes) = (s.causes.clone(), s.actions.clone()),
            |s| s.state = "in_force".into(),
            |s| s.since = Timestamp::from_millis(0),
            |s| s.updated_at = Timestamp::from_millis(3),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }
}
