//! The signed list of what no longer stands: the domains for which something is withheld, and a page
//! of the chain of revocations.

mod cursor;
mod entries;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::records::{
    ClearedDomain, RevocationCoverage, RevocationEntry, RevocationHead, RevocationList,
    RevokedDomain,
};
use contract::{Domain, Timestamp, limits};
use proof::{KeyPurpose, ProofError, SignedDocument};
use serde_json::json;
use store::{KeptRevocation, RevocationsAsk, Standing, StoreError};

pub use self::entries::{Entries, revocation_entries};

use self::cursor::Cursor;
use crate::Service;

/// A list is good for this long; one that is older is not the newest.
pub(crate) const GOOD_MILLIS: i64 = 15 * 60_000;
/// Made anew long before that, so that nobody is handed one that is about to end.
const REISSUED_MILLIS: i64 = 5 * 60_000;
/// An entry has its time before it is kept. Whoever asks for what came since a list was made also
/// gets what was on its way then.
const OVERLAP_MILLIS: i64 = 60_000;
/// Lists that are kept signed, by what was asked.
const KEPT_LISTS: usize = 64;

/// Which list is asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RevocationsAsked {
    pub from: RevocationsFrom,
    pub limit: usize,
    pub domain: Option<Domain>,
    /// Words of `RevocationType` and `RevocationTargetKind`.
    pub what: Option<String>,
    pub target_kind: Option<String>,
}

/// Where the entries begin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RevocationsFrom {
    /// The newest ones.
    Newest,
    Cursor(String),
    Since(Timestamp),
}

impl Default for RevocationsAsked {
    fn default() -> Self {
        Self {
            from: RevocationsFrom::Newest,
            limit: limits::REVOCATIONS_PAGE,
            domain: None,
            what: None,
            target_kind: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RevocationsError {
    #[error("it is not a cursor of this list")]
    BadCursor,
    #[error("what came after this cursor is no longer kept; entries are kept from {0} on")]
    CursorExpired(String),
    #[error("a time that has not come yet")]
    NotYet,
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Signing(#[from] ProofError),
}

/// Lists that were signed, as long as nothing came since. Guarded by its own lock, which is held for
/// a look alone.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    kept: Mutex<BTreeMap<RevocationsAsked, Kept>>,
}

#[derive(Debug, Clone)]
struct Kept {
    head: u64,
    made_at: Timestamp,
    document: Arc<SignedDocument>,
}

impl Service {
    /// The list, signed. The same question gets the same list until an entry comes, for five
    /// minutes.
    pub async fn revocation_list(
        &self,
        ask: RevocationsAsked,
    ) -> Result<Arc<SignedDocument>, RevocationsError> {
        let now = self.clock.now();
        let last = self.store.last_revocation().await?;
        let head = last.as_ref().map_or(0, |last| last.seq);
        if let Some(kept) = self.revocations.get(&ask, head, now) {
            return Ok(kept);
        }
        let list = self.list(&ask, last, now).await?;
        let document = Arc::new(self.sign_document(&list, KeyPurpose::Documents)?);
        self.revocations.put(ask, Kept { head, made_at: now, document: Arc::clone(&document) });
        Ok(document)
    }

    /// Where to begin listening from now on.
    pub(crate) async fn revocation_cursor(&self) -> Result<String, StoreError> {
        Ok(Cursor::after(self.store.last_revocation().await?.as_ref()).to_string())
    }

    /// What is withheld for a domain, or for one that it is under.
    pub(crate) async fn withheld(&self, domain: &Domain) -> Result<Option<Standing>, StoreError> {
        let mut name = domain.as_str();
        while name.contains('.') {
            let found = self.store.standing(&store::scans::kept_domain(name)?).await?;
            if let Some(standing) = found.filter(Standing::is_in_force) {
                return Ok(Some(standing));
            }
            name = name.split_once('.').map_or("", |(_, parent)| parent);
        }
        Ok(None)
    }

    async fn list(
        &self,
        ask: &RevocationsAsked,
        last: Option<KeptRevocation>,
        now: Timestamp,
    ) -> Result<RevocationList, RevocationsError> {
        let coverage = self.revocation_coverage().await?;
        let since = match &ask.from {
            RevocationsFrom::Since(since) if *since > now.plus_millis(OVERLAP_MILLIS) => {
                return Err(RevocationsError::NotYet);
            }
            RevocationsFrom::Since(since) => Some(*since),
            _ => None,
        };
        let reach = since.map(|since| since.plus_millis(-OVERLAP_MILLIS));
        let after = match &ask.from {
            RevocationsFrom::Cursor(text) => {
                Some(self.revocation_place(text, last.as_ref(), &coverage).await?)
            }
            _ => None,
        };
        // One more than is shown tells whether there is more.
        let mut entries = self
            .store
            .revocations(RevocationsAsk {
                after,
                since: reach,
                domain: ask.domain.clone(),
                kind: ask.what.clone(),
                target_kind: ask.target_kind.clone(),
                limit: ask.limit.saturating_add(1),
            })
            .await?;
        let over = entries.len().saturating_sub(ask.limit);
        let has_more = over > 0 && (after.is_some() || reach.is_some());
        if has_more {
            entries.truncate(ask.limit);
        } else {
            entries.drain(..over);
        }
        let shown = if has_more { entries.last() } else { last.as_ref() };
        let cursor = Cursor::after(shown).to_string();
        let standings = self.store.standings(reach).await?;
        let (in_force, cleared): (Vec<_>, Vec<_>) =
            standings.into_iter().partition(Standing::is_in_force);
        let (brand, base_url) = (&self.settings.brand, &self.settings.base_url);
        Ok(RevocationList {
            kind: brand.kind("revocations"),
            v: 1,
            schema: contract::schema::address("revocations", brand, base_url),
            generated_at: now,
            seq: last.as_ref().map_or(0, |last| last.seq),
            since,
            delta_complete: since
                .is_none_or(|since| coverage.complete && coverage.from.is_some_and(|f| f <= since)),
            revoked: in_force.iter().map(revoked).collect::<Result<_, _>>()?,
            cleared: cleared
                .into_iter()
                .map(|standing| ClearedDomain { domain: standing.domain })
                .collect(),
            this_update: now,
            next_update: now.plus_millis(GOOD_MILLIS),
            from_cursor: match &ask.from {
                RevocationsFrom::Cursor(text) => Some(text.clone()),
                _ => None,
            },
            cursor,
            has_more,
            head: last.map(|last| RevocationHead {
                seq: last.seq,
                entry_sha256: last.entry_sha256.to_hex(),
            }),
            coverage,
            entries: entries.iter().map(wire).collect::<Result<_, _>>()?,
            sha256: None,
            signature: None,
        })
    }

    /// The number that a cursor stands behind, if it is one of ours.
    async fn revocation_place(
        &self,
        text: &str,
        last: Option<&KeptRevocation>,
        coverage: &RevocationCoverage,
    ) -> Result<u64, RevocationsError> {
        let cursor = Cursor::parse(text).ok_or(RevocationsError::BadCursor)?;
        let first = self.store.first_revocation().await?.map_or(1, |first| first.seq);
        if cursor.seq > last.map_or(0, |last| last.seq) {
            return Err(RevocationsError::BadCursor);
        }
        if cursor.seq.saturating_add(1) < first {
            let from = coverage.from.map_or_else(|| "later".to_owned(), |from| from.to_string());
            return Err(RevocationsError::CursorExpired(from));
        }
        if let Some(before) = cursor.seq.checked_sub(1) {
            let ask = RevocationsAsk { after: Some(before), limit: 1, ..RevocationsAsk::default() };
            let entry = self.store.revocations(ask).await?.pop();
            // The entry itself may be the last that was removed: then its number must do.
            let ours = entry.is_none_or(|entry| entry.seq != cursor.seq || cursor.is_after(&entry));
            if !ours {
                return Err(RevocationsError::BadCursor);
            }
        }
        Ok(cursor.seq)
    }

    /// What silence means: everything since the log began is in the chain, because an entry is kept
    /// in one step with the answer that makes it.
    async fn revocation_coverage(&self) -> Result<RevocationCoverage, StoreError> {
        let begun = self.store.heads(0, 1).await?.first().and_then(|head| {
            let head: serde_json::Value = serde_json::from_slice(head).ok()?;
            head.get("created_at")?.as_str()?.parse::<Timestamp>().ok()
        });
        let first = self.store.first_revocation().await?;
        let from = match (begun, &first) {
            (Some(begun), Some(first)) => Some(begun.min(first.entry.at)),
            (begun, first) => begun.or_else(|| first.as_ref().map(|first| first.entry.at)),
        };
        let complete = first.is_none_or(|first| first.seq == 1);
        Ok(RevocationCoverage { from, retained_days: None, complete })
    }
}

impl Lists {
    fn get(
        &self,
        ask: &RevocationsAsked,
        head: u64,
        now: Timestamp,
    ) -> Option<Arc<SignedDocument>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.get(ask)?;
        let good =
            kept.head == head && (0..REISSUED_MILLIS).contains(&now.millis_since(kept.made_at));
        good.then(|| Arc::clone(&kept.document))
    }

    fn put(&self, ask: RevocationsAsked, list: Kept) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_LISTS {
            kept.clear();
        }
        kept.insert(ask, list);
    }
}

fn unreadable(what: String, error: &serde_json::Error) -> StoreError {
    StoreError::Damaged { what, why: error.to_string() }
}

/// An entry as it is served; its digest is over just this.
pub(crate) fn wire(kept: &KeptRevocation) -> Result<RevocationEntry, StoreError> {
    let KeptRevocation { seq, prev, entry_sha256, entry } = kept;
    let mut target = json!({ "kind": entry.target_kind, "id": entry.target_id });
    if let (Some(domain), Some(members)) = (&entry.domain, target.as_object_mut()) {
        members.insert("domain".to_owned(), json!(domain));
    }
    let value = json!({
        "seq": seq,
        "at": entry.at,
        "effective_from": entry.effective_from,
        "type": entry.kind,
        "target": target,
        "actions": entry.actions,
        "reason": entry.reason,
        "why": entry.why,
        "replaced_by": entry.replaced_by,
        "prev": prev,
        "entry_sha256": entry_sha256,
    });
    serde_json::from_value(value).map_err(|error| unreadable(format!("revocation {seq}"), &error))
}

fn revoked(standing: &Standing) -> Result<RevokedDomain, StoreError> {
    let value = json!({
        "domain": standing.domain,
        "actions": standing.actions,
        "causes": standing.causes,
        "state": standing.state,
        "since": standing.since,
        "updated_at": standing.updated_at,
    });
    let what = || format!("the standing of {}", standing.domain);
    serde_json::from_value(value).map_err(|error| unreadable(what(), &error))
}
