//! The signed revocation list (`/api/v1/revocations`): the domains with withheld actions, and a page of
//! the hash chain of revocation entries.

mod answer_revocations;
mod compromised_keys;
mod cursor;
#[doc(hidden)]
pub mod fuzzing;
mod query;
mod signed_lists;
#[cfg(test)]
pub(crate) use self::signed_lists::memory_testing;
#[cfg(test)]
mod tests;

use contract::records::{
    ClearedDomain, RevocationCoverage, RevocationEntry, RevocationHead, RevocationList,
    RevokedDomain,
};
use contract::{Domain, Timestamp};
use proof::{KeyPurpose, ProofError};
use serde_json::json;
use store::{RevocationState, RevocationsQuery, StoreError, StoredRevocation, WithheldActions};

pub(crate) use self::answer_revocations::withholds_the_same;
pub use self::answer_revocations::{AnswerRevocations, is_stricter, revocations_by_answer};
pub use self::query::{RevocationsPageQuery, RevocationsStart};
pub use self::signed_lists::SignedList;
pub(crate) use self::signed_lists::SignedListCache;

use self::cursor::RevocationCursor;
use self::signed_lists::CachedList;
use crate::answers::Answers;

/// `next_update` is this long after a list was made. An older list must be requested again.
pub(crate) const LIST_VALID_MS: i64 = 15 * 60_000;
/// An entry gets its time before it is stored. A query by time starts this much earlier, so that an
/// entry that was being stored when the last list was made is not missed.
const SINCE_OVERLAP_MS: i64 = 60_000;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RevocationsError {
    #[error("this service did not issue this cursor")]
    BadCursor,
    #[error("entries after this cursor are no longer stored; entries are stored from {0} on")]
    CursorExpired(String),
    #[error("the time is in the future")]
    FutureTime,
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Signing(#[from] ProofError),
}

impl Answers {
    /// The signed list. The same query gets the same document for five minutes, or until an entry is
    /// added.
    pub async fn revocation_list(
        &self,
        query: RevocationsPageQuery,
    ) -> Result<SignedList, RevocationsError> {
        let now = self.clock.now();
        let last = self.store.last_revocation().await?;
        let head = last.as_ref().map_or(0, |last| last.seq);
        if let Some(cached) = self.signed_lists.get(&query, head, now) {
            return Ok(cached);
        }
        let list = self.build_list(&query, last, now).await?;
        let signed = self.keys.sign_document(&list, KeyPurpose::Documents)?;
        let list = SignedList { bytes: signed.bytes.into(), digest: signed.digest };
        self.signed_lists.put(query, CachedList { head, made_at: now, list: list.clone() });
        Ok(list)
    }

    /// The actions withheld for a domain or one of its parent domains, and where the revocation feed ends.
    pub(crate) async fn find_revocation_state(
        &self,
        domain: &Domain,
    ) -> Result<(Option<WithheldActions>, String), StoreError> {
        let mut names = vec![domain.clone()];
        let mut rest = domain.as_str();
        while let Some((_, parent)) =
            rest.split_once('.').filter(|(_, parent)| parent.contains('.'))
        {
            names.push(store::scans::parse_stored_domain(parent)?);
            rest = parent;
        }
        let RevocationState { withheld, last } = self.store.revocation_state(names).await?;
        let in_force = withheld.into_iter().flatten().find(WithheldActions::is_in_force);
        Ok((in_force, RevocationCursor::after(last.as_ref()).to_string()))
    }

    async fn build_list(
        &self,
        query: &RevocationsPageQuery,
        last: Option<StoredRevocation>,
        now: Timestamp,
    ) -> Result<RevocationList, RevocationsError> {
        let coverage = self.revocation_coverage().await?;
        let since = match &query.from {
            RevocationsStart::Since(since) if *since > now.plus_millis(SINCE_OVERLAP_MS) => {
                return Err(RevocationsError::FutureTime);
            }
            RevocationsStart::Since(since) => Some(*since),
            _ => None,
        };
        let from_time = since.map(|since| since.plus_millis(-SINCE_OVERLAP_MS));
        let after = match &query.from {
            RevocationsStart::Cursor(text) => {
                Some(self.parse_revocation_cursor(text, last.as_ref(), &coverage).await?)
            }
            _ => None,
        };
        // One more than fits on the page shows whether there is a next page.
        let mut entries = self
            .store
            .revocations(RevocationsQuery {
                after,
                since: from_time,
                domain: query.domain.clone(),
                kind: query.entry_type.clone(),
                target_kind: query.target_kind.clone(),
                limit: query.limit.saturating_add(1),
            })
            .await?;
        let excess = entries.len().saturating_sub(query.limit);
        let has_more = excess > 0 && (after.is_some() || from_time.is_some());
        if has_more {
            entries.truncate(query.limit);
        } else {
            entries.drain(..excess);
        }
        let last_shown = if has_more { entries.last() } else { last.as_ref() };
        let cursor = RevocationCursor::after(last_shown).to_string();
        let withheld = self.store.withheld_actions(from_time).await?;
        let (in_force, cleared): (Vec<_>, Vec<_>) =
            withheld.into_iter().partition(WithheldActions::is_in_force);
        let (brand, base_url) = (&self.issuer.brand, &self.issuer.base_url);
        Ok(RevocationList {
            kind: brand.kind("revocations"),
            v: 1,
            schema: contract::schema::schema_url("revocations", brand, base_url),
            generated_at: now,
            seq: last.as_ref().map_or(0, |last| last.seq),
            since,
            delta_complete: since
                .is_none_or(|since| coverage.complete && coverage.from.is_some_and(|f| f <= since)),
            revoked: in_force.iter().map(to_revoked_domain).collect::<Result<_, _>>()?,
            cleared: cleared
                .into_iter()
                .map(|cleared| ClearedDomain { domain: cleared.domain })
                .collect(),
            this_update: now,
            next_update: now.plus_millis(LIST_VALID_MS),
            from_cursor: match &query.from {
                RevocationsStart::Cursor(text) => Some(text.clone()),
                _ => None,
            },
            cursor,
            has_more,
            head: last.map(|last| RevocationHead {
                seq: last.seq,
                entry_sha256: last.entry_sha256.to_hex(),
            }),
            coverage,
            entries: entries.iter().map(to_wire_entry).collect::<Result<_, _>>()?,
            sha256: None,
            signature: None,
        })
    }

    /// The sequence number in a cursor, if this service issued the cursor.
    async fn parse_revocation_cursor(
        &self,
        text: &str,
        last: Option<&StoredRevocation>,
        coverage: &RevocationCoverage,
    ) -> Result<u64, RevocationsError> {
        let cursor = RevocationCursor::parse(text).ok_or(RevocationsError::BadCursor)?;
        let first = self.store.first_revocation().await?.map_or(1, |first| first.seq);
        if cursor.seq > last.map_or(0, |last| last.seq) {
            return Err(RevocationsError::BadCursor);
        }
        if cursor.seq.saturating_add(1) < first {
            let from = coverage.from.map_or_else(|| "later".to_owned(), |from| from.to_string());
            return Err(RevocationsError::CursorExpired(from));
        }
        if let Some(before) = cursor.seq.checked_sub(1) {
            let query =
                RevocationsQuery { after: Some(before), limit: 1, ..RevocationsQuery::default() };
            let entry = self.store.revocations(query).await?.pop();
            // If the entry itself is no longer stored, only the number can be checked.
            let is_ours =
                entry.is_none_or(|entry| entry.seq != cursor.seq || cursor.is_after(&entry));
            if !is_ours {
                return Err(RevocationsError::BadCursor);
            }
        }
        Ok(cursor.seq)
    }

    /// From which time on the chain is complete. An entry is stored in one transaction with the answer
    /// that causes it, so until the first entries are removed the chain is complete from the start of
    /// the log.
    async fn revocation_coverage(&self) -> Result<RevocationCoverage, StoreError> {
        let log_start = self.store.heads(0, 1).await?.first().and_then(|head| {
            let head: serde_json::Value = serde_json::from_slice(head).ok()?;
            head.get("created_at")?.as_str()?.parse::<Timestamp>().ok()
        });
        let first = self.store.first_revocation().await?;
        let complete = first.as_ref().is_none_or(|first| first.seq == 1);
        let from = match (log_start, &first) {
            // Earlier entries were removed.
            (_, Some(first)) if !complete => Some(first.entry.at),
            (Some(log_start), Some(first)) => Some(log_start.min(first.entry.at)),
            (log_start, first) => log_start.or_else(|| first.as_ref().map(|first| first.entry.at)),
        };
        let retained_days = Some(self.retention.revocation_days);
        Ok(RevocationCoverage { from, retained_days, complete })
    }
}

fn damaged_error(what: String, error: &serde_json::Error) -> StoreError {
    StoreError::Damaged { what, why: error.to_string() }
}

/// An entry as it is served. `entry_sha256` is the digest of exactly these members.
pub(crate) fn to_wire_entry(stored: &StoredRevocation) -> Result<RevocationEntry, StoreError> {
    let StoredRevocation { seq, prev, entry_sha256, entry } = stored;
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
    serde_json::from_value(value)
        .map_err(|error| damaged_error(format!("revocation {seq}"), &error))
}

fn to_revoked_domain(withheld: &WithheldActions) -> Result<RevokedDomain, StoreError> {
    let value = json!({
        "domain": withheld.domain,
        "actions": withheld.actions,
        "causes": withheld.causes,
        "state": withheld.state,
        "since": withheld.since,
        "updated_at": withheld.updated_at,
    });
    let what = || format!("withheld actions of {}", withheld.domain);
    serde_json::from_value(value).map_err(|error| damaged_error(what(), &error))
}
