//! Cases for copying to another store; both stores use the engine under test.

use bytes::Bytes;
use contract::clock::FixedClock;

use super::accuracy::{accuracy, compare_accuracy, fill_accuracy};
use super::census::{begin, row};
use super::clocks::{clock as page_clock, version};
use super::conduct::conduct_day;
use super::feeds::feed;
use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::jobs::job;
use super::mcp_locks::lock;
use super::mcp_scans::mcp_scan;
use super::outcomes::outcome;
use super::registrations::{change as registration_change, registration};
use super::sample_values::{at, noise, put_licence, same_as, scan};
use super::seals::{anchor, seal};
use crate::mcp_scans::MCP_SCANS_PER_URL;
use crate::{
    CensusQuery, CopyReport, Digest, McpPosition, McpScanExtras, Scan, Store, StoreError, Switch,
    Visibility, copy,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a copy contains everything, and copying again changes nothing", |e| Box::pin(everything(e))),
    ("an interrupted copy continues where it stopped", |e| Box::pin(broken_off(e))),
    ("a copy never replaces a different scan with the same id", |e| Box::pin(conflict(e))),
    ("a copy reports what is damaged and copies the rest", |e| Box::pin(damaged(e))),
];

fn clock() -> FixedClock {
    FixedClock(at(0))
}

const SCANS: u64 = 300;
const ARTIFACTS: u64 = 60;
const SEALS: i64 = 300;

/// More than one page of scans, hidden ones among them, and artefacts used and unused.
async fn fill(store: &dyn Store) -> CaseResult {
    for number in 0..SCANS {
        let step = i64::try_from(number).unwrap_or(0);
        let mut put = scan(&format!("s{number}"), &format!("d{}.lab", number % 7), step / 5)?;
        put.visibility = match number % 3 {
            0 => Visibility::Public,
            1 => Visibility::Unlisted,
            _ => Visibility::Private,
        };
        put.evidence = noise(number, 500);
        put.artifacts = vec![Digest::of(&body(number % ARTIFACTS))];
        store.put_scan(put).await.map_err(unexpected_error)?;
    }
    for number in 0..ARTIFACTS {
        let (bytes, step) = (body(number), i64::try_from(number).unwrap_or(0));
        store.put_artifact(Digest::of(&bytes), bytes, at(step)).await.map_err(unexpected_error)?;
    }
    for number in 0..SEALS {
        store.put_seal(seal(number, number.unsigned_abs() % 7)).await.map_err(unexpected_error)?;
        store
            .put_anchor(anchor(number, "https://calendar.example"))
            .await
            .map_err(unexpected_error)?;
    }
    for id in ["l1", "l2", "l3"] {
        put_licence(store, id, 1).await?;
    }
    store.revoke_licence("l2", at(2)).await.map_err(unexpected_error)?;
    let switch = Switch { name: String::from("paused"), on: true, changed_at: at(3) };
    store.set_switch(switch).await.map_err(unexpected_error)?;
    fill_work(store).await
}

const OUTCOMES: i64 = 300;
const CENSUS_ROWS: u64 = 300;
const FEEDS: u64 = 5;
const CONDUCT_DAYS: i64 = 300;
const REGISTRATIONS: u64 = 300;
const ACCURACY_RECORDS: i64 = 300;
/// More than a page of servers and locks; of the first one, more scans than are kept.
const MCP_SERVERS: u64 = 300;
const MCP_SCANS_OF_FIRST: u64 = 7;
const MCP_LOCKS: u64 = 300;

/// Writes reports, clocks, a census, feeds, counts of agents, registrations, AI-accuracy records, scans of MCP servers
/// and jobs, with more than one page of those that are paged.
async fn fill_work(store: &dyn Store) -> CaseResult {
    for number in 0..OUTCOMES {
        let put = outcome(&format!("d{}.lab", number % 7), number, number)?;
        store.put_outcome(put, vec![]).await.map_err(unexpected_error)?;
    }
    for page in ["a", "b"] {
        let url = format!("https://shop.lab/{page}");
        for n in 1..4 {
            let put = page_clock(&url, "shop.lab", 9)?;
            store.put_clock(put, Some(version(n))).await.map_err(unexpected_error)?;
        }
    }
    let (one, two) = (begin(store, 0).await?, begin(store, 5).await?);
    for rank in 0..CENSUS_ROWS {
        let put = row(one, rank, &format!("d{rank}.lab"))?;
        store.put_census_rows(vec![put]).await.map_err(unexpected_error)?;
    }
    store.finish_census(one, at(4)).await.map_err(unexpected_error)?;
    store.put_census_rows(vec![row(two, 1, "d1.lab")?]).await.map_err(unexpected_error)?;
    for number in 0..FEEDS {
        let put = feed(&format!("f{number}"), number + 1);
        store.put_feed(put).await.map_err(unexpected_error)?;
    }
    for number in 0..CONDUCT_DAYS {
        store.put_conduct_day(conduct_day(number)).await.map_err(unexpected_error)?;
    }
    for number in 0..REGISTRATIONS {
        let name = format!("r{number}.lab");
        let changes = vec![registration_change(&name, 3, "status")?];
        store.put_registration(registration(&name, 1)?, changes).await.map_err(unexpected_error)?;
    }
    fill_accuracy(store, ACCURACY_RECORDS).await?;
    fill_mcp(store).await?;
    for key in ["a", "b", "c"] {
        store.queue_job(job("scan", key, 3), at(2)).await.map_err(unexpected_error)?;
    }
    Ok(())
}

async fn fill_mcp(store: &dyn Store) -> CaseResult {
    for number in 0..MCP_SCANS_OF_FIRST {
        // It changes back and forth, and the last readings are not complete.
        let surface = (number < 3).then_some(if number == 1 { "y" } else { "x" });
        let put = mcp_scan("m0.lab", 1_000 + number, surface)?;
        store.put_mcp_scan(put, McpScanExtras::default()).await.map_err(unexpected_error)?;
    }
    for number in 1..MCP_SERVERS {
        let put = mcp_scan(&format!("m{number}.lab"), number, Some("x"))?;
        store.put_mcp_scan(put, McpScanExtras::default()).await.map_err(unexpected_error)?;
    }
    for number in 0..MCP_LOCKS {
        store.put_mcp_lock(lock(number)?).await.map_err(unexpected_error)?;
    }
    Ok(())
}

/// Fails unless both stores have the same scans, surfaces and locks of MCP servers.
async fn compare_mcp(original: &dyn Store, copy: &dyn Store) -> CaseResult {
    let listed = original.list_mcp_scans(None, usize::MAX).await.map_err(unexpected_error)?;
    let copied = copy.list_mcp_scans(None, usize::MAX).await.map_err(unexpected_error)?;
    let digests = |listed: &[McpPosition]| -> Vec<Digest> {
        listed.iter().map(|listed| listed.sha256).collect()
    };
    check_eq!(digests(&copied), digests(&listed), "the order of the scans of MCP servers");
    for sha256 in digests(&listed) {
        check_eq!(copy.mcp_scan(sha256).await, original.mcp_scan(sha256).await, "scan {sha256}");
    }
    let urls = original.list_mcp_surface_urls(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("the URLs", copy.list_mcp_surface_urls(None, usize::MAX).await, &urls)?;
    for url in &urls {
        let expected = original.mcp_surfaces(url, usize::MAX).await;
        check_eq!(copy.mcp_surfaces(url, usize::MAX).await, expected, "the surfaces of {url}");
    }
    let listed = original.list_mcp_locks(None, usize::MAX).await.map_err(unexpected_error)?;
    let copied = copy.list_mcp_locks(None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(digests(&copied), digests(&listed), "the order of the locks of MCP servers");
    for sha256 in digests(&listed) {
        check_eq!(copy.mcp_lock(sha256).await, original.mcp_lock(sha256).await, "lock {sha256}");
    }
    Ok(())
}

/// Fails unless both stores have the same reports, clocks, census, feeds, registrations, AI-accuracy records, scans of
/// MCP servers and jobs.
async fn compare_work(original: &dyn Store, copy: &dyn Store) -> CaseResult {
    let expected = original.export_outcomes(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("reports", copy.export_outcomes(None, usize::MAX).await, &expected)?;
    let expected = original.export_clocks(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("clocks", copy.export_clocks(None, usize::MAX).await, &expected)?;
    for listed in expected {
        let (url, expected) = (&listed.url, original.clock(&listed.url).await);
        check_eq!(copy.clock(url).await, expected, "the clock of {url}");
    }
    let expected = original.census_runs(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("runs", copy.census_runs(None, usize::MAX).await, &expected)?;
    for run in expected {
        let all = CensusQuery { limit: usize::MAX, ..CensusQuery::default() };
        let expected =
            original.census_rows(run.run, all.clone()).await.map_err(unexpected_error)?;
        same_as("rows", copy.census_rows(run.run, all).await, &expected)?;
    }
    let expected = original.feeds().await.map_err(unexpected_error)?;
    same_as("feeds", copy.feeds().await, &expected)?;
    let expected = original.list_conduct_days(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("days", copy.list_conduct_days(None, usize::MAX).await, &expected)?;
    for day in expected {
        check_eq!(copy.conduct_day(day).await, original.conduct_day(day).await, "counts of {day}");
    }
    let expected = original.list_registrations(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("registrations", copy.list_registrations(None, usize::MAX).await, &expected)?;
    for name in &expected {
        check_eq!(copy.registration(name).await, original.registration(name).await, "{name}");
        let changes = original.registration_changes(name).await;
        check_eq!(copy.registration_changes(name).await, changes, "the changes of {name}");
    }
    compare_accuracy(original, copy).await?;
    compare_mcp(original, copy).await?;
    let expected = original.export_jobs(None, usize::MAX).await.map_err(unexpected_error)?;
    same_as("jobs", copy.export_jobs(None, usize::MAX).await, &expected)
}

fn body(number: u64) -> Bytes {
    noise(number + 1_000, 3_000)
}

/// Fails unless `copy` has the same contents as `original`.
async fn compare(original: &dyn Store, copy: &dyn Store) -> CaseResult {
    let rows = original.export_scans(None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(copy.export_scans(None, usize::MAX).await, Ok(rows.clone()), "the list of scans");
    for row in rows {
        check_eq!(copy.scan(&row.id).await, original.scan(&row.id).await, "scan {}", row.id);
    }
    let rows = original.seals(None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(copy.seals(None, usize::MAX).await, Ok(rows.clone()), "the list of seals");
    for row in rows {
        check_eq!(copy.seal(row.day).await, original.seal(row.day).await, "seal of {}", row.day);
        let expected = original.anchors(row.day).await;
        check_eq!(copy.anchors(row.day).await, expected, "timestamps of {}", row.day);
    }
    let expected = original.licences(None, usize::MAX).await;
    check_eq!(copy.licences(None, usize::MAX).await, expected, "the licences");
    check_eq!(copy.switches().await, original.switches().await, "the switches");
    let rows = original.export_artifacts(None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(
        copy.export_artifacts(None, usize::MAX).await,
        Ok(rows.clone()),
        "the artefacts' list"
    );
    for row in rows {
        let (sha256, expected) = (row.sha256, original.artifact(row.sha256).await);
        check_eq!(copy.artifact(sha256).await, expected, "artefact {sha256}");
    }
    compare_work(original, copy).await
}

async fn everything(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    let empty = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await;
    check_eq!(empty, Ok(CopyReport::default()), "a copy of nothing");

    fill(from.as_ref()).await?;
    let mut steps = Vec::new();
    let report =
        copy(from.as_ref(), to.as_ref(), &clock(), &mut |report| steps.push(report.clone()))
            .await
            .map_err(unexpected_error)?;
    check_eq!(
        (report.scans, report.scans_already_there, report.artifacts),
        (SCANS, 0, ARTIFACTS),
        "copied"
    );
    check_eq!(
        (report.outcomes, report.clocks, report.census_rows, report.feeds, report.jobs),
        (OUTCOMES.unsigned_abs(), 2, CENSUS_ROWS + 1, FEEDS, 3),
        "copied of what is counted, watched, fetched and waiting"
    );
    check_eq!(report.conduct_days, CONDUCT_DAYS.unsigned_abs(), "days of counts copied");
    check_eq!(report.registrations, REGISTRATIONS, "registrations copied");
    check_eq!(report.accuracy, ACCURACY_RECORDS.unsigned_abs(), "AI-accuracy records copied");
    let mcp_scans = MCP_SERVERS - 1 + MCP_SCANS_PER_URL as u64;
    check_eq!(
        (report.mcp_scans, report.mcp_servers, report.mcp_locks),
        (mcp_scans, MCP_SERVERS, MCP_LOCKS),
        "copied of MCP servers"
    );
    check_eq!(steps.last(), Some(&report), "the last progress");
    check!(steps.len() > 2, "progress was told {} times", steps.len());
    compare(from.as_ref(), to.as_ref()).await?;

    let report =
        copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(unexpected_error)?;
    check_eq!((report.scans, report.scans_already_there), (SCANS, SCANS), "copied again");
    check_eq!(report.accuracy, ACCURACY_RECORDS.unsigned_abs(), "AI-accuracy records again");
    compare(from.as_ref(), to.as_ref()).await?;

    // What an MCP server showed since then is added at the end, and the same old scans go.
    for (number, surface) in [(2_000, "y"), (2_001, "z")] {
        let put = mcp_scan("m0.lab", number, Some(surface))?;
        from.put_mcp_scan(put, McpScanExtras::default()).await.map_err(unexpected_error)?;
    }
    copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(unexpected_error)?;
    compare(from.as_ref(), to.as_ref()).await?;

    // The copy knows which artefacts are in use: only scans at or after the cutoff protect them.
    let (swept, expected) = (
        to.sweep_artifacts(at(59)).await.map_err(unexpected_error)?,
        from.sweep_artifacts(at(59)).await,
    );
    check_eq!(Ok(swept), expected, "the same sweep of both");
    check!(swept.kept > 0 && swept.removed > 0, "the sweep shows nothing: {swept:?}");
    compare(from.as_ref(), to.as_ref()).await
}

async fn broken_off(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    fill(from.as_ref()).await?;
    // What an earlier run had brought over before it broke off.
    for number in (0..SCANS).step_by(2) {
        let stored = from.scan(&format!("s{number}")).await.map_err(unexpected_error)?;
        to.put_scan(stored.ok_or("a scan is missing")?).await.map_err(unexpected_error)?;
    }
    to.put_artifact(Digest::of(&body(3)), body(3), at(3)).await.map_err(unexpected_error)?;
    drop(to);
    let to = to_place.open().await;
    let report =
        copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(unexpected_error)?;
    check_eq!((report.scans, report.scans_already_there), (SCANS, SCANS / 2), "scans");
    compare(from.as_ref(), to.as_ref()).await
}

async fn conflict(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    let original = scan("same id", "shop.lab", 0)?;
    let other = Scan { record: Bytes::from_static(b"another record"), ..original.clone() };
    from.put_scan(original).await.map_err(unexpected_error)?;
    to.put_scan(other.clone()).await.map_err(unexpected_error)?;
    let refused = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "a conflict: {refused:?}");
    check_eq!(to.scan("same id").await, Ok(Some(other)), "what the target held");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    fill(from.as_ref()).await?;
    drop(from);
    from_place.damage_scan("s5").await;
    from_place.damage_artifact(Digest::of(&body(7))).await;
    from_place.damage_feed("f3").await;
    from_place.damage_conduct(conduct_day(9).day).await;
    from_place.damage_registration("r7.lab").await;
    from_place.damage_accuracy(accuracy("d1.lab", "oracle", 8, 0)?.sha256).await;
    from_place.damage_mcp_scan(mcp_scan("m5.lab", 5, Some("x"))?.scan_sha256).await;
    from_place.damage_mcp_lock(lock(7)?.lock_sha256).await;
    let from = from_place.open().await;
    let report =
        copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(unexpected_error)?;
    check_eq!(
        (report.scans, report.artifacts, report.feeds),
        (SCANS - 1, ARTIFACTS - 1, FEEDS - 1),
        "what was copied"
    );
    let mcp_scans = MCP_SERVERS - 2 + MCP_SCANS_PER_URL as u64;
    check_eq!(
        (report.mcp_scans, report.mcp_locks),
        (mcp_scans, MCP_LOCKS - 1),
        "what was copied of MCP servers"
    );
    check_eq!(report.conduct_days, CONDUCT_DAYS.unsigned_abs() - 1, "days that were copied");
    check_eq!(report.registrations, REGISTRATIONS - 1, "registrations that were copied");
    check_eq!(report.accuracy, ACCURACY_RECORDS.unsigned_abs() - 1, "AI-accuracy records");
    check_eq!(report.damaged.len(), 8, "what was damaged: {:?}", report.damaged);
    check_eq!(to.scan("s5").await, Ok(None), "the damaged scan");
    check_eq!(to.artifact(Digest::of(&body(7))).await, Ok(None), "the damaged artefact");
    check_eq!(to.feed("f3").await, Ok(None), "the damaged feed");
    Ok(())
}
