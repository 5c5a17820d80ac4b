//! Copying AI-accuracy records.

use crate::{Store, StoreError, StoredAccuracy};

use super::report::{CopyReport, PAGE};

/// Copies records in the order in which they were stored. Their changes are copied with all others.
pub(super) async fn copy_accuracy(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.list_accuracy(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.position);
        for listed in page {
            let read = from.accuracy_by_digest(listed.sha256).await;
            // Removed since it was listed, if there is none.
            if let Some(accuracy) = report.unless_damaged(read)?.flatten() {
                copy_record(to, accuracy).await?;
                report.accuracy += 1;
            }
        }
    }
}

/// Refused if the target has another record of the same domain, engine and day.
async fn copy_record(to: &dyn Store, accuracy: StoredAccuracy) -> Result<(), StoreError> {
    if to.put_accuracy(accuracy.clone(), Vec::new()).await?
        || to.accuracy_by_digest(accuracy.sha256).await?.as_ref() == Some(&accuracy)
    {
        return Ok(());
    }
    let id = format!("{} of {} by {}", accuracy.day(), accuracy.domain, accuracy.engine);
    Err(StoreError::Duplicate { what: "record of AI accuracy", id })
}
