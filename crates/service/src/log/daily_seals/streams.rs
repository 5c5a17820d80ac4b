//! Which records a daily seal covers: one stream per kind of record.

use proof::Digest;
use store::scans::record_digest;
use store::{BoxFuture, Day, ScanCursor, StoreError, Visibility};

use super::conduct_day::{conduct_day_digest, conduct_day_record};
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
    RecordStream { name: "accuracy", digests: |seals, day| Box::pin(accuracy_digests(seals, day)) },
    RecordStream { name: "conduct", digests: |seals, day| Box::pin(conduct_digests(seals, day)) },
];

const PAGE_SIZE: usize = 256;

/// The digests of the day's public and unlisted scans, also of those that were deleted since. Private
/// ones are not sealed.
async fn scan_digests(seals: &DailySeals, day: Day) -> Result<Vec<Digest>, DaySealError> {
    let mut digests = stored_scan_digests(seals, day).await?;
    // Read last: a scan that is deleted in between is found here.
    digests.extend(seals.store.deleted_digests(day).await?);
    digests.sort();
    digests.dedup();
    Ok(digests)
}

async fn stored_scan_digests(seals: &DailySeals, day: Day) -> Result<Vec<Digest>, DaySealError> {
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

/// The digests of what AI engines said about businesses on that day.
async fn accuracy_digests(seals: &DailySeals, day: Day) -> Result<Vec<Digest>, DaySealError> {
    let mut digests = Vec::new();
    for digest in seals.store.accuracy_digests(day).await? {
        match seals.store.accuracy_by_digest(digest).await {
            Ok(found) => digests.extend(found.map(|found| found.sha256)),
            // A damaged record cannot be sealed, and must not block the others.
            Err(error @ StoreError::Damaged { .. }) => {
                tracing::error!(%error, "a damaged record is not sealed");
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(digests)
}

/// The digest of the day's counts of agents on our own site: one record, if anything was counted.
async fn conduct_digests(seals: &DailySeals, day: Day) -> Result<Vec<Digest>, DaySealError> {
    let record = match seals.store.conduct_day(day).await {
        Ok(Some(stored)) => conduct_day_record(&seals.issuer, &stored),
        Ok(None) => return Ok(Vec::new()),
        Err(error) => Err(error),
    };
    match record {
        Ok(record) => Ok(vec![conduct_day_digest(&record)?]),
        // A damaged record cannot be sealed, and must not block the others.
        Err(error @ StoreError::Damaged { .. }) => {
            tracing::error!(%error, "a damaged record is not sealed");
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}

impl DailySeals {
    /// The day of the first scan, outcome report, count of agents or accuracy record: sealing begins there.
    pub(super) async fn first_day_with_records(&self) -> Result<Option<Day>, DaySealError> {
        let first = self.store.export_scans(None, 1).await?;
        let scanned = first.first().map(|row| Day::of(row.scanned_at));
        let deleted = self.store.first_deleted_day().await?;
        let reported = self.store.first_outcome_day().await?;
        let counted = self.store.list_conduct_days(None, 1).await?.first().copied();
        let measured = self.store.first_accuracy_day().await?;
        let days = [scanned, deleted, reported, counted, measured];
        Ok(days.into_iter().flatten().min())
    }
}
