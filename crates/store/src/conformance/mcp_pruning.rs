//! Cases for removing scans and surfaces of MCP servers that are past their retention.

use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::mcp_scans::mcp_scan;
use super::sample_values::at;
use crate::{Digest, IssuedMcpLock, McpScanExtras, Prunable, Store, StoredMcpScan};

pub(super) const CASES: &[(&str, Case)] = &[
    ("old scans and surfaces of MCP servers go, a few at a time", |e| Box::pin(by_time(e))),
    ("a server that is still scanned keeps its surface and its complete scan", |e| {
        Box::pin(still_scanned(e))
    }),
    ("what a lock refers to stays", |e| Box::pin(locked(e))),
];

async fn put(store: &dyn Store, scan: &StoredMcpScan) -> CaseResult {
    store.put_mcp_scan(scan.clone(), McpScanExtras::default()).await.map_err(unexpected_error)
}

async fn scans(store: &dyn Store) -> Result<Vec<Digest>, String> {
    let listed = store.list_mcp_scans(None, usize::MAX).await.map_err(unexpected_error)?;
    Ok(listed.iter().map(|listed| listed.sha256).collect())
}

async fn surfaces(store: &dyn Store, url: &str) -> Result<Vec<Digest>, String> {
    let found = store.mcp_surfaces(url, usize::MAX).await.map_err(unexpected_error)?;
    Ok(found.iter().map(|surface| surface.surface_sha256).collect())
}

async fn by_time(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let all: Vec<StoredMcpScan> = (0..6_u64)
        .map(|number| mcp_scan(&format!("s{number}.lab"), 10 * number, Some("x")))
        .collect::<Result<_, _>>()?;
    for scan in &all {
        put(&*store, scan).await?;
    }
    for what in [Prunable::McpScans, Prunable::McpSurfaces] {
        check_eq!(store.prune(what, at(0), 100).await, Ok(0), "before any: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(2), "a step: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(1), "the next: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(0), "the last: {what:?}");
    }
    drop(store);
    let store = location.open().await;
    let expected: Vec<Digest> = all.iter().skip(3).map(|scan| scan.scan_sha256).collect();
    check_eq!(scans(&*store).await?, expected, "the scans that stay");
    let urls = store.list_mcp_surface_urls(None, 9).await.map_err(unexpected_error)?;
    let expected: Vec<String> = all.iter().skip(3).map(|scan| scan.url.clone()).collect();
    check_eq!(urls, expected, "the servers whose surfaces stay");
    Ok(())
}

async fn still_scanned(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    // Its lists were read twice long ago; since then it only refuses.
    let first = mcp_scan("a.lab", 1, Some("x"))?;
    let complete = mcp_scan("a.lab", 2, Some("y"))?;
    let recent = mcp_scan("a.lab", 100, None)?;
    for scan in [&first, &complete, &recent] {
        put(&*store, scan).await?;
    }
    check_eq!(store.prune(Prunable::McpScans, at(50), 9).await, Ok(1), "the superseded scan");
    let expected = [complete.scan_sha256, recent.scan_sha256];
    check_eq!(scans(&*store).await?, expected, "the scans that stay");
    check_eq!(store.prune(Prunable::McpSurfaces, at(50), 9).await, Ok(1), "the old surface");
    check_eq!(surfaces(&*store, &first.url).await?, [Digest::of(b"y")], "the current surface");
    // Nobody asks for it any longer.
    check_eq!(store.prune(Prunable::McpScans, at(200), 9).await, Ok(2), "all scans");
    check_eq!(store.prune(Prunable::McpSurfaces, at(200), 9).await, Ok(1), "the last surface");
    check_eq!(scans(&*store).await?, [], "scans");
    check_eq!(surfaces(&*store, &first.url).await?, [], "surfaces");
    Ok(())
}

async fn locked(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let of_lock = mcp_scan("a.lab", 1, Some("x"))?;
    let between = mcp_scan("a.lab", 2, Some("y"))?;
    let last = mcp_scan("a.lab", 3, Some("z"))?;
    let other = mcp_scan("b.lab", 1, Some("x"))?;
    for scan in [&of_lock, &between, &last, &other] {
        put(&*store, scan).await?;
    }
    let lock = IssuedMcpLock {
        lock_sha256: Digest::of(b"lock"),
        url: of_lock.url.clone(),
        domain: of_lock.domain.clone(),
        surface_sha256: Digest::of(b"x"),
        scan_sha256: Some(of_lock.scan_sha256),
        issued_at: at(1),
    };
    store.put_mcp_lock(lock.clone()).await.map_err(unexpected_error)?;
    // Whether the lock still holds is told from its own scan and the latest complete one.
    check_eq!(store.prune(Prunable::McpScans, at(50), 9).await, Ok(2), "scans");
    let expected = [of_lock.scan_sha256, last.scan_sha256];
    check_eq!(scans(&*store).await?, expected, "the scans that stay");
    check_eq!(store.prune(Prunable::McpSurfaces, at(50), 9).await, Ok(2), "surfaces");
    let expected = [Digest::of(b"z"), Digest::of(b"x")];
    check_eq!(surfaces(&*store, &of_lock.url).await?, expected, "the surfaces that stay");
    check_eq!(surfaces(&*store, &other.url).await?, [], "the other server, without a lock");
    check_eq!(store.mcp_lock(lock.lock_sha256).await, Ok(Some(lock)), "the lock");
    Ok(())
}
