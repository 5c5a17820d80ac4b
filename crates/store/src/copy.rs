//! Moving everything from one store to another, whatever their engines.

mod beside;
mod log;
mod work;

use contract::Clock;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::{Digest, Licence, ScanRow, Store, StoreError};

/// How far a copy has come, or what it did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyReport {
    pub scans: u64,
    /// Of these, how many the target held already, byte for byte the same.
    pub scans_already_there: u64,
    pub artifacts: u64,
    pub seals: u64,
    pub licences: u64,
    pub switches: u64,
    pub outcomes: u64,
    pub clocks: u64,
    pub census_rows: u64,
    pub jobs: u64,
    /// Batches of the log.
    pub batches: u64,
    /// Of these, how many the target had already.
    pub batches_already_there: u64,
    pub answers: u64,
    pub answers_already_there: u64,
    pub cosignatures: u64,
    pub sightings: u64,
    pub changes: u64,
    pub revocations: u64,
    pub readings: u64,
    pub decisions: u64,
    /// What the source could not give because it is damaged there. The rest was copied.
    pub damaged: Vec<String>,
}

const PAGE: usize = 256;
/// Enough to fill one group commit of the target, few enough to hold in memory.
const AT_ONCE: usize = 32;

enum Copied {
    New,
    AlreadyThere,
    Damaged(String),
}

/// Copies everything but the counts of the day and the replies kept for requests that are sent
/// again, which a day forgets anyway. Can be run again at
/// any time, after a failure or to bring a copy up to date; what is there already is compared, and
/// a scan, an answer or a log that differs is an error.
///
/// A target with another log is refused before anything is copied. Then scans go first: they tell
/// the target which artefacts are in use, so that a sweep there cannot take one that has just come
/// over. The clock is asked for the terms of the target's lease, which is held while its log grows.
pub async fn copy(
    from: &dyn Store,
    to: &dyn Store,
    clock: &dyn Clock,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<CopyReport, StoreError> {
    let mut report = CopyReport::default();
    log::compare(from, to).await?;
    let mut after = None;
    loop {
        let page = from.export_scans(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.cursor());
        let results: Vec<Copied> = stream::iter(page)
            .map(|row| copy_scan(from, to, row))
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await?;
        for result in results {
            match result {
                Copied::New => report.scans += 1,
                Copied::AlreadyThere => {
                    report.scans += 1;
                    report.scans_already_there += 1;
                }
                Copied::Damaged(what) => report.damaged.push(what),
            }
        }
        progress(&report);
    }
    let mut after: Option<Digest> = None;
    loop {
        let page = from.export_artifacts(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.sha256);
        for row in page {
            match from.artifact(row.sha256).await {
                Ok(Some(bytes)) => {
                    to.put_artifact(row.sha256, bytes, row.kept_at).await?;
                    report.artifacts += 1;
                }
                // Swept since it was listed.
                Ok(None) => {}
                Err(damage @ StoreError::Damaged { .. }) => report.damaged.push(damage.to_string()),
                Err(other) => return Err(other),
            }
        }
        progress(&report);
    }
    copy_seals(from, to, &mut report).await?;
    progress(&report);
    for licence in from.licences().await? {
        copy_licence(to, licence).await?;
        report.licences += 1;
    }
    for switch in from.switches().await? {
        to.set_switch(switch).await?;
        report.switches += 1;
    }
    work::copy_work(from, to, &mut report).await?;
    progress(&report);
    log::copy_log(from, to, clock, &mut report, progress).await?;
    beside::copy_revocations(from, to, &mut report).await?;
    beside::copy_readings(from, to, &mut report).await?;
    beside::copy_decisions(from, to, &mut report).await?;
    progress(&report);
    Ok(report)
}

/// Every sealed day with its timestamps, which go as far as they have come.
async fn copy_seals(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut before = None;
    loop {
        let page = from.seals(before, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        before = Some(last.day);
        for row in page {
            match from.seal(row.day).await {
                Ok(Some(seal)) => {
                    to.put_seal(seal).await?;
                    report.seals += 1;
                }
                Ok(None) => {}
                Err(damage @ StoreError::Damaged { .. }) => {
                    report.damaged.push(damage.to_string());
                    continue;
                }
                Err(other) => return Err(other),
            }
            for anchor in from.anchors(row.day).await? {
                to.put_anchor(anchor).await?;
            }
        }
    }
}

/// A licence that was revoked since the last copy is revoked in the copy too; one that differs in
/// any other way is another licence, and an error.
async fn copy_licence(to: &dyn Store, licence: Licence) -> Result<(), StoreError> {
    let duplicate = match to.put_licence(licence.clone()).await {
        Err(duplicate @ StoreError::Duplicate { .. }) => duplicate,
        done => return done,
    };
    let mut there = to.licence_by_key(licence.key_sha256).await?;
    if let (Some(kept), Some(at)) = (&there, licence.revoked_at)
        && kept.id == licence.id
    {
        there = to.revoke_licence(&licence.id, at).await?;
    }
    if there == Some(licence) { Ok(()) } else { Err(duplicate) }
}

async fn copy_scan(from: &dyn Store, to: &dyn Store, row: ScanRow) -> Result<Copied, StoreError> {
    let scan = match from.scan(&row.id).await {
        Ok(Some(scan)) => scan,
        Ok(None) => {
            return Ok(Copied::Damaged(format!("scan {} is listed and cannot be found", row.id)));
        }
        Err(damage @ StoreError::Damaged { .. }) => return Ok(Copied::Damaged(damage.to_string())),
        Err(other) => return Err(other),
    };
    match to.put_scan(scan.clone()).await {
        Ok(()) => Ok(Copied::New),
        Err(duplicate @ StoreError::Duplicate { .. }) => {
            if to.scan(&row.id).await?.as_ref() == Some(&scan) {
                Ok(Copied::AlreadyThere)
            } else {
                Err(duplicate)
            }
        }
        Err(other) => Err(other),
    }
}
