//! Copying claims of control, their events, and what owners reported. A damaged one ends the copy: who may act
//! as an owner must not be lost unnoticed.

use super::report::{CopyReport, PAGE};
use crate::{Store, StoreError};

pub(super) async fn copy_owner_records(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    copy_claims(from, to, report).await?;
    copy_events(from, to, report).await?;
    copy_incidents(from, to, report).await?;
    copy_disputes(from, to, report).await
}

async fn copy_claims(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.claims(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id.clone());
        for claim in page {
            to.import_claim(claim).await?;
            report.claims += 1;
        }
    }
}

async fn copy_events(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let last = from.last_control_event().await?;
    let mut after = 0;
    loop {
        let page = from.control_events_after(after, PAGE).await?;
        let next = page.last().map(|event| event.seq);
        report.control_events += page.len() as u64;
        to.import_control_events(page, last).await?;
        let Some(next) = next else { return Ok(()) };
        after = next;
    }
}

async fn copy_incidents(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.incidents(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id.clone());
        for incident in page {
            to.import_incident(incident).await?;
            report.incidents += 1;
        }
    }
}

async fn copy_disputes(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.disputes(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id.clone());
        for dispute in page {
            to.import_dispute(dispute).await?;
            report.disputes += 1;
        }
    }
}
