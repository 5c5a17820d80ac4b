//! Copying everything from one store to another, whatever their engines.

mod account_records;
mod accuracy;
mod answer_records;
mod log;
mod mcp_scans;
mod owner_records;
mod report;
mod service_records;
mod target_log;

use contract::Clock;
use futures_util::stream::{self, StreamExt, TryStreamExt};

pub use report::CopyReport;

use report::{AT_ONCE, PAGE};

use crate::{Digest, ScanRow, Store, StoreError};

enum ScanCopyResult {
    New,
    AlreadyThere,
    Damaged(String),
}

/// Copies everything except allowance counts, sessions, requests for keys and idempotency replies,
/// which expire soon, and deliveries to webhooks, which are sent from where they wait. It can be
/// repeated at any time, after a failure or to update a copy. Existing data is compared; a scan, an
/// answer, an AI-accuracy record or a log that differs is an error.
///
/// A target with a different log is refused before anything is copied. Scans are copied first, so
/// that the target knows which artefacts are in use and a sweep there does not remove one that was
/// just copied. `clock` gives the times for the lease on the target's log, which is held while the
/// log is copied.
pub async fn copy(
    from: &dyn Store,
    to: &dyn Store,
    clock: &dyn Clock,
    progress: &mut (dyn FnMut(&CopyReport) + Send),
) -> Result<CopyReport, StoreError> {
    let mut report = CopyReport::default();
    log::check_same_log(from, to).await?;
    let mut after = None;
    loop {
        let page = from.export_scans(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.cursor());
        let results: Vec<ScanCopyResult> = stream::iter(page)
            .map(|row| copy_scan(from, to, row))
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await?;
        for result in results {
            match result {
                ScanCopyResult::New => report.scans += 1,
                ScanCopyResult::AlreadyThere => {
                    report.scans += 1;
                    report.scans_already_there += 1;
                }
                ScanCopyResult::Damaged(what) => report.damaged.push(what),
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
                // Removed by a sweep since it was listed.
                Ok(None) => {}
                Err(damage @ StoreError::Damaged { .. }) => report.damaged.push(damage.to_string()),
                Err(other) => return Err(other),
            }
        }
        progress(&report);
    }
    service_records::copy_deleted_scans(from, to, &mut report).await?;
    copy_seals(from, to, &mut report).await?;
    progress(&report);
    account_records::copy_licences(from, to, &mut report).await?;
    account_records::copy_usage(from, to, &mut report).await?;
    account_records::copy_licence_scans(from, to, &mut report).await?;
    account_records::copy_audit(from, to, &mut report).await?;
    account_records::copy_cursors(from, to).await?;
    for switch in from.switches().await? {
        to.set_switch(switch).await?;
        report.switches += 1;
    }
    service_records::copy_service_records(from, to, &mut report).await?;
    owner_records::copy_owner_records(from, to, &mut report).await?;
    accuracy::copy_accuracy(from, to, &mut report).await?;
    mcp_scans::copy_mcp_scans(from, to, &mut report).await?;
    progress(&report);
    log::copy_log(from, to, clock, &mut report, progress).await?;
    answer_records::copy_revocations(from, to, &mut report).await?;
    answer_records::copy_readings(from, to, &mut report).await?;
    answer_records::copy_decisions(from, to, &mut report).await?;
    progress(&report);
    Ok(report)
}

/// Copies every sealed day with the current state of its timestamps.
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

async fn copy_scan(
    from: &dyn Store,
    to: &dyn Store,
    row: ScanRow,
) -> Result<ScanCopyResult, StoreError> {
    let scan = match from.scan(&row.id).await {
        Ok(Some(scan)) => scan,
        Ok(None) => {
            return Ok(ScanCopyResult::Damaged(format!(
                "scan {} is listed but cannot be found",
                row.id
            )));
        }
        Err(damage @ StoreError::Damaged { .. }) => {
            return Ok(ScanCopyResult::Damaged(damage.to_string()));
        }
        Err(other) => return Err(other),
    };
    match to.put_scan(scan.clone()).await {
        Ok(()) => Ok(ScanCopyResult::New),
        Err(duplicate @ StoreError::Duplicate { .. }) => {
            if to.scan(&row.id).await?.as_ref() == Some(&scan) {
                Ok(ScanCopyResult::AlreadyThere)
            } else {
                Err(duplicate)
            }
        }
        Err(other) => Err(other),
    }
}
