//! Finds a record by its digest before its day is sealed. The store has no index of these digests, so they are
//! kept here: each record is read once, when the first look-up after it was stored needs it.

use std::collections::{BTreeMap, HashMap};

use contract::Day;
use proof::Digest;
use store::scans::record_digest;
use store::{ScanCursor, ScanRow, StoreError, Visibility};

use super::{DailySeals, DaySealError};

/// A scan is stored after the time that it is listed under, but not later than this.
const STORED_LATE_MS: i64 = 10 * 60_000;
/// Digests that are kept, about 20 MB. Of more, the oldest are not found before they are sealed.
const MAX_KEPT: usize = 100_000;
const PAGE_SIZE: usize = 256;

/// The digests of the records whose day is not sealed. One look-up at a time brings them up to date.
#[derive(Debug, Default)]
pub(crate) struct UnsealedScans {
    known: tokio::sync::Mutex<KnownScans>,
}

#[derive(Debug, Default)]
struct KnownScans {
    /// `None`: it is in no seal.
    by_time: BTreeMap<ScanCursor, Option<Digest>>,
    days: HashMap<Digest, Day>,
}

impl KnownScans {
    fn add(&mut self, cursor: ScanCursor, digest: Option<Digest>) {
        if let Some(digest) = digest {
            self.days.insert(digest, Day::of(cursor.scanned_at));
        }
        self.by_time.insert(cursor, digest);
        if self.by_time.len() > MAX_KEPT {
            self.remove_first();
        }
    }

    fn remove_first(&mut self) {
        if let Some((_, Some(digest))) = self.by_time.pop_first() {
            self.days.remove(&digest);
        }
    }

    fn forget_before(&mut self, day: Day) {
        while self.by_time.first_key_value().is_some_and(|(at, _)| Day::of(at.scanned_at) < day) {
            self.remove_first();
        }
    }

    /// Where reading continues.
    fn next_cursor(&self, first: Day) -> ScanCursor {
        let last = self.by_time.last_key_value().map(|(last, _)| last.scanned_at);
        let from = last.map(|last| last.plus_millis(-STORED_LATE_MS));
        let from = from.map_or(first.begins_at(), |from| from.max(first.begins_at()));
        // No id is empty, so this cursor is before the first scan of that time.
        ScanCursor { scanned_at: from, id: String::new() }
    }
}

impl DailySeals {
    /// The day that will seal a record with this digest, if there is such a record and its day is not sealed.
    pub(super) async fn find_unsealed(&self, digest: Digest) -> Result<Option<Day>, DaySealError> {
        let first = match self.store.seals(None, 1).await?.first() {
            Some(last) => last.day.next(),
            None => match self.first_day_with_records().await? {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let mut known = self.unsealed.known.lock().await;
        known.forget_before(first);
        let mut after = known.next_cursor(first);
        loop {
            let page = self.store.export_scans(Some(after), PAGE_SIZE).await?;
            let Some(last) = page.last() else { break };
            after = last.cursor();
            for row in page {
                if known.by_time.contains_key(&row.cursor()) {
                    continue;
                }
                let found = self.digest_to_seal(&row).await?;
                known.add(row.cursor(), found);
            }
        }
        if let Some(day) = known.days.get(&digest) {
            return Ok(Some(*day));
        }
        drop(known);
        self.find_deleted(digest, first).await
    }

    async fn digest_to_seal(&self, row: &ScanRow) -> Result<Option<Digest>, DaySealError> {
        // A private report is treated like an unknown one.
        if row.visibility == Visibility::Private {
            return Ok(None);
        }
        match self.store.scan(&row.id).await {
            Ok(scan) => Ok(scan.and_then(|scan| record_digest(&scan.record))),
            // It is not sealed either.
            Err(StoreError::Damaged { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The digest of a deleted report is sealed all the same.
    async fn find_deleted(&self, digest: Digest, first: Day) -> Result<Option<Day>, DaySealError> {
        /// Days that wait for their seal: one, and those on which the server did not run.
        const MAX_DAYS: usize = 32;
        let today = Day::of(self.clock.now());
        let days = std::iter::successors(Some(first), |day| Some(day.next()));
        for day in days.take_while(|day| *day <= today).take(MAX_DAYS) {
            if self.store.deleted_digests(day).await?.contains(&digest) {
                return Ok(Some(day));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;

    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_goes_with_its_day() {
        let mut known = KnownScans::default();
        let at = |number: usize| ScanCursor {
            scanned_at: Timestamp::from_millis(number as i64 * 1_000),
            id: format!("s{number}"),
        };
        let digest = |number: usize| Digest::of(&number.to_be_bytes());
        for number in 0..MAX_KEPT + 10 {
            known.add(at(number), Some(digest(number)));
        }
        assert_eq!((known.by_time.len(), known.days.len()), (MAX_KEPT, MAX_KEPT));
        assert!(!known.days.contains_key(&digest(9)) && known.days.contains_key(&digest(10)));
        let second = Day::from_number(1);
        known.forget_before(second);
        assert_eq!(known.days.values().min(), Some(&second));
        assert_eq!(known.by_time.len(), known.days.len());
        let next = known.next_cursor(second);
        let last = at(MAX_KEPT + 9).scanned_at;
        assert_eq!(next.scanned_at, last.plus_millis(-STORED_LATE_MS));
        known.forget_before(Day::from_number(9));
        assert_eq!(known.next_cursor(second).scanned_at, second.begins_at());
    }
}
