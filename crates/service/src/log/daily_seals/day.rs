//! Sealing the days that are over.

use std::collections::BTreeMap;

use contract::records::SealedLogHead;
use proof::KeyPurpose;
use proof::day_seal::{self, DayTree, PreviousDaySeal};
use store::{Anchor, AnchorStage, Day, StoredSeal};

use super::streams::RECORD_STREAMS;
use super::{DailySeals, DaySealError, SEALING_DELAY};

/// Days sealed in one turn, so that catching up on a long gap does not block other work.
const MAX_DAYS_PER_TURN: usize = 64;
/// How many of the newest seals are checked for a missing calendar.
const RECENT_SEALS_CHECKED: usize = 32;

impl DailySeals {
    /// Seals every past day that is not sealed yet, oldest first and without a gap, and returns these
    /// days. `log` is the newest head of the transparency log.
    pub async fn seal_past_days(
        &self,
        log: Option<SealedLogHead>,
    ) -> Result<Vec<Day>, DaySealError> {
        let mut sealed = Vec::new();
        for _ in 0..MAX_DAYS_PER_TURN {
            let last = self.last_seal().await?;
            let Some(day) = self.next_unsealed_day(last.as_ref()).await? else { break };
            if self.clock.now() < sealing_time(day) {
                break;
            }
            self.seal_day(day, last.as_ref(), log.clone()).await?;
            sealed.push(day);
        }
        self.queue_recent_for_calendars().await?;
        Ok(sealed)
    }

    async fn last_seal(&self) -> Result<Option<PreviousDaySeal>, DaySealError> {
        let rows = self.store.seals(None, 1).await?;
        Ok(rows.into_iter().next().map(|row| PreviousDaySeal {
            day: row.day,
            root: row.root,
            sha256: row.sha256,
            sealed_at: row.sealed_at,
        }))
    }

    /// The first day that is not sealed; `None` if no record was ever stored.
    async fn next_unsealed_day(
        &self,
        last: Option<&PreviousDaySeal>,
    ) -> Result<Option<Day>, DaySealError> {
        match last {
            Some(last) => Ok(Some(last.day.next())),
            None => self.first_day_with_records().await,
        }
    }

    async fn seal_day(
        &self,
        day: Day,
        last: Option<&PreviousDaySeal>,
        log: Option<SealedLogHead>,
    ) -> Result<(), DaySealError> {
        let (mut all, mut counts) = (Vec::new(), BTreeMap::new());
        for stream in RECORD_STREAMS {
            let digests = (stream.digests)(self, day).await?;
            counts.insert(stream.name.to_owned(), digests.len() as u64);
            all.extend(digests);
        }
        let tree = tokio::task::spawn_blocking(move || DayTree::new(all))
            .await
            .map_err(|e| DaySealError::Unreadable(e.to_string()))?;
        let now = self.clock.now().whole_seconds();
        let statement =
            day_seal::build_statement(day, &tree, counts, log, last, now, &self.issuer.brand)?;
        let signed = self.keys.sign_document(&statement, KeyPurpose::Documents)?;
        tracing::info!(%day, leaves = tree.size(), sha256 = %signed.digest, "sealed a day");
        let stored = StoredSeal {
            day,
            sha256: signed.digest,
            root: tree.root(),
            sealed_at: statement.sealed_at,
            statement: signed.bytes.into(),
            digests: tree.digests().to_vec(),
        };
        self.store.put_seal(stored).await?;
        self.queue_for_calendars(day).await
    }

    /// Queues recent seals for calendars that they are missing: because the process ended right after
    /// sealing, or because the calendar was configured later.
    async fn queue_recent_for_calendars(&self) -> Result<(), DaySealError> {
        for row in self.store.seals(None, RECENT_SEALS_CHECKED).await? {
            self.queue_for_calendars(row.day).await?;
        }
        Ok(())
    }

    async fn queue_for_calendars(&self, day: Day) -> Result<(), DaySealError> {
        let known = self.store.anchors(day).await?;
        for calendar in &self.settings.calendars {
            if known.iter().any(|anchor| anchor.calendar == *calendar) {
                continue;
            }
            let anchor = Anchor {
                day,
                calendar: calendar.clone(),
                stage: AnchorStage::Waiting,
                submitted_at: None,
                upgraded_at: None,
                verified_at: None,
                block_height: None,
                timestamp: bytes::Bytes::new(),
                tries: 0,
                next_try_at: self.clock.now(),
                last_error: None,
            };
            self.store.put_anchor(anchor).await?;
        }
        Ok(())
    }
}

/// When a day is sealed, at the earliest.
pub(super) fn sealing_time(day: Day) -> contract::Timestamp {
    let wait = i64::try_from(SEALING_DELAY.as_millis()).unwrap_or(i64::MAX);
    day.ends_at().plus_millis(wait)
}
