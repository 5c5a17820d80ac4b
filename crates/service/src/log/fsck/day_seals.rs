//! Checks daily seals: their statements, the chain of days, the digests they cover, and timestamps.

use std::collections::HashMap;

use contract::records::DaySeal;
use contract::{Day, Timestamp};
use proof::opentimestamps::{Attestation, Stamp};
use proof::{Digest, day_seal};
use store::{Anchor, AnchorStage, SealPosition, StoredSeal};

use super::parallel::{map_on_all_cores, read_all};
use super::{FsckRequest, FsckRun, StorePart};

const PAGE_SIZE: usize = 64;

/// A seal that was read and verified by itself.
struct CheckedSeal {
    faults: Vec<String>,
    wrong_time: Option<String>,
    statement: Option<DaySeal>,
}

impl FsckRun<'_> {
    pub(super) async fn check_day_seals(&mut self) {
        let days = match self.list_sealed_days().await {
            Ok(days) => days,
            Err(error) => return self.add_fault(StorePart::Seals, None, error),
        };
        let store = self.request.store;
        let mut previous: Option<DaySeal> = None;
        let mut known: HashMap<Digest, SealPosition> = HashMap::new();
        // A seal that cannot be read is there nevertheless.
        let mut sealed: HashMap<Day, Option<Digest>> =
            days.iter().map(|day| (*day, None)).collect();
        let total = Some(days.len() as u64);
        for (page, done) in days.chunks(PAGE_SIZE).zip((0..).step_by(PAGE_SIZE)) {
            self.report_progress("daily seals", done, total);
            let read = read_all(page, |day| async move { (*day, store.seal(*day).await) }).await;
            let request = self.request;
            let checked = map_on_all_cores(&read, |(day, seal)| match seal {
                Ok(Some(seal)) => request.check_seal(*day, seal),
                Ok(None) => CheckedSeal::unread(format!("{day} is listed but not found")),
                Err(error) => CheckedSeal::unread(error.to_string()),
            });
            for ((day, seal), mut checked) in read.into_iter().zip(checked) {
                self.count_records(StorePart::Seals, 1);
                self.count_wrong_time(checked.wrong_time.take());
                if let (Some(previous), Some(next)) = (&previous, &checked.statement)
                    && let Err(error) = day_seal::check_link(previous, next)
                {
                    checked.faults.push(error.to_string());
                }
                for fault in checked.faults {
                    self.add_fault(StorePart::Seals, None, fault);
                }
                previous = checked.statement;
                if let Ok(Some(seal)) = seal {
                    sealed.insert(day, Some(seal.sha256));
                    self.check_positions(&seal, &mut known).await;
                }
            }
        }
        self.check_anchors(&sealed).await;
    }

    /// All sealed days, oldest first.
    async fn list_sealed_days(&self) -> Result<Vec<Day>, String> {
        let (mut days, mut before) = (Vec::new(), None);
        loop {
            let page = self.request.store.seals(before, 1_000).await.map_err(|e| e.to_string())?;
            let Some(last) = page.last() else { break };
            if before.is_some_and(|before| last.day >= before) {
                return Err(format!("{} is listed twice", last.day));
            }
            before = Some(last.day);
            days.extend(page.iter().map(|row| row.day));
        }
        days.reverse();
        Ok(days)
    }

    /// Checks that each digest is found at the leaf in which it was sealed first.
    async fn check_positions(
        &mut self,
        seal: &StoredSeal,
        known: &mut HashMap<Digest, SealPosition>,
    ) {
        let store = self.request.store;
        let found = read_all(&seal.digests, |digest| store.seal_position(*digest)).await;
        for ((digest, found), index) in seal.digests.iter().zip(found).zip(0..) {
            let first = *known.entry(*digest).or_insert(SealPosition { day: seal.day, index });
            let detail = match found {
                Ok(found) if found == Some(first) => continue,
                Ok(Some(found)) => format!(
                    "{digest} was sealed on {}, leaf {}, but is listed on {}, leaf {}",
                    first.day, first.index, found.day, found.index
                ),
                Ok(None) => format!("{digest} was sealed on {} but is not listed", first.day),
                Err(error) => error.to_string(),
            };
            self.add_fault(StorePart::Seals, None, detail);
        }
    }

    async fn check_anchors(&mut self, sealed: &HashMap<Day, Option<Digest>>) {
        use AnchorStage::{Failed, Pending, Upgraded, Verified, Waiting};
        let stages = vec![Waiting, Pending, Upgraded, Verified, Failed];
        let always = Timestamp::from_millis(i64::MAX);
        match self.request.store.due_anchors(stages, always, usize::MAX >> 1).await {
            Ok(anchors) => {
                self.count_records(StorePart::Anchors, anchors.len());
                for anchor in anchors {
                    let checked = match sealed.get(&anchor.day) {
                        None => Err("that day is not sealed".to_owned()),
                        Some(Some(sha256)) => check_anchor(&anchor, sha256),
                        Some(None) => Ok(()),
                    };
                    if let Err(why) = checked {
                        let Anchor { day, calendar, .. } = &anchor;
                        let detail = format!("the timestamp of {day} by {calendar}: {why}");
                        self.add_fault(StorePart::Anchors, None, detail);
                    }
                }
            }
            Err(error) => self.add_fault(StorePart::Anchors, None, error.to_string()),
        }
    }
}

impl FsckRequest<'_> {
    fn check_seal(&self, day: Day, seal: &StoredSeal) -> CheckedSeal {
        let what = format!("the seal of {day}");
        let verified = self.verify(&seal.statement, &what);
        let mut wrong = verified.failed;
        let statement: Option<DaySeal> = serde_json::from_slice(&seal.statement).ok();
        match &statement {
            None => wrong.push("its statement cannot be read".to_owned()),
            Some(statement) => {
                if let Err(error) = day_seal::check_digests(statement, &seal.digests) {
                    wrong.push(error.to_string());
                }
                if (statement.day, statement.sealed_at) != (seal.day, seal.sealed_at)
                    || statement.root != seal.root.to_hex()
                    || day_seal::seal_sha256(statement).ok() != Some(seal.sha256)
                {
                    wrong.push("it is stored under values that are not its own".to_owned());
                }
            }
        }
        let faults = wrong.into_iter().map(|why| format!("{what}: {why}")).collect();
        CheckedSeal { faults, wrong_time: verified.wrong_time, statement }
    }
}

impl CheckedSeal {
    fn unread(why: String) -> Self {
        Self { faults: vec![why], wrong_time: None, statement: None }
    }
}

/// Checks that a timestamp can be read and says what its stage says. Whether it leads to the block
/// cannot be told here: for that the header of the block is needed.
fn check_anchor(anchor: &Anchor, sealed: &Digest) -> Result<(), String> {
    let waiting = anchor.stage == AnchorStage::Waiting;
    if waiting != anchor.timestamp.is_empty() {
        return Err("its stage does not match what is stored of it".to_owned());
    }
    if waiting {
        return Ok(());
    }
    let stamp = Stamp::parse(&anchor.timestamp, size_of::<Digest>()).map_err(|e| e.to_string())?;
    let attested = stamp.evaluate(sealed.as_bytes());
    let Some(height) = anchor.block_height else { return Ok(()) };
    if attested.iter().any(|one| one.attestation == Attestation::Bitcoin(height)) {
        Ok(())
    } else {
        Err(format!("it does not lead to block {height}"))
    }
}
