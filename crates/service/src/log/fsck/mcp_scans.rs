//! Checks what is stored of MCP servers: every scan, surface and issued lock against its fingerprint, and
//! every scan against its signature, the values it is stored under, the lists it was made from, and the
//! surface that its server is said to have.

use contract::Timestamp;
use contract::mcp_evidence::McpEvidence;
use judge::mcp::surface_of_evidence;
use proof::canonical;
use serde_json::Value;
use store::{McpSurface, StoredMcpScan};

use super::parallel::{map_on_all_cores, read_all};
use super::stored_records::{LARGE_PAGE_SIZE, PAGE_SIZE};
use super::{FsckRequest, FsckRun, StorePart, VerifiedDocument};

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
            let read: Vec<_> = page.iter().map(|listed| listed.sha256).zip(read).collect();
            let request = self.request;
            let checked = map_on_all_cores(&read, |(sha256, scan)| match scan {
                Ok(Some(scan)) => request.check_mcp_scan(scan),
                Ok(None) => VerifiedDocument::failed(format!(
                    "the scan {sha256} of an MCP server is listed but not found"
                )),
                Err(error) => VerifiedDocument::failed(error.to_string()),
            });
            for checked in checked {
                self.count_wrong_time(checked.wrong_time);
                for fault in checked.failed {
                    self.add_fault(part, None, fault);
                }
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
            // The scan is read first: one that is stored in between finds its surface there.
            let read = read_all(&page, |url| async move {
                let scan = store.latest_complete_mcp_scan(url).await;
                (url, scan, store.mcp_surfaces(url, usize::MAX).await)
            });
            for (url, scan, surfaces) in read.await {
                match surfaces {
                    Ok(surfaces) => {
                        self.count_records(part, surfaces.len());
                        // A scan that cannot be read is a fault of the scans.
                        if let (Ok(Some(scan)), Some(current)) = (scan, surfaces.first())
                            && is_another_surface(&scan, current)
                        {
                            let what = "is not the one that its latest complete scan saw";
                            self.add_fault(part, None, format!("the surface of {url} {what}"));
                        }
                    }
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

/// Whether the current surface of a server contradicts its latest complete scan. A store that was copied
/// while its source was in use can have seen the surface in a later scan.
fn is_another_surface(scan: &StoredMcpScan, current: &McpSurface) -> bool {
    scan.surface_sha256 != Some(current.surface_sha256) && current.last_seen <= scan.observed_at
}

impl FsckRequest<'_> {
    fn check_mcp_scan(&self, scan: &StoredMcpScan) -> VerifiedDocument {
        let what = format!("the scan {} of an MCP server", scan.scan_sha256);
        let VerifiedDocument { failed: mut wrong, wrong_time } = self.verify(&scan.document, &what);
        let record = canonical::parse_strict(&scan.document).unwrap_or_default();
        let text = |pointer: &str| record.pointer(pointer).and_then(Value::as_str);
        let time = |pointer: &str| text(pointer)?.parse::<Timestamp>().ok();
        if text("/kind") != Some(&self.brand.kind("mcp-scan")) {
            wrong.push("its record is not that of a scan".to_owned());
        }
        let surface = scan.surface_sha256.map(|digest| digest.to_string());
        if text("/sha256") != Some(&scan.scan_sha256.to_string())
            || text("/url") != Some(&scan.url)
            || text("/domain") != Some(scan.domain.as_str())
            || text("/state") != Some(&scan.state)
            || text("/surface/surface_sha256") != surface.as_deref()
            || time("/scanned_at") != Some(scan.observed_at.whole_seconds())
        {
            wrong.push("it is stored under values that are not its own".to_owned());
        }
        // Lists that were too large are not stored.
        if !scan.lists.is_empty() {
            match serde_json::from_slice::<McpEvidence>(&scan.lists) {
                Ok(evidence) if surface_of_evidence(&evidence).digests.surface == surface => {}
                Ok(_) => wrong.push("its lists have another digest than it says".to_owned()),
                Err(error) => wrong.push(format!("its lists cannot be parsed: {error}")),
            }
        }
        let failed = wrong.into_iter().map(|why| format!("{what}: {why}")).collect();
        VerifiedDocument { failed, wrong_time }
    }
}
