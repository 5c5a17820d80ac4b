//! What the holder of a licence sees of it and does with it: keys, usage, scans, and everything that is
//! stored, as a file or to be deleted.

use std::collections::BTreeMap;

use contract::{Day, Month, Timestamp};
use serde_json::{Value, json};
use store::{Licence, LicenceScan, LicensedDomains, ScanDeletion, StoreError, StoredKey, UsageRow};

use crate::access::Access;
use crate::access::licence::{self, LicenceError, RotatedKey};

/// Days of usage that are shown by default, today included.
pub const USAGE_DAYS: i64 = 31;
/// Days of usage that can be asked for.
pub const MAX_USAGE_DAYS: i64 = 400;
/// Scans of one page of an account.
pub const SCANS_PER_PAGE: usize = 50;
/// Scans that an export lists, the newest first.
const MAX_EXPORTED_SCANS: usize = 20_000;

/// What names a key on pages and in forms. It gives no access.
#[must_use]
pub fn key_id(key: &StoredKey) -> String {
    key.key_sha256.to_string().chars().take(16).collect()
}

/// The calls of a licence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageReport {
    pub first: Day,
    pub last: Day,
    /// By day and operation, in this order.
    pub rows: Vec<UsageRow>,
}

impl UsageReport {
    /// The calls of every operation, most first.
    #[must_use]
    pub fn by_operation(&self) -> Vec<(String, u64)> {
        let mut totals = BTreeMap::<&str, u64>::new();
        for row in &self.rows {
            let total = totals.entry(&row.operation).or_default();
            *total = total.saturating_add(row.calls);
        }
        let mut totals: Vec<(String, u64)> =
            totals.into_iter().map(|(name, calls)| (name.to_owned(), calls)).collect();
        totals.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(&two.0)));
        totals
    }
}

/// Why something cannot be done to an account.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    #[error("this licence has no such key")]
    NoSuchKey,
    #[error("this is the last valid key of the licence; make a new one first")]
    LastKey,
    #[error("this licence has as many valid keys as it may have; revoke one first")]
    TooManyKeys,
    #[error("this licence is no longer valid")]
    Ended,
    #[error(transparent)]
    Store(StoreError),
    #[error("{0}")]
    Internal(String),
}

impl From<StoreError> for AccountError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LimitReached { .. } => Self::TooManyKeys,
            error => Self::Store(error),
        }
    }
}

impl From<LicenceError> for AccountError {
    fn from(error: LicenceError) -> Self {
        match error {
            LicenceError::Store(error) => error.into(),
            error => Self::Internal(error.to_string()),
        }
    }
}

impl Access {
    /// All keys of a licence that are stored, oldest first.
    pub async fn keys(&self, licence: &Licence) -> Result<Vec<StoredKey>, StoreError> {
        self.store.keys_of(&licence.id).await
    }

    /// Makes a new key; the others end after the overlap.
    pub async fn rotate_key(
        &self,
        licence: &Licence,
        overlap_hours: u32,
    ) -> Result<RotatedKey, AccountError> {
        let (store, now) = (self.store.as_ref(), self.clock.now());
        let ids = self.ids.as_ref();
        let rotated = licence::rotate_key(store, ids, now, &licence.id, overlap_hours).await?;
        let rotated = rotated.ok_or(AccountError::Ended)?;
        let detail = json!({
            "new_key": rotated.key.recognisable_prefix(),
            "others_end_at": rotated.others_end_at,
        });
        self.record_holder_action(&licence.id, "licence.rotate", detail).await?;
        Ok(rotated)
    }

    /// Revokes one key by its [`key_id`]. The last valid one stays, so that nobody locks themselves out.
    pub async fn revoke_key(&self, licence: &Licence, id: &str) -> Result<(), AccountError> {
        let (now, keys) = (self.clock.now(), self.keys(licence).await?);
        let key = keys.iter().find(|key| key_id(key) == id).ok_or(AccountError::NoSuchKey)?;
        let lasting =
            |other: &&StoredKey| other.is_valid(now) && other.key_sha256 != key.key_sha256;
        if !keys.iter().any(|other| lasting(&other)) {
            return Err(AccountError::LastKey);
        }
        self.store.revoke_key(key.key_sha256, now.whole_seconds()).await?;
        let detail = json!({ "key": key.prefix });
        self.record_holder_action(&licence.id, "licence.revoke_key", detail).await?;
        Ok(())
    }

    /// The calls of the last so many days, today included.
    pub async fn usage(&self, licence: &Licence, days: i64) -> Result<UsageReport, StoreError> {
        let last = Day::of(self.clock.now());
        let first = Day::from_number(last.number() - days.clamp(1, MAX_USAGE_DAYS) + 1);
        let rows = self.store.usage_of(&licence.id, first, last).await?;
        Ok(UsageReport { first, last, rows })
    }

    /// The calls of the current month so far.
    pub async fn usage_of_month(&self, licence: &Licence) -> Result<UsageReport, StoreError> {
        let now = self.clock.now();
        let (first, last) = (Day::of(Month::of(now).begins_at()), Day::of(now));
        let rows = self.store.usage_of(&licence.id, first, last).await?;
        Ok(UsageReport { first, last, rows })
    }

    /// The scans that were made for a licence, newest first.
    pub async fn scans_of(
        &self,
        licence: &Licence,
        before: Option<u64>,
    ) -> Result<Vec<LicenceScan>, StoreError> {
        self.store.scans_of_licence(&licence.id, before, SCANS_PER_PAGE).await
    }

    /// Everything that is stored about a licence and its holder, as JSON. Keys and sessions are listed by
    /// what names them, because only digests of them are stored.
    pub async fn export_account(&self, licence: &Licence) -> Result<Value, StoreError> {
        let now = self.clock.now();
        let keys = self.keys(licence).await?;
        let sessions = self.store.sessions_of(&licence.id).await?;
        let usage = self.usage(licence, MAX_USAGE_DAYS).await?;
        let webhooks = self.store.webhooks_of(&licence.id).await?;
        let mut scans = Vec::new();
        let mut before = None;
        while scans.len() < MAX_EXPORTED_SCANS {
            let page = self.store.scans_of_licence(&licence.id, before, 1_000).await?;
            let Some(last) = page.last() else { break };
            before = Some(last.seq);
            scans.extend(page);
        }
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
        Ok(json!({
            "exported_at": now.whole_seconds(),
            "licence": {
                "id": licence.id,
                "plan": licence.plan,
                "domains": domains_json(&licence.domains),
                "label": licence.label,
                "created_at": licence.created_at,
                "expires_at": time(licence.expires_at),
                "last_used": licence.last_used,
                "asked_for_by_mail": licence.mailbox.is_some(),
            },
            "keys": keys.iter().map(|key| json!({
                "id": key_id(key),
                "prefix": key.prefix,
                "created_at": key.created_at,
                "expires_at": time(key.expires_at),
                "revoked_at": time(key.revoked_at),
            })).collect::<Vec<_>>(),
            "sessions": sessions.iter().map(|session| json!({
                "id": super::sessions::session_id(session),
                "client": session.client,
                "created_at": session.created_at,
                "last_seen_at": session.last_seen_at,
                "expires_at": session.expires_at,
            })).collect::<Vec<_>>(),
            "calls": usage.rows.iter().map(|row| json!({
                "day": row.day,
                "operation": row.operation,
                "calls": row.calls,
            })).collect::<Vec<_>>(),
            "scans": scans.iter().map(|scan| json!({
                "id": scan.scan.id,
                "domain": scan.scan.domain,
                "scanned_at": scan.scan.scanned_at,
                "visibility": scan.scan.visibility.as_str(),
                "grade": scan.scan.grade,
            })).collect::<Vec<_>>(),
            "webhooks": webhooks.iter().map(|webhook| json!({
                "id": webhook.id,
                "url": webhook.url,
                "events": webhook.events,
                "created_at": webhook.created_at,
                "disabled_at": time(webhook.disabled_at),
            })).collect::<Vec<_>>(),
        }))
    }

    /// Deletes everything that is stored about a licence and its holder. The licence is revoked. Private and
    /// unlisted scans are deleted with their evidence; public ones stay, without saying for whom they were
    /// made.
    pub async fn delete_account(&self, licence: &Licence) -> Result<(), AccountError> {
        let now = self.clock.now().whole_seconds();
        // First, so that it is known who ended the licence even if the rest is interrupted.
        self.record_holder_action(&licence.id, "licence.delete_data", json!({})).await?;
        loop {
            let deleted = self.store.delete_licence_data(&licence.id, now).await?;
            let Some(deleted) = deleted else { return Err(AccountError::Ended) };
            if deleted.hidden_scans.is_empty() {
                return Ok(());
            }
            for id in deleted.hidden_scans {
                self.delete_hidden_scan(&id).await?;
            }
        }
    }

    async fn delete_hidden_scan(&self, id: &str) -> Result<(), AccountError> {
        let deletion = ScanDeletion {
            id: id.to_owned(),
            deleted_at: self.clock.now().whole_seconds(),
            reason: None,
            dry_run: false,
        };
        self.store.delete_scan(deletion).await?;
        Ok(())
    }
}

/// Null means every domain.
fn domains_json(domains: &LicensedDomains) -> Value {
    match domains {
        LicensedDomains::All => Value::Null,
        LicensedDomains::Only(domains) => json!(domains),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(day: i64, operation: &str, calls: u64) -> UsageRow {
        let day = Day::from_number(day);
        UsageRow { licence_id: "l".into(), day, operation: operation.into(), calls }
    }

    #[test]
    fn operations_are_summed_and_the_most_used_comes_first() {
        let rows = vec![row(1, "a", 2), row(1, "b", 3), row(2, "a", 2), row(2, "c", 3)];
        let report = UsageReport { first: Day::from_number(1), last: Day::from_number(2), rows };
        let expected = [("a", 4), ("b", 3), ("c", 3)];
        assert_eq!(report.by_operation(), expected.map(|(name, calls)| (name.to_owned(), calls)));
    }

    #[test]
    fn what_names_a_key_is_not_the_key() {
        let key = StoredKey {
            key_sha256: store::Digest::of(b"wl_x"),
            licence_id: "l".into(),
            prefix: "wl_x".into(),
            created_at: Timestamp::from_millis(0),
            expires_at: None,
            revoked_at: None,
        };
        assert_eq!(key_id(&key).len(), 16);
    }
}
