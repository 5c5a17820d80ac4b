//! What was said and no longer stands: a chain of entries, each with the digest of the one before
//! it, and beside it the domains for which something is withheld now.
//!
//! Numbers and digests are given by the engine inside the transaction that keeps an entry, by
//! [`link`]: nobody can put a second entry after the same one.

use contract::{Domain, Timestamp};
use serde::Serialize;

use crate::fingerprint::Fingerprint;
use crate::scans::check_size;
use crate::{BoxFuture, Digest, StoreError, words};

/// An entry that has no place in the chain yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRevocation {
    pub at: Timestamp,
    /// May lie before `at`: a fault reaches back.
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
pub struct KeptRevocation {
    /// From 1, without a gap.
    pub seq: u64,
    /// The digest of the entry before; nothing for the first.
    pub prev: Option<Digest>,
    /// Over the canonical JSON of the entry as it is served, without this member.
    pub entry_sha256: Digest,
    pub entry: NewRevocation,
}

/// What is withheld for a domain. It replaces what was known of that domain before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub domain: Domain,
    pub actions: Vec<String>,
    /// Empty where nothing is withheld any more.
    pub causes: Vec<String>,
    pub state: String,
    pub since: Timestamp,
    pub updated_at: Timestamp,
}

/// Which entries are asked for, the smallest number first. Without `after` and `since` they are
/// the newest `limit`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevocationsAsk {
    /// Only those with a greater number.
    pub after: Option<u64>,
    /// Only those written then or later.
    pub since: Option<Timestamp>,
    pub domain: Option<Domain>,
    pub kind: Option<String>,
    pub target_kind: Option<String>,
    pub limit: usize,
}

pub trait Revocations: Send + Sync {
    /// Adds entries to the chain and replaces standings, in one step, durable when this returns.
    /// Gives the entries back in their places.
    fn append_revocations(
        &self,
        entries: Vec<NewRevocation>,
        standings: Vec<Standing>,
    ) -> BoxFuture<'_, Result<Vec<KeptRevocation>, StoreError>>;

    fn last_revocation(&self) -> BoxFuture<'_, Result<Option<KeptRevocation>, StoreError>>;

    fn first_revocation(&self) -> BoxFuture<'_, Result<Option<KeptRevocation>, StoreError>>;

    fn revocations(
        &self,
        ask: RevocationsAsk,
    ) -> BoxFuture<'_, Result<Vec<KeptRevocation>, StoreError>>;

    /// Every entry about one thing, the smallest number first.
    fn revocations_of<'a>(
        &'a self,
        target_kind: &'a str,
        target_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<KeptRevocation>, StoreError>>;

    /// By domain: without a time those in force, with one all that were replaced then or later,
    /// those included that withhold nothing any more.
    fn standings(
        &self,
        since: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<Vec<Standing>, StoreError>>;

    fn standing<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<Standing>, StoreError>>;
}

/// An entry as it is served, without its own digest: what that digest is over.
#[derive(Serialize)]
struct Bare<'a> {
    seq: u64,
    at: Timestamp,
    effective_from: Timestamp,
    #[serde(rename = "type")]
    kind: &'a str,
    target: BareTarget<'a>,
    actions: &'a [String],
    reason: &'a str,
    why: &'a str,
    replaced_by: Option<Digest>,
    prev: Option<Digest>,
}

#[derive(Serialize)]
struct BareTarget<'a> {
    kind: &'a str,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<&'a Domain>,
}

/// The entry in its place after the last one.
pub fn link(
    last: Option<&KeptRevocation>,
    entry: NewRevocation,
) -> Result<KeptRevocation, StoreError> {
    let seq = last.map_or(1, |last| last.seq.saturating_add(1));
    let prev = last.map(|last| last.entry_sha256);
    let entry_sha256 = digest(seq, prev, &entry)?;
    Ok(KeptRevocation { seq, prev, entry_sha256, entry })
}

fn digest(seq: u64, prev: Option<Digest>, entry: &NewRevocation) -> Result<Digest, StoreError> {
    let bare = Bare {
        seq,
        at: entry.at,
        effective_from: entry.effective_from,
        kind: &entry.kind,
        target: BareTarget {
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
    /// Refuses what no engine could give back; called before it is written.
    pub fn check(&self) -> Result<(), StoreError> {
        words::check("actions", &self.actions)?;
        check_size("revocation", self.why.as_bytes())?;
        check_size("revocation", self.target_id.as_bytes())
    }
}

impl KeptRevocation {
    /// Fails unless the entry has the digest it is kept under: called by engines when they read.
    pub fn check(&self) -> Result<(), StoreError> {
        if digest(self.seq, self.prev, &self.entry)? == self.entry_sha256 {
            return Ok(());
        }
        let what = format!("revocation {}", self.seq);
        Err(StoreError::Damaged { what, why: String::from("its digest is another") })
    }
}

impl Standing {
    /// Whether something is withheld.
    #[must_use]
    pub fn is_in_force(&self) -> bool {
        !self.causes.is_empty()
    }

    /// A digest over everything in here, compared by engines when they read.
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

    /// Refuses what no engine could give back; called before it is written.
    pub fn check(&self) -> Result<(), StoreError> {
        words::check("actions", &self.actions)?;
        words::check("causes", &self.causes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::kept_domain;

    fn entry() -> NewRevocation {
        NewRevocation {
            at: Timestamp::from_millis(2_000),
            effective_from: Timestamp::from_millis(1_000),
            kind: "tightened".into(),
            target_kind: "answer".into(),
            target_id: "5b".into(),
            domain: Some(kept_domain("shop.lab").unwrap()),
            actions: vec!["read".into(), "cite".into()],
            reason: "site_changed".into(),
            why: "The policy file now disallows the path.".into(),
            replaced_by: Some(Digest::of(b"newer")),
        }
    }

    #[test]
    fn the_digest_is_over_the_entry_as_it_is_served() {
        let first = link(None, entry()).unwrap();
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
        let second = link(Some(&first), entry()).unwrap();
        assert_eq!((second.seq, second.prev), (2, Some(first.entry_sha256)));
        assert_ne!(second.entry_sha256, first.entry_sha256);
    }

    #[test]
    fn every_member_moves_the_digest() {
        let first = link(None, entry()).unwrap();
        let before = link(Some(&first), entry()).unwrap();
        before.check().unwrap();
        let changes: [fn(&mut KeptRevocation); 14] = [
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
        let before = Standing {
            domain: kept_domain("shop.lab").unwrap(),
            actions: vec!["connect".into()],
            causes: vec!["impersonation".into()],
            state: "suspended".into(),
            since: Timestamp::from_millis(1),
            updated_at: Timestamp::from_millis(2),
        };
        assert!(before.is_in_force());
        let changes: [fn(&mut Standing); 7] = [
            |s| s.domain = kept_domain("shop.lap").unwrap(),
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
