//! What is sealed of a day: one stream for each kind of record.

use proof::Digest;
use serde::Deserialize;
use store::{BoxFuture, Day, ScanCursor, StoreError, Visibility};

use super::DaySealError;
use crate::Service;

/// A kind of record, and how to find its digests of one day.
pub(super) struct Stream {
    pub(super) name: &'static str,
    pub(super) digests: Find,
}

type Find = for<'a> fn(&'a Service, Day) -> BoxFuture<'a, Result<Vec<Digest>, DaySealError>>;

/// Every stream. One more line, and another kind of record is sealed.
pub(super) const STREAMS: &[Stream] = &[
    Stream { name: "scans", digests: |service, day| Box::pin(scans(service, day)) },
    Stream { name: "outcomes", digests: |service, day| Box::pin(outcomes(service, day)) },
];

const PAGE: usize = 256;

/// The records of the day's scans, public and unlisted. A private one is nobody's business.
async fn scans(service: &Service, day: Day) -> Result<Vec<Digest>, DaySealError> {
    let mut digests = Vec::new();
    // No id is empty, so this stands before the day's first scan.
    let mut after = ScanCursor { scanned_at: day.begins_at(), id: String::new() };
    loop {
        let page = service.store.export_scans(Some(after), PAGE).await?;
        let Some(last) = page.last() else { return Ok(digests) };
        after = last.cursor();
        for row in &page {
            if row.scanned_at >= day.ends_at() {
                return Ok(digests);
            }
            if row.visibility == Visibility::Private {
                continue;
            }
            match service.store.scan(&row.id).await {
                Ok(Some(scan)) => match record_digest(&scan.record) {
                    Some(digest) => digests.push(digest),
                    None => tracing::error!(id = row.id, "a record without a digest is not sealed"),
                },
                Ok(None) => {}
                // What cannot be served cannot be sealed, and must not hold up the others.
                Err(error @ StoreError::Damaged { .. }) => {
                    tracing::error!(%error, "a damaged record is not sealed");
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The counts of the day's outcome reports, one record for each domain.
async fn outcomes(service: &Service, day: Day) -> Result<Vec<Digest>, DaySealError> {
    let mut digests = Vec::new();
    let mut after = None;
    loop {
        let page = service.store.outcome_days(day, after, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(digests) };
        after = Some(last.clone());
        for (domain, tally) in &page {
            digests.push(service.outcome_day_digest(domain, day, tally)?);
        }
    }
}

/// The `sha256` member of a kept record.
pub(super) fn record_digest(record: &[u8]) -> Option<Digest> {
    #[derive(Deserialize)]
    struct Named {
        sha256: Digest,
    }
    serde_json::from_slice::<Named>(record).ok().map(|named| named.sha256)
}

impl Service {
    /// The day of the first scan or report that is kept: sealing begins there.
    pub(super) async fn first_kept_day(&self) -> Result<Option<Day>, DaySealError> {
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
