//! Checks what is stored of MCP servers: every scan, surface and issued lock against its fingerprint.

use super::parallel::read_all;
use super::stored_records::{LARGE_PAGE_SIZE, PAGE_SIZE};
use super::{FsckRun, StorePart};

impl FsckRun<'_> {
    pub(super) async fn check_mcp_scans(&mut self) {
        let (store, part) = (self.request.store, StorePart::McpScans);
        let mut after = None;
        loop {
            let page = match store.list_mcp_scans(after, LARGE_PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(part, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(last.position);
            self.count_records(part, page.len());
            let read = read_all(&page, |listed| store.mcp_scan(listed.sha256)).await;
            for (listed, scan) in page.iter().zip(read) {
                let what = format!("the scan {} of an MCP server", listed.sha256);
                self.check_found(part, &what, scan);
            }
        }
    }

    pub(super) async fn check_mcp_surfaces(&mut self) {
        let (store, part) = (self.request.store, StorePart::McpSurfaces);
        let mut after = None;
        loop {
            let page = match store.list_mcp_surface_urls(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(part, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(last.clone());
            for surfaces in read_all(&page, |url| store.mcp_surfaces(url, usize::MAX)).await {
                match surfaces {
                    Ok(surfaces) => self.count_records(part, surfaces.len()),
                    Err(error) => self.add_fault(part, None, error.to_string()),
                }
            }
        }
    }

    pub(super) async fn check_mcp_locks(&mut self) {
        let (store, part) = (self.request.store, StorePart::McpLocks);
        let mut after = None;
        loop {
            let page = match store.list_mcp_locks(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(part, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(last.position);
            self.count_records(part, page.len());
            let read = read_all(&page, |listed| store.mcp_lock(listed.sha256)).await;
            for (listed, lock) in page.iter().zip(read) {
                let what = format!("the lock {} of an MCP server", listed.sha256);
                self.check_found(part, &what, lock);
            }
        }
    }
}
