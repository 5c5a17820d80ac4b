//! Cases for reads of several kinds of data at once: they return what each kind returns by itself.

use super::append_extras::{put_extras, standing};
use super::clocks::{clock, version};
use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::jobs::job;
use super::owners::{claim, event, incident};
use super::readings::reading;
use super::sample_log::{SampleLog, answer, lease};
use super::sample_values::{at, domain, scan};
use crate::{
    AnswerFacts, AnswerFactsQuery, AnswerStanding, Append, AppendExtras, ScanScope, Store,
};

pub(super) const CASES: &[(&str, Case)] =
    &[("what an answer is made from is the same, read together or one by one", |e| {
        Box::pin(together(e))
    })];

const NAME: &str = "shop.lab";
const NOW: i64 = 20;

async fn together(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    compare(store.as_ref(), NAME).await?;
    fill(store.as_ref()).await?;
    compare(store.as_ref(), NAME).await?;
    compare(store.as_ref(), "other.lab").await?;
    let standing =
        store.answer_standing(&domain(NAME)?, at(NOW)).await.map_err(unexpected_error)?;
    let is_whole =
        standing.latest.is_some() && standing.withheld.is_some() && standing.incident.is_some();
    check_eq!(is_whole, true, "everything was stored");
    let facts = store.answer_facts(query(NAME)?).await;
    let stored = (facts.readings.map(|all| all.len()), facts.claims.map(|all| all.len()));
    check_eq!(stored, (Ok(2), Ok(1)), "readings up to the limit, and claims");
    check_eq!(facts.clock.map(|clock| clock.is_some()), Ok(true), "a clock");
    check_eq!(facts.job.map(|job| job.is_some()), Ok(true), "a job");
    Ok(())
}

async fn fill(store: &dyn Store) -> CaseResult {
    let epoch = lease(store).await?;
    let mut chain = SampleLog::new("ours");
    chain.put(store, epoch, 3).await?;
    let answers = vec![answer("first", NAME, 1, 0)?, answer("last", NAME, 2, 1)?];
    let (previous_head, extras) = (chain.last(), AppendExtras::default());
    let append = Append { epoch, previous_head, batch: None, answers, extras };
    store.append(append).await.map_err(unexpected_error)?;
    let withheld_actions = vec![standing(NAME, &["incident"], 3)?];
    let extras = AppendExtras { withheld_actions, ..AppendExtras::default() };
    put_extras(store, extras).await?.map_err(unexpected_error)?;
    store.put_scan(scan("s", NAME, 4)?).await.map_err(unexpected_error)?;
    for (id, ms) in [("r1", 5), ("r2", 6), ("r3", 7)] {
        store.put_reading(reading(id, NAME, ms)?).await.map_err(unexpected_error)?;
    }
    let page = clock(&query(NAME)?.clock_url, NAME, 50)?;
    store.put_clock(page, Some(version(1))).await.map_err(unexpected_error)?;
    store.queue_job(job("scan", NAME, 9), at(8)).await.map_err(unexpected_error)?;
    store.put_claim(claim("c", NAME, None)?, None, vec![]).await.map_err(unexpected_error)?;
    store.put_incident(incident("i", NAME, 10)?, event(1)).await.map_err(unexpected_error)?;
    Ok(())
}

fn query(name: &str) -> Result<AnswerFactsQuery, String> {
    Ok(AnswerFactsQuery {
        domain: domain(name)?,
        readings: 2,
        clock_url: format!("https://{name}/"),
        job_kind: "scan",
    })
}

async fn compare(store: &dyn Store, name: &str) -> CaseResult {
    let (site, query) = (domain(name)?, query(name)?);
    let latest = store.latest_digests(vec![site.clone()]).await;
    let latest = latest.map_err(unexpected_error)?.pop().flatten();
    let scans = store.scans_of(&site, ScanScope::PublicOnly, None, 1).await;
    let scans = scans.map_err(unexpected_error)?;
    let stored = store.latest_stored(&site).await.map_err(unexpected_error)?;
    check_eq!(stored.answer, latest, "the latest answer");
    check_eq!(stored.scan, scans.into_iter().next(), "the newest scan");

    let alone = store.answer_standing(&site, at(NOW)).await.map_err(unexpected_error)?;
    let (standing, facts) = store.standing_and_facts(query.clone(), at(NOW)).await;
    for AnswerStanding { latest: named, withheld, incident } in
        [alone, standing.map_err(unexpected_error)?]
    {
        check_eq!(named, latest, "the latest answer");
        check_eq!(Ok(withheld), store.withheld_actions_for(&site).await, "withheld actions");
        check_eq!(Ok(incident), store.open_incident(&site, at(NOW)).await, "the open incident");
    }
    for AnswerFacts { readings, clock, job, claims } in
        [store.answer_facts(query.clone()).await, facts]
    {
        let expected = store.compared_readings_of(&site, query.readings).await;
        check_eq!(readings, expected, "the readings");
        check_eq!(clock, store.clock(&query.clock_url).await, "the clock");
        check_eq!(job, store.job(query.job_kind, name).await, "the job");
        check_eq!(claims, store.claims_of(&site).await, "the claims");
    }
    Ok(())
}
