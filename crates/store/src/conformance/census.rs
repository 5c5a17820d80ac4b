//! Cases for the census.

use bytes::Bytes;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain};
use crate::{CensusQuery, CensusRow, CensusRun, Digest, Store, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a run starts, gets rows and ends, and survives reopening", |e| Box::pin(run(e))),
    ("rows are returned by rank, up to a rank, and for a domain", |e| Box::pin(rows(e))),
    ("a domain's last row is found", |e| Box::pin(last_of(e))),
    ("rows of an unknown run are all refused", |e| Box::pin(no_run(e))),
    ("a run keeps its number in another store", |e| Box::pin(imported(e))),
];

pub(super) fn row(run: u64, rank: u64, name: &str) -> Result<CensusRow, String> {
    Ok(CensusRow {
        run,
        rank,
        domain: domain(name)?,
        status: String::from("measured"),
        measured_at: Some(at(i64::try_from(rank).unwrap_or(0))),
        answer_sha256: Some(Digest::of(name.as_bytes())),
        body: Bytes::from(format!("{{\"rank\":{rank}}}")),
    })
}

pub(super) async fn begin(store: &dyn Store, ms: i64) -> Result<u64, String> {
    let frame = Bytes::from_static(b"{\"name\":\"a list\"}");
    store
        .begin_census(at(ms), frame, "one reading".into(), "v1".into())
        .await
        .map_err(unexpected_error)
}

fn first(limit: usize) -> CensusQuery {
    CensusQuery { limit, ..CensusQuery::default() }
}

async fn run(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.census_run(None).await, Ok(None), "before any");
    let one = begin(store.as_ref(), 1).await?;
    let unmeasured = CensusRow {
        status: String::from("not_measured"),
        measured_at: None,
        answer_sha256: None,
        ..row(one, 1, "a.lab")?
    };
    store.put_census_rows(vec![unmeasured.clone()]).await.map_err(unexpected_error)?;
    check_eq!(store.census_rows(one, first(9)).await, Ok(vec![unmeasured]), "a row");
    let (a, b) = (row(one, 1, "a.lab")?, row(one, 2, "b.lab")?);
    store.put_census_rows(vec![a.clone(), b.clone()]).await.map_err(unexpected_error)?;
    store.finish_census(one, at(50)).await.map_err(unexpected_error)?;
    store.finish_census(one, at(60)).await.map_err(unexpected_error)?;
    let two = begin(store.as_ref(), 70).await?;
    check!(two > one, "run {two} after {one}");
    drop(store);
    let store = location.open().await;
    let run_with = |run, started_at, finished_at| CensusRun {
        run,
        started_at,
        finished_at,
        frame: Bytes::from_static(b"{\"name\":\"a list\"}"),
        method: String::from("one reading"),
        version_id: String::from("v1"),
    };
    let (first_run, second) = (run_with(one, at(1), Some(at(50))), run_with(two, at(70), None));
    check_eq!(store.census_run(Some(one)).await, Ok(Some((first_run.clone(), 2))), "the first");
    check_eq!(store.census_run(None).await, Ok(Some((second.clone(), 0))), "the latest");
    check_eq!(store.census_run(Some(two + 1)).await, Ok(None), "one that never was");
    check_eq!(store.census_rows(one, first(9)).await, Ok(vec![a, b]), "its rows");
    check_eq!(store.census_runs(None, 9).await, Ok(vec![first_run, second.clone()]), "all runs");
    check_eq!(store.census_runs(Some(one), 9).await, Ok(vec![second]), "after the first");
    Ok(())
}

async fn rows(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (run, other) = (begin(store.as_ref(), 0).await?, begin(store.as_ref(), 1).await?);
    let mut all = Vec::new();
    for rank in [5, 1, 9, 3] {
        all.push(row(run, rank, &format!("d{rank}.lab"))?);
    }
    all.push(row(other, 2, "d3.lab")?);
    store.put_census_rows(all).await.map_err(unexpected_error)?;
    let ranks = |found: Vec<CensusRow>| found.iter().map(|row| row.rank).collect::<Vec<_>>();
    let ask =
        |ask| async { store.census_rows(run, ask).await.map(ranks).map_err(unexpected_error) };
    check_eq!(ask(first(9)).await?, [1, 3, 5, 9], "by rank");
    check_eq!(ask(first(2)).await?, [1, 3], "no more than asked for");
    check_eq!(ask(CensusQuery { after_rank: Some(3), ..first(9) }).await?, [5, 9], "after a rank");
    check_eq!(ask(CensusQuery { rank_max: Some(5), ..first(9) }).await?, [1, 3, 5], "up to a rank");
    let of = |name: &str| Ok::<_, String>(CensusQuery { domain: Some(domain(name)?), ..first(9) });
    check_eq!(ask(of("d3.lab")?).await?, [3], "of a domain");
    check_eq!(ask(of("none.lab")?).await?, Vec::<u64>::new(), "of a domain that is not there");
    let outside = CensusQuery { rank_max: Some(2), ..of("d3.lab")? };
    check_eq!(ask(outside).await?, Vec::<u64>::new(), "of a domain, outside the ranks");
    Ok(())
}

async fn last_of(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (one, two) = (begin(store.as_ref(), 0).await?, begin(store.as_ref(), 1).await?);
    let (old, new) = (row(one, 1, "a.lab")?, row(two, 7, "a.lab")?);
    let only = row(one, 2, "b.lab")?;
    store.put_census_rows(vec![new.clone(), old, only.clone()]).await.map_err(unexpected_error)?;
    check_eq!(store.latest_census_row(&domain("a.lab")?).await, Ok(Some(new)), "in both runs");
    check_eq!(
        store.latest_census_row(&domain("b.lab")?).await,
        Ok(Some(only)),
        "in the first alone"
    );
    check_eq!(store.latest_census_row(&domain("c.lab")?).await, Ok(None), "in none");
    Ok(())
}

async fn no_run(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let run = begin(store.as_ref(), 0).await?;
    let refused =
        store.put_census_rows(vec![row(run, 1, "a.lab")?, row(run + 1, 1, "b.lab")?]).await;
    check!(refused.is_err(), "a row of no run was kept");
    check_eq!(store.census_rows(run, first(9)).await, Ok(vec![]), "nor was its neighbour");
    Ok(())
}

async fn imported(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let run = CensusRun {
        run: 7,
        started_at: at(0),
        finished_at: None,
        frame: Bytes::from_static(b"{}"),
        method: String::from("m"),
        version_id: String::from("v"),
    };
    check_eq!(store.import_census_run(run.clone()).await, Ok(()), "a run");
    store.put_census_rows(vec![row(7, 1, "a.lab")?]).await.map_err(unexpected_error)?;
    check_eq!(store.import_census_run(run.clone()).await, Ok(()), "the same again");
    let ended = CensusRun { finished_at: Some(at(9)), ..run.clone() };
    check_eq!(store.import_census_run(ended.clone()).await, Ok(()), "which has ended since");
    for other in [
        run.clone(),
        CensusRun { finished_at: Some(at(10)), ..run.clone() },
        CensusRun { method: String::from("another"), ..ended.clone() },
    ] {
        let refused = store.import_census_run(other.clone()).await;
        check!(matches!(refused, Err(StoreError::Duplicate { .. })), "{other:?}: {refused:?}");
    }
    check_eq!(store.census_run(None).await, Ok(Some((ended, 1))), "what is kept");
    let next = begin(store.as_ref(), 1).await?;
    check!(next > 7, "the next run is {next}");
    Ok(())
}
