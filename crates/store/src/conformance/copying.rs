//! Cases for moving to another store: here both stores are of the engine under test.

use bytes::Bytes;
use contract::clock::FixedClock;

use super::census::{begin, row};
use super::clocks::{clock as page_clock, version};
use super::jobs::job;
use super::outcomes::outcome;
use super::samples::{at, licence, noise, same_as, scan};
use super::seals::{anchor, seal};
use super::{Case, CaseResult, Engine, holds, same, text};
use crate::{CensusAsk, CopyReport, Digest, Scan, Store, StoreError, Switch, Visibility, copy};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a copy holds everything, and copying again changes nothing", |e| Box::pin(everything(e))),
    ("a copy learns of what was revoked since", |e| Box::pin(revoked_since(e))),
    ("a copy goes on where it was broken off", |e| Box::pin(broken_off(e))),
    ("a copy never replaces another scan of the same id", |e| Box::pin(conflict(e))),
    ("a copy says what is damaged and brings the rest", |e| Box::pin(damaged(e))),
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
        store.put_scan(put).await.map_err(text)?;
    }
    for number in 0..ARTIFACTS {
        let (bytes, step) = (body(number), i64::try_from(number).unwrap_or(0));
        store.put_artifact(Digest::of(&bytes), bytes, at(step)).await.map_err(text)?;
    }
    for number in 0..SEALS {
        store.put_seal(seal(number, number.unsigned_abs() % 7)).await.map_err(text)?;
        store.put_anchor(anchor(number, "https://calendar.example")).await.map_err(text)?;
    }
    for id in ["l1", "l2", "l3"] {
        store.put_licence(licence(id, 1)?).await.map_err(text)?;
    }
    store.revoke_licence("l2", at(2)).await.map_err(text)?;
    let switch = Switch { name: String::from("paused"), on: true, changed_at: at(3) };
    store.set_switch(switch).await.map_err(text)?;
    fill_work(store).await
}

const OUTCOMES: i64 = 300;
const CENSUS_ROWS: u64 = 300;

/// What is counted, watched and waiting: more than a page of what comes in numbers.
async fn fill_work(store: &dyn Store) -> CaseResult {
    for number in 0..OUTCOMES {
        let put = outcome(&format!("d{}.lab", number % 7), number, number)?;
        store.put_outcome(put, vec![]).await.map_err(text)?;
    }
    for page in ["a", "b"] {
        let url = format!("https://shop.lab/{page}");
        for n in 1..4 {
            let put = page_clock(&url, "shop.lab", 9)?;
            store.put_clock(put, Some(version(n))).await.map_err(text)?;
        }
    }
    let (one, two) = (begin(store, 0).await?, begin(store, 5).await?);
    for rank in 0..CENSUS_ROWS {
        let put = row(one, rank, &format!("d{rank}.lab"))?;
        store.put_census(vec![put]).await.map_err(text)?;
    }
    store.finish_census(one, at(4)).await.map_err(text)?;
    store.put_census(vec![row(two, 1, "d1.lab")?]).await.map_err(text)?;
    for key in ["a", "b", "c"] {
        store.queue_job(job("scan", key, 3), at(2)).await.map_err(text)?;
    }
    Ok(())
}

/// Fails unless both hold the same reports, clocks, census and jobs.
async fn compare_work(original: &dyn Store, copy: &dyn Store) -> CaseResult {
    let expected = original.export_outcomes(None, usize::MAX).await.map_err(text)?;
    same_as("reports", copy.export_outcomes(None, usize::MAX).await, &expected)?;
    let expected = original.export_clocks(None, usize::MAX).await.map_err(text)?;
    same_as("clocks", copy.export_clocks(None, usize::MAX).await, &expected)?;
    for listed in expected {
        let (url, expected) = (&listed.url, original.clock(&listed.url).await);
        same!(copy.clock(url).await, expected, "the clock of {url}");
    }
    let expected = original.census_runs(None, usize::MAX).await.map_err(text)?;
    same_as("runs", copy.census_runs(None, usize::MAX).await, &expected)?;
    for run in expected {
        let all = CensusAsk { limit: usize::MAX, ..CensusAsk::default() };
        let expected = original.census_rows(run.run, all.clone()).await.map_err(text)?;
        same_as("rows", copy.census_rows(run.run, all).await, &expected)?;
    }
    let expected = original.export_jobs(None, usize::MAX).await.map_err(text)?;
    same_as("jobs", copy.export_jobs(None, usize::MAX).await, &expected)
}

fn body(number: u64) -> Bytes {
    noise(number + 1_000, 3_000)
}

/// Fails unless `copy` holds what `original` holds.
async fn compare(original: &dyn Store, copy: &dyn Store) -> CaseResult {
    let rows = original.export_scans(None, usize::MAX).await.map_err(text)?;
    same!(copy.export_scans(None, usize::MAX).await, Ok(rows.clone()), "the list of scans");
    for row in rows {
        same!(copy.scan(&row.id).await, original.scan(&row.id).await, "scan {}", row.id);
    }
    let rows = original.seals(None, usize::MAX).await.map_err(text)?;
    same!(copy.seals(None, usize::MAX).await, Ok(rows.clone()), "the list of seals");
    for row in rows {
        same!(copy.seal(row.day).await, original.seal(row.day).await, "seal of {}", row.day);
        let expected = original.anchors(row.day).await;
        same!(copy.anchors(row.day).await, expected, "timestamps of {}", row.day);
    }
    same!(copy.licences().await, original.licences().await, "the licences");
    same!(copy.switches().await, original.switches().await, "the switches");
    let rows = original.export_artifacts(None, usize::MAX).await.map_err(text)?;
    same!(copy.export_artifacts(None, usize::MAX).await, Ok(rows.clone()), "the artefacts' list");
    for row in rows {
        let (sha256, expected) = (row.sha256, original.artifact(row.sha256).await);
        same!(copy.artifact(sha256).await, expected, "artefact {sha256}");
    }
    compare_work(original, copy).await
}

async fn everything(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_place().await, engine.new_place().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    let empty = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await;
    same!(empty, Ok(CopyReport::default()), "a copy of nothing");

    fill(from.as_ref()).await?;
    let mut steps = Vec::new();
    let report =
        copy(from.as_ref(), to.as_ref(), &clock(), &mut |report| steps.push(report.clone()))
            .await
            .map_err(text)?;
    same!(
        (report.scans, report.scans_already_there, report.artifacts),
        (SCANS, 0, ARTIFACTS),
        "copied"
    );
    same!(
        (report.outcomes, report.clocks, report.census_rows, report.jobs),
        (OUTCOMES.unsigned_abs(), 2, CENSUS_ROWS + 1, 3),
        "copied of what is counted, watched and waiting"
    );
    same!(steps.last(), Some(&report), "the last progress");
    holds!(steps.len() > 2, "progress was told {} times", steps.len());
    compare(from.as_ref(), to.as_ref()).await?;

    let report = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(text)?;
    same!((report.scans, report.scans_already_there), (SCANS, SCANS), "copied again");
    compare(from.as_ref(), to.as_ref()).await?;

    // The copy knows which artefacts are in use: only scans of the last moment still protect.
    let (swept, expected) =
        (to.sweep_artifacts(at(59)).await.map_err(text)?, from.sweep_artifacts(at(59)).await);
    same!(Ok(swept), expected, "the same sweep of both");
    holds!(swept.kept > 0 && swept.removed > 0, "the sweep shows nothing: {swept:?}");
    compare(from.as_ref(), to.as_ref()).await
}

async fn revoked_since(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_place().await, engine.new_place().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    from.put_licence(licence("l", 1)?).await.map_err(text)?;
    copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(text)?;
    from.revoke_licence("l", at(5)).await.map_err(text)?;
    let report = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(text)?;
    same!(report.licences, 1, "licences copied");
    same!(to.licences().await, from.licences().await, "the licences");

    // The same key under another id is another licence.
    let (other_place, key) = (engine.new_place().await, Digest::of(b"l"));
    let other = other_place.open().await;
    other
        .put_licence(crate::Licence { key_sha256: key, ..licence("m", 1)? })
        .await
        .map_err(text)?;
    let refused = copy(from.as_ref(), other.as_ref(), &clock(), &mut |_| {}).await;
    holds!(matches!(refused, Err(StoreError::Duplicate { .. })), "a conflict: {refused:?}");
    let kept = other.licence_by_key(key).await.map_err(text)?;
    same!(kept.map(|kept| (kept.id, kept.revoked_at)), Some(("m".into(), None)), "the other");
    Ok(())
}

async fn broken_off(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_place().await, engine.new_place().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    fill(from.as_ref()).await?;
    // What an earlier run had brought over before it broke off.
    for number in (0..SCANS).step_by(2) {
        let kept = from.scan(&format!("s{number}")).await.map_err(text)?;
        to.put_scan(kept.ok_or("a scan is missing")?).await.map_err(text)?;
    }
    to.put_artifact(Digest::of(&body(3)), body(3), at(3)).await.map_err(text)?;
    drop(to);
    let to = to_place.open().await;
    let report = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(text)?;
    same!((report.scans, report.scans_already_there), (SCANS, SCANS / 2), "scans");
    compare(from.as_ref(), to.as_ref()).await
}

async fn conflict(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_place().await, engine.new_place().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    let original = scan("same id", "shop.lab", 0)?;
    let other = Scan { record: Bytes::from_static(b"another record"), ..original.clone() };
    from.put_scan(original).await.map_err(text)?;
    to.put_scan(other.clone()).await.map_err(text)?;
    let refused = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await;
    holds!(matches!(refused, Err(StoreError::Duplicate { .. })), "a conflict: {refused:?}");
    same!(to.scan("same id").await, Ok(Some(other)), "what the target held");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_place().await, engine.new_place().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    fill(from.as_ref()).await?;
    drop(from);
    from_place.damage_scan("s5").await;
    from_place.damage_artifact(Digest::of(&body(7))).await;
    let from = from_place.open().await;
    let report = copy(from.as_ref(), to.as_ref(), &clock(), &mut |_| {}).await.map_err(text)?;
    same!((report.scans, report.artifacts), (SCANS - 1, ARTIFACTS - 1), "what was copied");
    same!(report.damaged.len(), 2, "what was damaged: {:?}", report.damaged);
    same!(to.scan("s5").await, Ok(None), "the damaged scan");
    same!(to.artifact(Digest::of(&body(7))).await, Ok(None), "the damaged artefact");
    Ok(())
}
