//! Cases for issued locks of MCP servers.

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain};
use crate::mcp_scans::MAX_MCP_URL_BYTES;
use crate::{Digest, IssuedMcpLock, McpPosition, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a lock of an MCP server comes back as written, also after reopening", |e| {
        Box::pin(comes_back(e))
    }),
    ("the same lock of an MCP server again has no effect", |e| Box::pin(again(e))),
    ("a damaged lock of an MCP server is found, never served, and replaced", |e| {
        Box::pin(damaged(e))
    }),
];

pub(super) fn lock(number: u64) -> Result<IssuedMcpLock, String> {
    let name = format!("m{}.lab", number % 7);
    Ok(IssuedMcpLock {
        lock_sha256: Digest::of(format!("lock {number}").as_bytes()),
        url: format!("https://{name}/mcp"),
        domain: domain(&name)?,
        surface_sha256: Digest::of(b"surface"),
        scan_sha256: (number % 2 == 1).then(|| Digest::of(b"scan")),
        issued_at: at(i64::try_from(number).unwrap_or(0)),
    })
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (of_scan, of_lists) = (lock(1)?, lock(2)?);
    check_eq!(store.mcp_lock(of_scan.lock_sha256).await, Ok(None), "before it was put");
    check_eq!(store.list_mcp_locks(None, 9).await, Ok(vec![]), "the list of none");
    for lock in [&of_scan, &of_lists] {
        store.put_mcp_lock(lock.clone()).await.map_err(unexpected_error)?;
    }
    drop(store);
    let store = location.open().await;
    for lock in [&of_scan, &of_lists] {
        let expected = Ok(Some(lock.clone()));
        check_eq!(store.mcp_lock(lock.lock_sha256).await, expected, "after reopening");
    }
    let large = IssuedMcpLock { url: "u".repeat(MAX_MCP_URL_BYTES + 1), ..lock(3)? };
    let refused = store.put_mcp_lock(large).await;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    Ok(())
}

async fn again(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in [5, 1, 3, 5, 1] {
        store.put_mcp_lock(lock(number)?).await.map_err(unexpected_error)?;
    }
    let listed = store.list_mcp_locks(None, usize::MAX).await.map_err(unexpected_error)?;
    let digests: Vec<Digest> = listed.iter().map(|listed| listed.sha256).collect();
    let expected = [lock(5)?, lock(1)?, lock(3)?].map(|lock| lock.lock_sha256);
    check_eq!(digests, expected, "in the order of storing");
    let first: Vec<McpPosition> = store.list_mcp_locks(None, 1).await.map_err(unexpected_error)?;
    let after = first.last().map(|last| last.position);
    let rest = store.list_mcp_locks(after, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!([first, rest].concat(), listed, "in pages");
    let other = IssuedMcpLock { surface_sha256: Digest::of(b"another"), ..lock(1)? };
    let refused = store.put_mcp_lock(other).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "another one: {refused:?}");
    check_eq!(store.mcp_lock(lock(1)?.lock_sha256).await, Ok(Some(lock(1)?)), "the first one");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..3 {
        store.put_mcp_lock(lock(number)?).await.map_err(unexpected_error)?;
    }
    drop(store);
    let broken = lock(1)?;
    location.damage_mcp_lock(broken.lock_sha256).await;
    let store = location.open().await;
    let read = store.mcp_lock(broken.lock_sha256).await;
    check!(matches!(read, Err(StoreError::Damaged { .. })), "the damaged one: {read:?}");
    check_eq!(store.mcp_lock(lock(2)?.lock_sha256).await, Ok(Some(lock(2)?)), "a sound one");
    let listed = store.list_mcp_locks(None, 9).await.map_err(unexpected_error)?;
    check_eq!(listed.len(), 3, "the list of all");
    store.put_mcp_lock(broken.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.mcp_lock(broken.lock_sha256).await, Ok(Some(broken)), "replaced");
    Ok(())
}
