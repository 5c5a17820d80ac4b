//! Taking seals to the calendars, and what comes of it.
//!
//! Each step of each timestamp is kept before the next is tried. A calendar that cannot be reached
//! is left alone for the rest of the turn, and what waits for it says so.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::Timestamp;
use proof::ots::{Attestation, Attested, Op, OtsError, Stamp};
use proof::{Digest, sha256};
use store::{Anchor, AnchorStage};

use super::DaySealError;
use super::calendar::{self, CalendarError, may_ask};
use super::explorer::{Said, compare};
use crate::Service;

/// Timestamps tried in one turn.
const A_TURN: usize = 256;
/// Promises of one timestamp that are followed.
const PROMISES: usize = 8;
/// Blocks of one timestamp that are compared.
const BLOCKS: usize = 4;
const NONCE: usize = 16;
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 3600);

/// What one step came to.
enum Step {
    /// It went further, or was found to be wrong: this is kept in place of what was.
    Now(Anchor),
    /// Nothing new; asked again after the usual pause.
    NotYet(String),
    /// It did not work; asked again after a growing pause.
    Wrong(String),
    /// The calendar itself cannot be reached.
    Down(String),
}

impl Service {
    /// Tries every timestamp that is due, and says how many there were.
    pub async fn anchor_seals(&self) -> Result<usize, DaySealError> {
        let mut stages = vec![AnchorStage::Waiting, AnchorStage::Pending, AnchorStage::Failed];
        if !self.settings.proof.explorers.is_empty() {
            stages.push(AnchorStage::Upgraded);
        }
        let due = self.store.due_anchors(stages, self.clock.now(), A_TURN).await?;
        let tried = due.len();
        let mut down: BTreeMap<String, String> = BTreeMap::new();
        for anchor in due {
            let step = match down.get(&anchor.calendar) {
                Some(why) if anchor.stage != AnchorStage::Upgraded => Step::Down(why.clone()),
                _ => self.step(&anchor).await?,
            };
            if let Step::Down(why) = &step
                && down.insert(anchor.calendar.clone(), why.clone()).is_none()
            {
                tracing::warn!(calendar = anchor.calendar, why, "a calendar is not reached");
            }
            let kept = self.after(anchor, step);
            self.store.put_anchor(kept).await?;
        }
        Ok(tried)
    }

    /// What is kept after a step, and when the next is due.
    fn after(&self, anchor: Anchor, step: Step) -> Anchor {
        let now = self.clock.now();
        let proof = &self.settings.proof;
        match step {
            Step::Now(anchor) => {
                let pause = match anchor.stage {
                    AnchorStage::Pending | AnchorStage::Failed => proof.upgrade_every,
                    // The next step needs no calendar.
                    _ => Duration::ZERO,
                };
                Anchor { tries: 0, next_try_at: later(now, pause), ..anchor }
            }
            Step::NotYet(why) => Anchor {
                next_try_at: later(now, proof.upgrade_every),
                last_error: Some(why),
                ..anchor
            },
            Step::Wrong(why) | Step::Down(why) => Anchor {
                tries: anchor.tries.saturating_add(1),
                next_try_at: later(now, growing(proof.retry_first, anchor.tries)),
                last_error: Some(why),
                ..anchor
            },
        }
    }

    async fn step(&self, anchor: &Anchor) -> Result<Step, DaySealError> {
        let Some(row) = self.store.seals(Some(anchor.day.next()), 1).await?.into_iter().next()
        else {
            return Ok(Step::Wrong("its seal is not kept".to_owned()));
        };
        if row.day != anchor.day {
            return Ok(Step::Wrong("its seal is not kept".to_owned()));
        }
        Ok(match anchor.stage {
            AnchorStage::Waiting => self.bring_to_calendar(anchor, row.sha256).await?,
            AnchorStage::Pending | AnchorStage::Failed => {
                match Stamp::read(&anchor.timestamp, size_of::<Digest>()) {
                    Ok(stamp) => self.upgrade(anchor, row.sha256, stamp).await,
                    Err(error) => unreadable(error),
                }
            }
            AnchorStage::Upgraded => match Stamp::read(&anchor.timestamp, size_of::<Digest>()) {
                Ok(stamp) => self.verify(anchor, row.sha256, stamp).await,
                Err(error) => unreadable(error),
            },
            AnchorStage::Verified => Step::NotYet(String::new()),
        })
    }

    /// Hands the seal in under a nonce, so that a calendar learns nothing of it.
    async fn bring_to_calendar(&self, anchor: &Anchor, seal: Digest) -> Result<Step, DaySealError> {
        if !self.settings.proof.calendars.contains(&anchor.calendar) {
            return Ok(Step::NotYet("this calendar is not configured any more".to_owned()));
        }
        let nonce: Vec<u8> = self.ids.secret()?.into_iter().take(NONCE).collect();
        let message = sha256(&[&seal.0[..], &nonce].concat());
        let patience = self.settings.proof.patience;
        let stamp = match calendar::submit(&anchor.calendar, &message.0, patience).await {
            Ok(stamp) => stamp.after(Op::Sha256).after(Op::Append(nonce)),
            Err(error) => return Ok(failed(error)),
        };
        let Some(timestamp) = sound(&stamp) else {
            return Ok(Step::Wrong("the timestamp it sent is too large".to_owned()));
        };
        let pending = Anchor {
            stage: AnchorStage::Pending,
            submitted_at: Some(self.clock.now().whole_seconds()),
            timestamp,
            last_error: None,
            ..anchor.clone()
        };
        Ok(Step::Now(pending))
    }

    /// Asks for the finished timestamp wherever one was promised.
    async fn upgrade(&self, anchor: &Anchor, seal: Digest, stamp: Stamp) -> Step {
        let proof = &self.settings.proof;
        let mut grown = stamp.clone();
        let mut said = "its calendar has not put it into a block yet".to_owned();
        for (uri, commitment) in promises(&stamp, &seal).into_iter().take(PROMISES) {
            if !may_ask(&uri, &proof.calendars) {
                said = format!("{uri} is not a calendar that was configured; it is not asked");
                continue;
            }
            match calendar::finished(&uri, &commitment, proof.patience).await {
                Ok(Some(finished)) if !blocks(&finished, &commitment).is_empty() => {
                    grown.merge_at(&seal.0, &commitment, &finished);
                }
                Ok(_) => {}
                Err(error) => return failed(error),
            }
        }
        let Some((height, _)) = blocks(&grown, &seal.0).into_iter().min() else {
            return Step::NotYet(said);
        };
        let Some(timestamp) = sound(&grown) else {
            return Step::Wrong("the timestamp it sent is too large".to_owned());
        };
        let upgraded = Anchor {
            stage: AnchorStage::Upgraded,
            upgraded_at: Some(self.clock.now().whole_seconds()),
            block_height: Some(height),
            timestamp,
            last_error: None,
            ..anchor.clone()
        };
        Step::Now(upgraded)
    }

    /// Compares every block the timestamp leads to with its header. A single explorer that says
    /// otherwise keeps it from being confirmed.
    async fn verify(&self, anchor: &Anchor, seal: Digest, stamp: Stamp) -> Step {
        let proof = &self.settings.proof;
        let (mut right, mut wrong, mut silent) = (None, Vec::new(), None);
        for (height, root) in blocks(&stamp, &seal.0).into_iter().take(BLOCKS) {
            let (mut same, mut another) = (0_u32, 0_u32);
            for explorer in &proof.explorers {
                match compare(explorer, height, &root, proof.patience).await {
                    Said::Same => same += 1,
                    Said::Another => another += 1,
                    Said::Nothing(why) => silent = Some(why),
                }
            }
            match (same, another) {
                (1.., 0) => right = right.or(Some(height)),
                (0, 1..) => wrong.push((height, root)),
                (1.., 1..) => silent = Some("the explorers do not agree".to_owned()),
                (0, 0) => {}
            }
        }
        let now = Some(self.clock.now().whole_seconds());
        if !wrong.is_empty() {
            // What leads nowhere is taken out, so that it is neither served nor in the way.
            let is_wrong = |attested: &Attested| match (&attested.attestation, &attested.message) {
                (Attestation::Bitcoin(height), Some(root)) => {
                    wrong.iter().any(|(h, r)| h == height && r == root)
                }
                _ => false,
            };
            let kept = stamp.retain(&seal.0, &|attested| !is_wrong(attested));
            let timestamp = kept.as_ref().and_then(sound).unwrap_or_default();
            let heights: Vec<u64> = wrong.iter().map(|(height, _)| *height).collect();
            let why = format!("it does not lead to the merkle root of block {heights:?}");
            if right.is_none() {
                tracing::error!(day = %anchor.day, calendar = anchor.calendar, why, "a timestamp is wrong");
                // Without a promise left, it is handed in anew.
                let stage =
                    if timestamp.is_empty() { AnchorStage::Waiting } else { AnchorStage::Failed };
                return Step::Now(Anchor {
                    stage,
                    upgraded_at: None,
                    block_height: None,
                    timestamp,
                    last_error: Some(why),
                    ..anchor.clone()
                });
            }
            return Step::Now(Anchor {
                stage: AnchorStage::Verified,
                verified_at: now,
                block_height: right,
                timestamp,
                last_error: Some(why),
                ..anchor.clone()
            });
        }
        match right {
            Some(height) => Step::Now(Anchor {
                stage: AnchorStage::Verified,
                verified_at: now,
                block_height: Some(height),
                last_error: None,
                ..anchor.clone()
            }),
            None => Step::Wrong(silent.unwrap_or_else(|| "no explorer knows its block".to_owned())),
        }
    }
}

fn failed(error: CalendarError) -> Step {
    match error {
        CalendarError::Unreachable(_) => Step::Down(error.to_string()),
        _ => Step::Wrong(error.to_string()),
    }
}

fn unreadable(error: OtsError) -> Step {
    Step::Wrong(format!("the timestamp that is kept cannot be read: {error}"))
}

/// The written form, if whoever reads it back will take it.
fn sound(stamp: &Stamp) -> Option<bytes::Bytes> {
    let written = stamp.write();
    Stamp::read(&written, size_of::<Digest>()).ok().map(|_| written.into())
}

/// Every promise with the commitment it was made for.
fn promises(stamp: &Stamp, seal: &Digest) -> Vec<(String, Vec<u8>)> {
    let all = stamp.evaluate(&seal.0).into_iter();
    all.filter_map(|attested| match (attested.attestation, attested.message) {
        (Attestation::Pending(uri), Some(commitment)) => Some((uri, commitment)),
        _ => None,
    })
    .collect()
}

/// Every block it leads to, with the merkle root it comes to.
pub(super) fn blocks(stamp: &Stamp, message: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let all = stamp.evaluate(message).into_iter();
    all.filter_map(|attested| match (attested.attestation, attested.message) {
        (Attestation::Bitcoin(height), Some(root)) if root.len() == 32 => Some((height, root)),
        _ => None,
    })
    .collect()
}

fn later(now: Timestamp, pause: Duration) -> Timestamp {
    now.plus_millis(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX))
}

fn growing(first: Duration, tries: u32) -> Duration {
    first.saturating_mul(1 << tries.min(20)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end_growing() {
        let minute = Duration::from_secs(60);
        assert_eq!(growing(minute, 0), minute);
        assert_eq!(growing(minute, 3), minute * 8);
        for tries in [11, 20, 1_000_000, u32::MAX] {
            assert_eq!(growing(minute, tries), LONGEST_PAUSE, "{tries}");
        }
    }
}
