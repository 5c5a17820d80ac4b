//! Copying scans of MCP servers, the surfaces of those servers, and issued locks.

use crate::{Store, StoreError};

use super::report::{CopyReport, PAGE};

pub(super) async fn copy_mcp_scans(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    copy_scans(from, to, report).await?;
    copy_surfaces(from, to, report).await?;
    copy_locks(from, to, report).await
}

/// Copies scans in the order in which they were stored, so that the latest one is the same in the target.
async fn copy_scans(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.list_mcp_scans(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.position);
        for listed in page {
            // Removed since it was listed, if there is none.
            if let Some(scan) = report.unless_damaged(from.mcp_scan(listed.sha256).await)?.flatten()
            {
                to.import_mcp_scan(scan).await?;
                report.mcp_scans += 1;
            }
        }
    }
}

/// Copies surfaces. Those of the same server in the target are replaced.
async fn copy_surfaces(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.list_mcp_surface_urls(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.clone());
        for url in page {
            let surfaces = from.mcp_surfaces(&url, usize::MAX).await;
            if let Some(surfaces) = report.unless_damaged(surfaces)? {
                to.import_mcp_surfaces(url, surfaces).await?;
                report.mcp_servers += 1;
            }
        }
    }
}

async fn copy_locks(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.list_mcp_locks(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.position);
        for listed in page {
            if let Some(lock) = report.unless_damaged(from.mcp_lock(listed.sha256).await)?.flatten()
            {
                to.put_mcp_lock(lock).await?;
                report.mcp_locks += 1;
            }
        }
    }
}
