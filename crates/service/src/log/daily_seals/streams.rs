//! Which records a daily seal covers: one stream per kind of record.

use proof::Digest;
use serde::Deserialize;
use store::{BoxFuture, Day, ScanCursor, StoreError, Visibility};

use super::outcome_day::outcome_day_digest;
use super::{DailySeals, DaySealError};

/// A kind of record, and how to find the digests of one day.
pub(super) struct RecordStream {
    pub(super) name: &'static str,
    pub(super) digests: FindDigests,
}

type FindDigests =
    for<'a> fn(&'a DailySeals, Day) -> BoxFuture<'a, Result<Vec<Digest>, DaySealError>>;

/// Every stream. To seal another kind of record, add a line.
pub(super) const RECORD_STREAMS: &[RecordStream] = &[
    RecordStream { name: "scans", digests: |seals, day| Box::pin(scan_digests(seals, day)) },
    RecordStream { name: "outcomes", digests: |seals, day| Box::pin(outcome_digests(seals, day)) },
];

const PAGE_SIZE: usize = 256;

/// The digests of the day's public and unlisted scans. Private ones are not sealed.
async fn scan_digests(seals: &DailySeals, day: Day) -> Result<Vec<Digest>, DaySealError> {
    let mut digests = Vec::new();
    // No id is empty, so this cursor is before the day's first scan.
    let mut after = ScanCursor { scanned_at: day.begins_at(), id: String::new() };
    loop {
        let page = seals.store.export_scans(Some(after), PAGE_SIZE).await?;
        let Some(last) = page.last() else { return Ok(digests) };
        after = last.cursor();
        for row in &page {
            if row.scanned_at >= day.ends_at() {
                return Ok(digests);
            }
            if row.visibility == Visibility::Private {
                continue;
            }
            match seals.store.scan(&row.id).await {
                Ok(Some(scan)) => match record_digest(&scan.record) {
                    Some(digest) => digests.push(digest),
                    None => tracing::error!(id = row.id, "a record without a digest is not sealed"),
                },
                Ok(None) => {}
                // A damaged record cannot be sealed, and must not block the others.
                Err(error @ StoreError::Damaged { .. }) => {
                    tracing::error!(%error, "a damaged record is not sealed");
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The digests of the day's outcome counts, one record per domain.
async fn outcome_digests(seals: &DailySeals, day: Day) -> Result<Vec<Digest>, DaySealError> {
    let mut digests = Vec::new();
    let mut after = None;
    loop {
        let page = seals.store.outcome_days(day, after, PAGE_SIZE).await?;
        let Some((last, _)) = page.last() else { return Ok(digests) };
        after = Some(last.clone());
        for (domain, tally) in &page {
            digests.push(outcome_day_digest(&seals.issuer, domain, day, tally)?);
        }
    }
}

/// The `sha256` member of a stored record.
pub(super) fn record_digest(record: &[u8]) -> Option<Digest> {
    #[derive(Deserialize)]
    struct Named {
        sha256: Digest,
    }
    serde_json::from_slice::<Named>(record).ok().map(|named| named.sha256)
}

impl DailySeals {
    /// The day of the first stored scan or outcome report: sealing begins there.
    pub(super) async fn first_day_with_records(&self) -> Result<Option<Day>, DaySealError> {
        let first = self.store.export_scans(None, 1).await?;
        let scanned = first.first().map(|row| Day::of(row.scanned_at));
        let reported = self.store.first_outcome_day().await?;
        Ok(scanned.into_iter().chain(reported).min())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_records_own() {
        let digest = proof::sha256(b"x");
        let record = format!(r#"{{"id":"a","nested":{{"sha256":"no"}},"sha256":"{digest}"}}"#);
        assert_eq!(record_digest(record.as_bytes()), Some(digest));
        for other in ["{}", "", "[]", r#"{"sha256":"abc"}"#, r#"{"sha256":null}"#] {
            assert_eq!(record_digest(other.as_bytes()), None, "{other}");
        }
    }
}
