//! Sealing the days that are over.

use std::collections::BTreeMap;

use contract::records::SealedLogHead;
use proof::KeyPurpose;
use proof::seal::{self, DayTree, LastSeal};
use store::{Anchor, AnchorStage, Day, KeptSeal};

use super::streams::STREAMS;
use super::{DaySealError, SEALED_AFTER};
use crate::Service;

/// Days sealed in one turn, so that catching up on years leaves room for other work.
const DAYS_A_TURN: usize = 64;
/// How far back it is made sure that every seal is on its way to every calendar.
const ANCHORS_CHECKED: usize = 32;

impl Service {
    /// Seals every day that is over and not sealed yet, oldest first and without a gap, and says
    /// which. `log` is the newest head of the transparency log.
    pub async fn seal_past_days(
        &self,
        log: Option<SealedLogHead>,
    ) -> Result<Vec<Day>, DaySealError> {
        let mut sealed = Vec::new();
        for _ in 0..DAYS_A_TURN {
            let last = self.last_seal().await?;
            let Some(day) = self.next_day(last.as_ref()).await? else { break };
            if self.clock.now() < sealed_from(day) {
                break;
            }
            self.seal_day(day, last.as_ref(), log.clone()).await?;
            sealed.push(day);
        }
        self.bring_to_calendars().await?;
        Ok(sealed)
    }

    async fn last_seal(&self) -> Result<Option<LastSeal>, DaySealError> {
        let rows = self.store.seals(None, 1).await?;
        Ok(rows.into_iter().next().map(|row| LastSeal {
            day: row.day,
            root: row.root,
            sha256: row.sha256,
            sealed_at: row.sealed_at,
        }))
    }

    /// The first day that is not sealed; nothing when nothing was ever kept.
    async fn next_day(&self, last: Option<&LastSeal>) -> Result<Option<Day>, DaySealError> {
        match last {
            Some(last) => Ok(Some(last.day.next())),
            None => self.first_kept_day().await,
        }
    }

    async fn seal_day(
        &self,
        day: Day,
        last: Option<&LastSeal>,
        log: Option<SealedLogHead>,
    ) -> Result<(), DaySealError> {
        let (mut all, mut counts) = (Vec::new(), BTreeMap::new());
        for stream in STREAMS {
            let digests = (stream.digests)(self, day).await?;
            counts.insert(stream.name.to_owned(), digests.len() as u64);
            all.extend(digests);
        }
        let tree = tokio::task::spawn_blocking(move || DayTree::new(all))
            .await
            .map_err(|e| DaySealError::Unreadable(e.to_string()))?;
        let now = self.clock.now().whole_seconds();
        let statement = seal::statement(day, &tree, counts, log, last, now, &self.settings.brand)?;
        let signed = self.sign_document(&statement, KeyPurpose::Documents)?;
        tracing::info!(%day, leaves = tree.size(), sha256 = %signed.digest, "a day is sealed");
        let kept = KeptSeal {
            day,
            sha256: signed.digest,
            root: tree.root(),
            sealed_at: statement.sealed_at,
            statement: signed.bytes.into(),
            digests: tree.digests().to_vec(),
        };
        self.store.put_seal(kept).await?;
        self.bring_day_to_calendars(day).await
    }

    /// Whoever was stopped between a seal and its calendars goes on here; a calendar that was
    /// configured since gets what is recent.
    async fn bring_to_calendars(&self) -> Result<(), DaySealError> {
        for row in self.store.seals(None, ANCHORS_CHECKED).await? {
            self.bring_day_to_calendars(row.day).await?;
        }
        Ok(())
    }

    async fn bring_day_to_calendars(&self, day: Day) -> Result<(), DaySealError> {
        let known = self.store.anchors(day).await?;
        for calendar in &self.settings.proof.calendars {
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

/// From when on a day is sealed.
pub(super) fn sealed_from(day: Day) -> contract::Timestamp {
    let wait = i64::try_from(SEALED_AFTER.as_millis()).unwrap_or(i64::MAX);
    day.ends_at().plus_millis(wait)
}
