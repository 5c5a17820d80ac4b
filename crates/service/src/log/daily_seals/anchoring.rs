//! Submitting seals to the calendars and following their timestamps until a block confirms them.
//!
//! Each step of a timestamp is stored before the next is tried. A calendar that cannot be reached is
//! not tried again in the same turn, and its timestamps record that error.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::Timestamp;
use proof::opentimestamps::{Attestation, AttestedMessage, Op, OtsError, Stamp};
use proof::{Digest, sha256};
use store::{Anchor, AnchorStage};

use super::calendar::{self, CalendarError, is_allowed_calendar};
use super::explorer::{RootComparison, compare_merkle_root};
use super::{DailySeals, DaySealError};

/// Timestamps that are tried in one turn.
const MAX_ANCHORS_PER_TURN: usize = 256;
/// Pending attestations that are followed for one timestamp.
const MAX_PENDING_ATTESTATIONS: usize = 8;
/// Blocks that are compared for one timestamp.
const MAX_BLOCKS: usize = 4;
const NONCE_BYTES: usize = 16;
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(24 * 3600);

/// The result of one step.
enum StepResult {
    /// The timestamp advanced, or was found to be wrong: this replaces the stored one.
    Advanced(Anchor),
    /// Nothing new; tried again after the usual pause.
    NotYet(String),
    /// The step failed; tried again after a growing pause.
    Failed(String),
    /// The calendar itself cannot be reached.
    CalendarDown(String),
}

impl DailySeals {
    /// Tries every timestamp that is due, and returns how many there were.
    pub async fn anchor_seals(&self) -> Result<usize, DaySealError> {
        let mut stages = vec![AnchorStage::Waiting, AnchorStage::Pending, AnchorStage::Failed];
        if !self.settings.explorers.is_empty() {
            stages.push(AnchorStage::Upgraded);
        }
        let due = self.store.due_anchors(stages, self.clock.now(), MAX_ANCHORS_PER_TURN).await?;
        let tried = due.len();
        let mut down: BTreeMap<String, String> = BTreeMap::new();
        for anchor in due {
            let step = match down.get(&anchor.calendar) {
                Some(why) if anchor.stage != AnchorStage::Upgraded => {
                    StepResult::CalendarDown(why.clone())
                }
                _ => self.run_step(&anchor).await?,
            };
            if let StepResult::CalendarDown(why) = &step
                && down.insert(anchor.calendar.clone(), why.clone()).is_none()
            {
                tracing::warn!(calendar = anchor.calendar, why, "a calendar cannot be reached");
            }
            let updated = self.apply_step(anchor, step);
            self.store.put_anchor(updated).await?;
        }
        Ok(tried)
    }

    /// The timestamp after a step, with the time when its next step is due.
    fn apply_step(&self, anchor: Anchor, step: StepResult) -> Anchor {
        let now = self.clock.now();
        let proof = &self.settings;
        match step {
            StepResult::Advanced(anchor) => {
                let pause = match anchor.stage {
                    AnchorStage::Pending | AnchorStage::Failed => proof.upgrade_interval,
                    // The next step needs no calendar.
                    _ => Duration::ZERO,
                };
                Anchor { tries: 0, next_try_at: plus_pause(now, pause), ..anchor }
            }
            StepResult::NotYet(why) => Anchor {
                next_try_at: plus_pause(now, proof.upgrade_interval),
                last_error: Some(why),
                ..anchor
            },
            StepResult::Failed(why) | StepResult::CalendarDown(why) => Anchor {
                tries: anchor.tries.saturating_add(1),
                next_try_at: plus_pause(now, retry_pause(proof.first_retry_pause, anchor.tries)),
                last_error: Some(why),
                ..anchor
            },
        }
    }

    async fn run_step(&self, anchor: &Anchor) -> Result<StepResult, DaySealError> {
        let Some(row) = self.store.seals(Some(anchor.day.next()), 1).await?.into_iter().next()
        else {
            return Ok(StepResult::Failed("its seal is not in the store".to_owned()));
        };
        if row.day != anchor.day {
            return Ok(StepResult::Failed("its seal is not in the store".to_owned()));
        }
        Ok(match anchor.stage {
            AnchorStage::Waiting => self.submit_to_calendar(anchor, row.sha256).await?,
            AnchorStage::Pending | AnchorStage::Failed => {
                match Stamp::parse(&anchor.timestamp, size_of::<Digest>()) {
                    Ok(stamp) => self.upgrade(anchor, row.sha256, stamp).await,
                    Err(error) => unreadable_timestamp(error),
                }
            }
            AnchorStage::Upgraded => match Stamp::parse(&anchor.timestamp, size_of::<Digest>()) {
                Ok(stamp) => self.compare_with_blocks(anchor, row.sha256, stamp).await,
                Err(error) => unreadable_timestamp(error),
            },
            AnchorStage::Verified => StepResult::NotYet(String::new()),
        })
    }

    /// Submits the seal under a nonce, so that the calendar does not learn its digest.
    async fn submit_to_calendar(
        &self,
        anchor: &Anchor,
        seal: Digest,
    ) -> Result<StepResult, DaySealError> {
        if !self.settings.calendars.contains(&anchor.calendar) {
            return Ok(StepResult::NotYet("this calendar is no longer configured".to_owned()));
        }
        let nonce: Vec<u8> = self.ids.random_bytes()?.into_iter().take(NONCE_BYTES).collect();
        let message = sha256(&[&seal.0[..], &nonce].concat());
        let patience = self.settings.request_timeout;
        let stamp = match calendar::submit(&anchor.calendar, &message.0, patience).await {
            Ok(stamp) => stamp.preceded_by(Op::Sha256).preceded_by(Op::Append(nonce)),
            Err(error) => return Ok(calendar_failure(error)),
        };
        let Some(timestamp) = encode_checked(&stamp) else {
            return Ok(StepResult::Failed(
                "the timestamp that the calendar sent is too large".to_owned(),
            ));
        };
        let pending = Anchor {
            stage: AnchorStage::Pending,
            submitted_at: Some(self.clock.now().whole_seconds()),
            timestamp,
            last_error: None,
            ..anchor.clone()
        };
        Ok(StepResult::Advanced(pending))
    }

    /// Requests the finished timestamp for each pending attestation.
    async fn upgrade(&self, anchor: &Anchor, seal: Digest, stamp: Stamp) -> StepResult {
        let proof = &self.settings;
        let mut grown = stamp.clone();
        let mut why = "the calendar has not put it into a block yet".to_owned();
        for (uri, commitment) in
            pending_attestations(&stamp, &seal).into_iter().take(MAX_PENDING_ATTESTATIONS)
        {
            if !is_allowed_calendar(&uri, &proof.calendars) {
                why = format!("{uri} is not a configured calendar, so no request is sent to it");
                continue;
            }
            match calendar::fetch_finished(&uri, &commitment, proof.request_timeout).await {
                Ok(Some(finished)) if !block_attestations(&finished, &commitment).is_empty() => {
                    grown.merge_at(&seal.0, &commitment, &finished);
                }
                Ok(_) => {}
                Err(error) => return calendar_failure(error),
            }
        }
        let Some((height, _)) = block_attestations(&grown, &seal.0).into_iter().min() else {
            return StepResult::NotYet(why);
        };
        let Some(timestamp) = encode_checked(&grown) else {
            return StepResult::Failed(
                "the timestamp that the calendar sent is too large".to_owned(),
            );
        };
        let upgraded = Anchor {
            stage: AnchorStage::Upgraded,
            upgraded_at: Some(self.clock.now().whole_seconds()),
            block_height: Some(height),
            timestamp,
            last_error: None,
            ..anchor.clone()
        };
        StepResult::Advanced(upgraded)
    }

    /// Compares the timestamp with the header of every block it leads to. It is not confirmed if a
    /// single explorer disagrees.
    async fn compare_with_blocks(&self, anchor: &Anchor, seal: Digest, stamp: Stamp) -> StepResult {
        let proof = &self.settings;
        let (mut confirmed, mut wrong, mut unknown) = (None, Vec::new(), None);
        for (height, root) in block_attestations(&stamp, &seal.0).into_iter().take(MAX_BLOCKS) {
            let (mut matching, mut differing) = (0_u32, 0_u32);
            for explorer in &proof.explorers {
                match compare_merkle_root(explorer, height, &root, proof.request_timeout).await {
                    RootComparison::Matches => matching += 1,
                    RootComparison::Differs => differing += 1,
                    RootComparison::Unknown(why) => unknown = Some(why),
                }
            }
            match (matching, differing) {
                (1.., 0) => confirmed = confirmed.or(Some(height)),
                (0, 1..) => wrong.push((height, root)),
                (1.., 1..) => unknown = Some("the explorers disagree".to_owned()),
                (0, 0) => {}
            }
        }
        let now = Some(self.clock.now().whole_seconds());
        if !wrong.is_empty() {
            // The wrong attestations are removed, so that they are neither served nor tried again.
            let is_wrong =
                |attested: &AttestedMessage| match (&attested.attestation, &attested.message) {
                    (Attestation::Bitcoin(height), Some(root)) => {
                        wrong.iter().any(|(h, r)| h == height && r == root)
                    }
                    _ => false,
                };
            let remaining = stamp.retain(&seal.0, &|attested| !is_wrong(attested));
            let timestamp = remaining.as_ref().and_then(encode_checked).unwrap_or_default();
            let heights: Vec<u64> = wrong.iter().map(|(height, _)| *height).collect();
            let why = format!("it does not match the merkle root of block {heights:?}");
            if confirmed.is_none() {
                tracing::error!(day = %anchor.day, calendar = anchor.calendar, why, "a timestamp is wrong");
                // Without a pending attestation left, the seal is submitted again.
                let stage =
                    if timestamp.is_empty() { AnchorStage::Waiting } else { AnchorStage::Failed };
                return StepResult::Advanced(Anchor {
                    stage,
                    upgraded_at: None,
                    block_height: None,
                    timestamp,
                    last_error: Some(why),
                    ..anchor.clone()
                });
            }
            return StepResult::Advanced(Anchor {
                stage: AnchorStage::Verified,
                verified_at: now,
                block_height: confirmed,
                timestamp,
                last_error: Some(why),
                ..anchor.clone()
            });
        }
        match confirmed {
            Some(height) => StepResult::Advanced(Anchor {
                stage: AnchorStage::Verified,
                verified_at: now,
                block_height: Some(height),
                last_error: None,
                ..anchor.clone()
            }),
            None => StepResult::Failed(
                unknown.unwrap_or_else(|| "no explorer knows its block".to_owned()),
            ),
        }
    }
}

fn calendar_failure(error: CalendarError) -> StepResult {
    match error {
        CalendarError::Unreachable(_) => StepResult::CalendarDown(error.to_string()),
        _ => StepResult::Failed(error.to_string()),
    }
}

fn unreadable_timestamp(error: OtsError) -> StepResult {
    StepResult::Failed(format!("the stored timestamp cannot be read: {error}"))
}

/// The encoded timestamp, if it can be parsed again.
fn encode_checked(stamp: &Stamp) -> Option<bytes::Bytes> {
    let written = stamp.to_bytes();
    Stamp::parse(&written, size_of::<Digest>()).ok().map(|_| written.into())
}

/// Every pending attestation: the URL of its calendar and the commitment.
fn pending_attestations(stamp: &Stamp, seal: &Digest) -> Vec<(String, Vec<u8>)> {
    let all = stamp.evaluate(&seal.0).into_iter();
    all.filter_map(|attested| match (attested.attestation, attested.message) {
        (Attestation::Pending(uri), Some(commitment)) => Some((uri, commitment)),
        _ => None,
    })
    .collect()
}

/// Every block that the timestamp leads to: height and expected merkle root.
pub(super) fn block_attestations(stamp: &Stamp, message: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let all = stamp.evaluate(message).into_iter();
    all.filter_map(|attested| match (attested.attestation, attested.message) {
        (Attestation::Bitcoin(height), Some(root)) if root.len() == 32 => Some((height, root)),
        _ => None,
    })
    .collect()
}

fn plus_pause(now: Timestamp, pause: Duration) -> Timestamp {
    now.plus_millis(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX))
}

/// The pause before the next try: doubles with each one.
fn retry_pause(first: Duration, tries: u32) -> Duration {
    first.saturating_mul(1 << tries.min(20)).min(MAX_RETRY_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end_growing() {
        let minute = Duration::from_secs(60);
        assert_eq!(retry_pause(minute, 0), minute);
        assert_eq!(retry_pause(minute, 3), minute * 8);
        for tries in [11, 20, 1_000_000, u32::MAX] {
            assert_eq!(retry_pause(minute, tries), MAX_RETRY_PAUSE, "{tries}");
        }
    }
}
