//! Copying licences and what belongs to them.

use crate::{Store, StoreError};

use super::report::{CopyReport, PAGE};

/// After this many unreadable entries of the audit log in a row, the rest is given up.
const MAX_UNREADABLE: u32 = 1_000;

/// Copies licences with their keys and webhooks. What was revoked in either store is revoked in the target.
pub(super) async fn copy_licences(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.licences(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.cursor());
        for licence in page {
            let keys = from.keys_of(&licence.id).await?;
            let webhooks = from.webhooks_of(&licence.id).await?;
            // Only a licence whose data was deleted has no key.
            let deleted = licence.revoked_at.filter(|_| keys.is_empty());
            let id = licence.id.clone();
            to.import_licence(licence, keys).await?;
            if let Some(at) = deleted {
                to.delete_licence_data(&id, at).await?;
            }
            report.licences += 1;
            for webhook in webhooks {
                to.import_webhook(webhook).await?;
                report.webhooks += 1;
            }
        }
    }
}

/// Copies the calls of licences. Those in the target are replaced.
pub(super) async fn copy_usage(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.export_usage(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.cursor());
        report.usage_rows += page.len() as u64;
        to.import_usage(page).await?;
    }
}

/// Copies which scans were made for which licence. Deleted scans are gone from the target by now.
pub(super) async fn copy_licence_scans(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = 0;
    loop {
        let page = from.licence_scans_after(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        report.licence_scans += page.len() as u64;
        to.import_licence_scans(page, after).await?;
    }
    let last = from.last_licence_scan().await?;
    to.import_licence_scans(Vec::new(), last).await
}

/// Copies the audit log. Its numbers are consecutive, so that an entry that cannot be read is stepped over.
pub(super) async fn copy_audit(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let (mut after, mut limit, mut unreadable) = (0, PAGE, 0);
    loop {
        let page = match from.export_audit(after, limit).await {
            Err(StoreError::Damaged { .. }) if limit > 1 => {
                limit = 1;
                continue;
            }
            read => report.unless_damaged(read)?,
        };
        let Some(page) = page else {
            unreadable += 1;
            if unreadable >= MAX_UNREADABLE {
                return Ok(());
            }
            after += 1;
            continue;
        };
        (limit, unreadable) = (PAGE, 0);
        let Some(last) = page.last() else { return Ok(()) };
        after = last.seq;
        report.audit_entries += page.len() as u64;
        to.import_audit(page).await?;
    }
}

/// Copies how far the sources of events were read, so that the target does not send all of them again.
pub(super) async fn copy_cursors(from: &dyn Store, to: &dyn Store) -> Result<(), StoreError> {
    for (source, cursor) in from.fan_out_cursors().await? {
        let there = to.fan_out_cursor(&source).await?;
        if there < cursor {
            to.fan_out(&source, there, cursor, Vec::new()).await?;
        }
    }
    Ok(())
}
