//! Cases for scans of MCP servers and the surfaces that they saw.

use bytes::Bytes;
use futures_util::future::try_join_all;

use super::append_extras::{change, revocation};
use super::harness::{Case, CaseResult, Engine, LogPart, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, noise, same_as};
use crate::mcp_scans::{
    MAX_MCP_LISTS_BYTES, MAX_MCP_URL_BYTES, MCP_LISTS, MCP_SCANS_PER_URL, MCP_SURFACES_PER_URL,
};
use crate::{
    ChangesQuery, Digest, MAX_VALUE_BYTES, McpScanExtras, McpSurface, NewRevocation,
    RevocationsQuery, Store, StoreError, StoredMcpScan,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a scan of an MCP server comes back as written, also after reopening", |e| {
        Box::pin(comes_back(e))
    }),
    ("the latest scan of an MCP server is the one stored last", |e| Box::pin(latest(e))),
    ("only the newest scans of a URL are kept, and the newest complete one", |e| Box::pin(kept(e))),
    ("surfaces of an MCP server are extended, ended and started again", |e| Box::pin(surfaces(e))),
    ("only the newest surfaces of a URL are kept", |e| Box::pin(surfaces_kept(e))),
    ("the servers of a domain are listed with their latest scan", |e| Box::pin(of_domain(e))),
    ("a scan of an MCP server is written with all its extras or not at all", |e| {
        Box::pin(extras(e))
    }),
    ("the same scan of an MCP server again has no effect", |e| Box::pin(again(e))),
    ("a scan of an MCP server may be large, but not too large", |e| Box::pin(large(e))),
    ("a damaged scan of an MCP server is found, never served, and replaced", |e| {
        Box::pin(damaged(e))
    }),
];

/// A scan of the only server of a domain, with content that depends on its number.
pub(super) fn mcp_scan(
    name: &str,
    number: u64,
    surface: Option<&str>,
) -> Result<StoredMcpScan, String> {
    let state = if surface.is_some() { "observed" } else { "incomplete" };
    Ok(StoredMcpScan {
        url: url(name),
        domain: domain(name)?,
        scan_sha256: Digest::of(format!("{name} {number}").as_bytes()),
        observed_at: at(i64::try_from(number).unwrap_or(0)),
        state: String::from(state),
        surface_sha256: surface.map(|name| Digest::of(name.as_bytes())),
        document: Bytes::from(format!("{{\"server\":\"{name}\",\"number\":{number}}}")),
        lists: Bytes::from(format!("[\"tool {number}\"]")),
    })
}

fn url(name: &str) -> String {
    format!("https://{name}/mcp")
}

async fn put(store: &dyn Store, scan: &StoredMcpScan) -> CaseResult {
    store.put_mcp_scan(scan.clone(), McpScanExtras::default()).await.map_err(unexpected_error)
}

fn surface(name: &str, first: i64, last: i64) -> McpSurface {
    let surface_sha256 = Digest::of(name.as_bytes());
    McpSurface { surface_sha256, first_seen: at(first), last_seen: at(last) }
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let full = mcp_scan("a.lab", 1, Some("x"))?;
    let bare = StoredMcpScan {
        state: String::from("unreachable"),
        document: Bytes::new(),
        lists: Bytes::new(),
        ..mcp_scan("b.lab", 2, None)?
    };
    check_eq!(store.mcp_scan(full.scan_sha256).await, Ok(None), "before it was put");
    check_eq!(store.latest_mcp_scan(&full.url).await, Ok(None), "the latest of none");
    check_eq!(store.latest_complete_mcp_scan(&full.url).await, Ok(None), "complete, of none");
    check_eq!(store.mcp_surfaces(&full.url, 9).await, Ok(vec![]), "surfaces of none");
    check_eq!(store.mcp_scans_of_domain(&full.domain, 9).await, Ok(vec![]), "a list of none");
    check_eq!(store.list_mcp_scans(None, 9).await, Ok(vec![]), "a list of all");
    put(store.as_ref(), &full).await?;
    put(store.as_ref(), &bare).await?;
    check_eq!(store.mcp_scan(full.scan_sha256).await, Ok(Some(full.clone())), "at once");
    drop(store);
    let store = location.open().await;
    for scan in [&full, &bare] {
        let expected = Ok(Some(scan.clone()));
        check_eq!(store.mcp_scan(scan.scan_sha256).await, expected, "by its digest");
        check_eq!(store.latest_mcp_scan(&scan.url).await, expected, "by its URL");
    }
    check_eq!(store.latest_complete_mcp_scan(&full.url).await, Ok(Some(full)), "complete");
    check_eq!(store.latest_complete_mcp_scan(&bare.url).await, Ok(None), "never complete");
    Ok(())
}

async fn latest(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    // The clock was set back after the first one.
    let first = mcp_scan("a.lab", 900, Some("x"))?;
    let second = mcp_scan("a.lab", 100, Some("x"))?;
    let third = mcp_scan("a.lab", 50, None)?;
    for scan in [&first, &second, &mcp_scan("b.lab", 7, Some("x"))?, &third] {
        put(store.as_ref(), scan).await?;
    }
    drop(store);
    let store = location.open().await;
    check_eq!(store.latest_mcp_scan(&third.url).await, Ok(Some(third.clone())), "the latest");
    let complete = store.latest_complete_mcp_scan(&third.url).await;
    check_eq!(complete, Ok(Some(second)), "the latest complete one");
    let expected = vec![surface("x", 900, 900)];
    check_eq!(store.mcp_surfaces(&third.url, 9).await, Ok(expected), "its surface");
    Ok(())
}

async fn kept(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let other = mcp_scan("b.lab", 1, None)?;
    put(store.as_ref(), &other).await?;
    let complete = mcp_scan("a.lab", 1, Some("x"))?;
    put(store.as_ref(), &mcp_scan("a.lab", 0, Some("w"))?).await?;
    put(store.as_ref(), &complete).await?;
    for number in 2..9 {
        put(store.as_ref(), &mcp_scan("a.lab", number, None)?).await?;
    }
    let listed = store.list_mcp_scans(None, usize::MAX).await.map_err(unexpected_error)?;
    let of = |number| Digest::of(format!("a.lab {number}").as_bytes());
    let expected = [other.scan_sha256, of(1), of(6), of(7), of(8)];
    let digests: Vec<Digest> = listed.iter().map(|listed| listed.sha256).collect();
    check_eq!(digests, expected, "what is kept");
    check_eq!(listed.len(), 1 + MCP_SCANS_PER_URL, "how many are kept");
    let found = store.latest_complete_mcp_scan(&complete.url).await;
    check_eq!(found, Ok(Some(complete.clone())), "the complete one");
    check_eq!(store.mcp_scan(of(5)).await, Ok(None), "one that was removed");
    for number in 9..13 {
        put(store.as_ref(), &mcp_scan("a.lab", number, Some("y"))?).await?;
    }
    check_eq!(store.mcp_scan(complete.scan_sha256).await, Ok(None), "no longer the newest");
    let listed = store.list_mcp_scans(None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(listed.len(), 1 + MCP_SCANS_PER_URL, "how many are kept then");
    // In pages.
    let first = store.list_mcp_scans(None, 2).await.map_err(unexpected_error)?;
    let after = first.last().map(|last| last.position);
    let rest = store.list_mcp_scans(after, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!([first, rest].concat(), listed, "the list in pages");
    Ok(())
}

async fn surfaces(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let seen =
        [Some("x"), Some("x"), None, Some("x"), Some("y"), Some("x"), None, Some("z"), Some("z")];
    for (name, number) in seen.into_iter().zip(1..) {
        put(store.as_ref(), &mcp_scan("a.lab", number, name)?).await?;
        put(store.as_ref(), &mcp_scan("b.lab", number, Some("x"))?).await?;
    }
    drop(store);
    let store = location.open().await;
    let expected = [surface("z", 8, 9), surface("x", 6, 6), surface("y", 5, 5), surface("x", 1, 4)];
    same_as("all surfaces", store.mcp_surfaces(&url("a.lab"), usize::MAX).await, &expected)?;
    let newest = expected.get(..2).unwrap_or_default();
    same_as("the newest", store.mcp_surfaces(&url("a.lab"), 2).await, newest)?;
    let other = [surface("x", 1, 9)];
    same_as("the other server", store.mcp_surfaces(&url("b.lab"), 9).await, &other)?;
    let urls = [url("a.lab"), url("b.lab")];
    same_as("the URLs", store.list_mcp_surface_urls(None, 9).await, &urls)?;
    let after = store.list_mcp_surface_urls(Some(url("a.lab")), 9).await;
    same_as("the URLs after the first", after, &[url("b.lab")])
}

async fn surfaces_kept(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let all = MCP_SURFACES_PER_URL + 3;
    for number in 0..all {
        let scan = mcp_scan("a.lab", number as u64, Some(&number.to_string()))?;
        put(store.as_ref(), &scan).await?;
    }
    let found = store.mcp_surfaces(&url("a.lab"), usize::MAX).await.map_err(unexpected_error)?;
    let expected: Vec<McpSurface> = (3..all)
        .rev()
        .map(|number| surface(&number.to_string(), number as i64, number as i64))
        .collect();
    same_as("the surfaces", Ok(found.clone()), &expected)?;
    // As a copy does it: all of them, again, and those of another store.
    for surfaces in [found.clone(), found, vec![surface("x", 1, 5), surface("y", 0, 0)]] {
        let imported = store.import_mcp_surfaces(url("a.lab"), surfaces.clone()).await;
        check_eq!(imported, Ok(()), "importing");
        same_as("imported", store.mcp_surfaces(&url("a.lab"), usize::MAX).await, &surfaces)?;
    }
    put(store.as_ref(), &mcp_scan("a.lab", 9_000, Some("x"))?).await?;
    let expected = [surface("x", 1, 9_000), surface("y", 0, 0)];
    same_as("extended", store.mcp_surfaces(&url("a.lab"), usize::MAX).await, &expected)?;
    let many = vec![surface("x", 1, 5); all];
    let refused = store.import_mcp_surfaces(url("a.lab"), many).await;
    check!(matches!(refused, Err(StoreError::Failed { .. })), "too many: {refused:?}");
    same_as("unchanged", store.mcp_surfaces(&url("a.lab"), usize::MAX).await, &expected)
}

async fn of_domain(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let path = |path: &str, number: u64, surface: Option<&str>| {
        let scan = mcp_scan("a.lab", number, surface)?;
        Ok::<_, String>(StoredMcpScan { url: format!("https://a.lab/{path}"), ..scan })
    };
    let (one, two) = (path("one", 9, Some("x"))?, path("two", 8, None)?);
    for scan in [&path("one", 1, Some("w"))?, &two, &mcp_scan("b.lab", 3, None)?, &one] {
        put(store.as_ref(), scan).await?;
    }
    let found = store.mcp_scans_of_domain(&one.domain, usize::MAX).await;
    same_as("the servers", found, &[one.summary(), two.summary()])?;
    let found = store.mcp_scans_of_domain(&one.domain, 1).await;
    same_as("the first one", found, &[one.summary()])?;
    same_as("another domain", store.mcp_scans_of_domain(&domain("c.lab")?, 9).await, &[])
}

async fn extras(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let scan = mcp_scan("a.lab", 1, Some("x"))?;
    let full = McpScanExtras {
        changes: vec![change(1, "a.lab", 1)?, change(2, "a.lab", 1)?],
        revocations: vec![revocation(1, "a.lab", 1)?, revocation(2, "a.lab", 1)?],
    };
    // A value that cannot be read back: nothing of it is written.
    let bad = NewRevocation {
        actions: vec![String::from("two words,\nor more")],
        ..revocation(3, "a.lab", 1)?
    };
    let refused = McpScanExtras { revocations: vec![bad], ..full.clone() };
    let refused = store.put_mcp_scan(scan.clone(), refused).await;
    check!(refused.is_err(), "a value that cannot be read back was accepted");
    let all_changes = || ChangesQuery { limit: usize::MAX, ..ChangesQuery::default() };
    let all_revocations = || RevocationsQuery { limit: usize::MAX, ..RevocationsQuery::default() };
    check_eq!(store.mcp_scan(scan.scan_sha256).await, Ok(None), "the refused scan");
    check_eq!(store.changes(all_changes()).await, Ok(vec![]), "changes of the refused scan");

    store.put_mcp_scan(scan.clone(), full.clone()).await.map_err(unexpected_error)?;
    // Repeated by a caller that did not get the answer.
    store.put_mcp_scan(scan.clone(), full.clone()).await.map_err(unexpected_error)?;
    let changes = store.changes(all_changes()).await.map_err(unexpected_error)?;
    let new: Vec<_> = changes.into_iter().rev().map(crate::StoredChange::into_new).collect();
    check_eq!(new, full.changes, "the changes");
    let chain = store.revocations(all_revocations()).await.map_err(unexpected_error)?;
    let new: Vec<_> = chain.into_iter().map(|stored| stored.entry).collect();
    check_eq!(new, full.revocations, "the revocations");

    // A chain that cannot be extended: the scan is not stored without its revocations.
    drop(store);
    location.damage_log(LogPart::Revocation { seq: 2 }).await;
    let store = location.open().await;
    let next = mcp_scan("a.lab", 2, Some("y"))?;
    let refused = store.put_mcp_scan(next.clone(), full).await;
    check!(matches!(refused, Err(StoreError::Damaged { .. })), "a damaged chain: {refused:?}");
    check_eq!(store.mcp_scan(next.scan_sha256).await, Ok(None), "the scan");
    let expected = [surface("x", 1, 1)];
    same_as("the surfaces", store.mcp_surfaces(&scan.url, 9).await, &expected)?;
    let changes = store.changes(all_changes()).await.map_err(unexpected_error)?;
    check_eq!(changes.len(), 2, "the changes");
    put(store.as_ref(), &next).await
}

async fn again(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (first, second) = (mcp_scan("a.lab", 1, Some("x"))?, mcp_scan("a.lab", 2, Some("y"))?);
    for scan in [&first, &second, &first] {
        put(store.as_ref(), scan).await?;
    }
    store.import_mcp_scan(first.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.latest_mcp_scan(&first.url).await, Ok(Some(second)), "the latest");
    let expected = [surface("y", 2, 2), surface("x", 1, 1)];
    same_as("the surfaces", store.mcp_surfaces(&first.url, 9).await, &expected)?;
    let other = StoredMcpScan { lists: Bytes::new(), ..first.clone() };
    let refused = store.put_mcp_scan(other, McpScanExtras::default()).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "another one: {refused:?}");
    check_eq!(store.mcp_scan(first.scan_sha256).await, Ok(Some(first.clone())), "the first one");
    // An imported scan is the latest one, and its surface is imported apart.
    let third = mcp_scan("a.lab", 3, Some("z"))?;
    store.import_mcp_scan(third.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.latest_mcp_scan(&first.url).await, Ok(Some(third)), "the imported one");
    same_as("the surfaces then", store.mcp_surfaces(&first.url, 9).await, &expected)?;
    // Many at once, for the same servers.
    let many: Vec<StoredMcpScan> = (0..64)
        .map(|number| mcp_scan(&format!("s{}.lab", number % 4), number, Some("x")))
        .collect::<Result<_, _>>()?;
    let all = many.iter().map(|scan| store.put_mcp_scan(scan.clone(), McpScanExtras::default()));
    try_join_all(all).await.map_err(unexpected_error)?;
    let listed = store.list_mcp_scans(None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(listed.len(), 3 + 4 * MCP_SCANS_PER_URL, "how many there are");
    Ok(())
}

async fn large(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    // Compresses well, so that less than the limit is stored of it.
    let text = Bytes::from("{\"name\":\"a tool\"},".repeat(MAX_MCP_LISTS_BYTES / 4));
    let fine = StoredMcpScan {
        lists: text,
        document: noise(3, 2_000_000),
        ..mcp_scan("a.lab", 1, Some("x"))?
    };
    put(store.as_ref(), &fine).await?;
    check!(store.latest_mcp_scan(&fine.url).await == Ok(Some(fine.clone())), "it is another one");
    let next = mcp_scan("a.lab", 2, Some("y"))?;
    for lists in [noise(4, MAX_MCP_LISTS_BYTES + 1), Bytes::from(vec![0; MAX_VALUE_BYTES + 1])] {
        let refused = StoredMcpScan { lists, ..next.clone() };
        let extras = McpScanExtras { changes: vec![change(1, "a.lab", 1)?], revocations: vec![] };
        match store.put_mcp_scan(refused, extras).await {
            Err(StoreError::TooLarge { what, .. }) => check_eq!(what, MCP_LISTS, "what it names"),
            other => return Err(format!("lists that are too large: {other:?}")),
        }
    }
    check_eq!(store.first_change().await, Ok(None), "changes of what was refused");
    let refused = [
        StoredMcpScan { document: Bytes::from(vec![0; MAX_VALUE_BYTES + 1]), ..next.clone() },
        StoredMcpScan { url: "u".repeat(MAX_MCP_URL_BYTES + 1), ..next.clone() },
        StoredMcpScan { state: "s".repeat(1_000), ..next.clone() },
    ];
    for refused in refused {
        let refused = store.put_mcp_scan(refused, McpScanExtras::default()).await;
        check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    }
    check!(store.latest_mcp_scan(&fine.url).await == Ok(Some(fine)), "it is no longer the latest");
    let bare = StoredMcpScan { lists: Bytes::new(), ..next };
    put(store.as_ref(), &bare).await?;
    check_eq!(store.latest_mcp_scan(&bare.url).await, Ok(Some(bare.clone())), "without lists");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (sound, broken) = (mcp_scan("a.lab", 1, Some("x"))?, mcp_scan("a.lab", 2, Some("x"))?);
    put(store.as_ref(), &sound).await?;
    put(store.as_ref(), &broken).await?;
    drop(store);
    location.damage_mcp_scan(broken.scan_sha256).await;
    let store = location.open().await;
    for read in [
        store.mcp_scan(broken.scan_sha256).await,
        store.latest_mcp_scan(&broken.url).await,
        store.latest_complete_mcp_scan(&broken.url).await,
    ] {
        check!(matches!(read, Err(StoreError::Damaged { .. })), "the damaged one: {read:?}");
    }
    let listed = store.list_mcp_scans(None, 9).await.map_err(unexpected_error)?;
    check_eq!(listed.len(), 2, "the list of all");
    check_eq!(store.mcp_scan(sound.scan_sha256).await, Ok(Some(sound)), "a sound one");
    put(store.as_ref(), &broken).await?;
    check_eq!(store.latest_mcp_scan(&broken.url).await, Ok(Some(broken.clone())), "replaced");
    Ok(())
}
