//! Cases for removing what is past its retention.

use contract::clock::FixedClock;

use super::append_extras::{change, put_extras, revocation, standing};
use super::decisions::decision;
use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::readings::reading;
use super::sample_log::{SampleLog, answer, lease, same_log};
use super::sample_values::{at, domain, same_as, scan};
use crate::{
    AnswerCutoffs, Append, AppendExtras, ChangesQuery, HexPrefix, NewRevocation, Prunable,
    RevocationsQuery, Store, StoredAnswer, StoredReading, copy,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("superseded answers go, and the log and newest answers stay", |e| Box::pin(superseded(e))),
    ("a superseded answer does not outlast the latest one", |e| Box::pin(clock_ran_ahead(e))),
    ("answers about names that were never reached go early", |e| Box::pin(unreached(e))),
    ("answers are examined in steps", |e| Box::pin(in_steps(e))),
    ("readings, receipts and scans go by their time, a few at a time", |e| Box::pin(by_time(e))),
    ("changes and revocations go from the first on and keep their numbers", |e| {
        Box::pin(numbered(e))
    }),
    ("what is in force stays in the chain of revocations", |e| Box::pin(in_force(e))),
    ("a store without its first changes and revocations can be copied", |e| Box::pin(copied(e))),
];

const NEVER: i64 = -1_000_000;

fn cutoffs(superseded: i64, unreached: i64, newest: i64) -> AnswerCutoffs {
    AnswerCutoffs { superseded: at(superseded), unreached: at(unreached), newest: at(newest) }
}

async fn put_answers(
    store: &dyn Store,
    log: &mut SampleLog,
    answers: Vec<StoredAnswer>,
) -> CaseResult {
    let epoch = lease(store).await?;
    let previous_head = log.last();
    let batch = Some(log.grow(answers.len().max(1)));
    let extras = AppendExtras::default();
    let append = Append { epoch, previous_head, batch, answers, extras };
    store.append(append).await.map_err(unexpected_error)
}

/// Removes in steps of `limit` until all answers were examined.
async fn prune_all(
    store: &dyn Store,
    cutoffs: AnswerCutoffs,
    limit: usize,
) -> Result<(u64, usize), String> {
    let (mut after, mut removed, mut steps) = (None, 0, 0);
    loop {
        let step = store.prune_answers(cutoffs, after, limit).await.map_err(unexpected_error)?;
        removed += step.removed;
        steps += 1;
        check!(steps < 100, "the steps do not end");
        let Some(next) = step.next else { return Ok((removed, steps)) };
        check!(after.is_none_or(|after| after < next), "a step does not advance");
        after = Some(next);
    }
}

async fn superseded(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut log = SampleLog::new("l");
    let answers: Vec<StoredAnswer> = (0..4_u64)
        .map(|number| answer(&format!("s{number}"), "shop.lab", 10 * number as i64, number))
        .chain([answer("o", "other.lab", 5, 3)])
        .collect::<Result<_, _>>()?;
    put_answers(&*store, &mut log, answers.clone()).await?;
    for name in ["shop.lab", "other.lab"] {
        let reading = reading(name, name, 0)?;
        store.put_reading(reading).await.map_err(unexpected_error)?;
    }
    check_eq!(prune_all(&*store, cutoffs(0, 0, NEVER), 100).await?.0, 0, "before any");
    // The answers at 0 and 10 are superseded; the one at 20 too, but it is not old enough.
    check_eq!(prune_all(&*store, cutoffs(20, 1_000, NEVER), 100).await?.0, 2, "superseded");
    let stored = store.export_answers(None, 100).await.map_err(unexpected_error)?;
    let left: Vec<&StoredAnswer> = stored.iter().collect();
    let expected: Vec<&StoredAnswer> = [2, 3, 4].iter().filter_map(|at| answers.get(*at)).collect();
    check_eq!(left, expected, "what stays");
    check_eq!(prune_all(&*store, cutoffs(20, 1_000, NEVER), 100).await?.0, 0, "once more");
    check_eq!(prune_all(&*store, cutoffs(1_000, 1_000, NEVER), 100).await?.0, 1, "all superseded");
    drop(store);
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    check_eq!(store.latest_answer(&shop).await, Ok(answers.get(3).cloned()), "the newest");
    check_eq!(store.count_answered_domains().await, Ok(2), "domains");
    same_log(&*store, &log.batches).await?;
    // In the end the newest goes too, and the log stays.
    check_eq!(prune_all(&*store, cutoffs(20, 0, 20), 100).await?.0, 1, "the newest of one");
    check_eq!(store.latest_answer(&domain("other.lab")?).await, Ok(None), "after its time");
    check_eq!(prune_all(&*store, cutoffs(1_000, 0, 1_000), 100).await?.0, 1, "the other");
    check_eq!(store.count_answered_domains().await, Ok(0), "domains");
    for digit in ["00", "7f", "ff"] {
        let Some(prefix) = HexPrefix::parse(digit) else { return Err("a prefix".to_owned()) };
        same_as("by prefix", store.answers_by_prefix(prefix, 10).await, &[])?;
    }
    same_log(&*store, &log.batches).await
}

/// A superseded answer whose time is later than that of the latest one, because a clock ran ahead.
async fn clock_ran_ahead(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut log = SampleLog::new("l");
    let answers: Vec<StoredAnswer> =
        [("ahead", "shop.lab", 500), ("now", "shop.lab", 10), ("other", "other.lab", 500)]
            .into_iter()
            .zip(0_u64..)
            .map(|((name, domain, ms), index)| answer(name, domain, ms, index))
            .collect::<Result<_, _>>()?;
    put_answers(&*store, &mut log, answers.clone()).await?;
    for name in ["shop.lab", "other.lab"] {
        let reading = reading(name, name, 0)?;
        store.put_reading(reading).await.map_err(unexpected_error)?;
    }
    let shop = domain("shop.lab")?;
    check_eq!(prune_all(&*store, cutoffs(100, 0, NEVER), 100).await?.0, 0, "the latest stays");
    check_eq!(store.latest_answer(&shop).await, Ok(answers.get(1).cloned()), "the latest");
    // The latest one goes after its time, and the superseded one with it.
    check_eq!(prune_all(&*store, cutoffs(100, 0, 100), 100).await?.0, 2, "both");
    check_eq!(store.latest_answer(&shop).await, Ok(None), "after its time");
    check_eq!(store.count_answered_domains().await, Ok(1), "domains");
    Ok(())
}

async fn unreached(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut log = SampleLog::new("l");
    let names = ["never.lab", "seen.lab", "scanned.lab"];
    let mut answers = Vec::new();
    for (number, name) in (0_u64..).zip(names) {
        answers.push(answer(&format!("{name} 1"), name, 1, number)?);
        answers.push(answer(&format!("{name} 2"), name, 2, number)?);
        let failed = StoredReading { completed: false, ..reading(name, name, 1)? };
        store.put_reading(failed).await.map_err(unexpected_error)?;
    }
    put_answers(&*store, &mut log, answers).await?;
    store.put_reading(reading("good", "seen.lab", 0)?).await.map_err(unexpected_error)?;
    store.put_scan(scan("s", "scanned.lab", 0)?).await.map_err(unexpected_error)?;
    check_eq!(prune_all(&*store, cutoffs(NEVER, 1, NEVER), 100).await?.0, 0, "too early");
    check_eq!(prune_all(&*store, cutoffs(NEVER, 3, NEVER), 100).await?.0, 2, "never reached");
    check_eq!(store.latest_answer(&domain("never.lab")?).await, Ok(None), "it");
    let stored = store.export_answers(None, 100).await.map_err(unexpected_error)?;
    check_eq!(stored.len(), 4, "the others");
    check_eq!(store.count_answered_domains().await, Ok(2), "domains");
    let removed = store.prune(Prunable::UnreachedReadings, at(2), 100).await;
    check_eq!(removed, Ok(3), "readings that received nothing");
    check_eq!(store.list_readings(None, 9).await, Ok(vec![String::from("good")]), "readings");
    Ok(())
}

async fn in_steps(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut log = SampleLog::new("l");
    let answers: Vec<StoredAnswer> = (0..25_u64)
        .map(|number| answer(&format!("{number}"), "shop.lab", number as i64 / 3, number))
        .collect::<Result<_, _>>()?;
    put_answers(&*store, &mut log, answers).await?;
    store.put_reading(reading("r", "shop.lab", 0)?).await.map_err(unexpected_error)?;
    let (removed, steps) = prune_all(&*store, cutoffs(100, 100, NEVER), 4).await?;
    check_eq!((removed, steps), (24, 7), "in steps of four");
    Ok(())
}

async fn by_time(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..6_i64 {
        let reading = reading(&format!("r{number}"), &format!("d{number}.lab"), 10 * number)?;
        store.put_reading(reading).await.map_err(unexpected_error)?;
        let scan = scan(&format!("s{number}"), "shop.lab", 10 * number)?;
        store.put_scan(scan).await.map_err(unexpected_error)?;
        let decision = decision(number.unsigned_abs(), 10 * number)?;
        store.put_decisions(vec![decision]).await.map_err(unexpected_error)?;
    }
    for what in [Prunable::Readings, Prunable::Receipts, Prunable::Scans] {
        check_eq!(store.prune(what, at(0), 100).await, Ok(0), "before any: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(2), "a step: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(1), "the next: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(0), "the last: {what:?}");
    }
    drop(store);
    let store = location.open().await;
    for number in 0..6_i64 {
        let (stays, id) = (number >= 3, format!("r{number}"));
        let found = store.reading(&id).await.map_err(unexpected_error)?;
        check_eq!(found.is_some(), stays, "reading {number}");
        let found = store.scan(&format!("s{number}")).await.map_err(unexpected_error)?;
        check_eq!(found.is_some(), stays, "scan {number}");
        let lookup = decision(number.unsigned_abs(), 0)?.lookup;
        let found = store.decision(lookup).await.map_err(unexpected_error)?;
        check_eq!(found.is_some(), stays, "decision {number}");
    }
    let size = store.size().await.map_err(unexpected_error)?;
    check!(size.database_bytes > size.free_bytes, "the size: {size:?}");
    Ok(())
}

/// A revocation that nothing reinstates but that is not in force either.
fn tightened(number: u64, ms: i64) -> Result<NewRevocation, String> {
    Ok(NewRevocation { kind: String::from("tightened"), ..revocation(number, "shop.lab", ms)? })
}

async fn fill_numbered(store: &dyn Store) -> CaseResult {
    let changes = (0..8_u64).map(|number| change(number, "shop.lab", 10 * number as i64));
    let changes = changes.collect::<Result<_, _>>()?;
    let entries = (0..8_u64).map(|number| tightened(number, 10 * number as i64));
    let revocations = entries.collect::<Result<_, _>>()?;
    let withheld_actions = vec![
        standing("calm.lab", &[], 10)?,
        standing("later.lab", &[], 50)?,
        standing("shop.lab", &["incident_reported"], 10)?,
    ];
    put_extras(
        store,
        AppendExtras { changes, revocations, withheld_actions, ..AppendExtras::default() },
    )
    .await?
    .map_err(unexpected_error)
}

async fn numbered(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    fill_numbered(&*store).await?;
    check_revocation_state(&*store).await?;
    for what in [Prunable::Changes, Prunable::Revocations] {
        check_eq!(store.prune(what, at(0), 9).await, Ok(0), "before any: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(2), "a step: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(1), "the next: {what:?}");
        check_eq!(store.prune(what, at(30), 2).await, Ok(0), "the last: {what:?}");
    }
    check_eq!(store.prune(Prunable::ClearedActions, at(30), 9).await, Ok(1), "cleared actions");
    check_revocation_state(&*store).await?;
    let withheld = store.withheld_actions(Some(at(NEVER))).await.map_err(unexpected_error)?;
    check_eq!(withheld.len(), 2, "actions that are withheld, or were lately");
    let first = store.first_change().await.map_err(unexpected_error)?;
    check_eq!(first.map(|first| first.seq), Some(4), "the first change");
    let all = RevocationsQuery { after: Some(0), limit: 9, ..RevocationsQuery::default() };
    let chain = store.revocations(all).await.map_err(unexpected_error)?;
    check_eq!(chain.first().map(|first| first.seq), Some(4), "the first entry");
    // The last of each stays, and the numbers go on after it.
    check_eq!(store.prune(Prunable::Changes, at(1_000), 99).await, Ok(4), "all changes");
    check_eq!(store.prune(Prunable::Revocations, at(1_000), 99).await, Ok(4), "all entries");
    let more = AppendExtras {
        changes: vec![change(8, "shop.lab", 80)?],
        revocations: vec![tightened(8, 80)?],
        ..AppendExtras::default()
    };
    put_extras(&*store, more).await?.map_err(unexpected_error)?;
    let query = ChangesQuery { after: Some(0), limit: 9, ..ChangesQuery::default() };
    let changes = store.changes(query).await.map_err(unexpected_error)?;
    check_eq!(changes.iter().map(|change| change.seq).collect::<Vec<_>>(), [8, 9], "changes");
    let last = store.last_revocation().await.map_err(unexpected_error)?;
    let first = store.first_revocation().await.map_err(unexpected_error)?;
    let linked = first.zip(last).is_some_and(|(first, last)| last.follows(&first));
    check!(linked, "the chain does not go on");
    Ok(())
}

/// A decision reads together what can also be read one by one.
async fn check_revocation_state(store: &dyn Store) -> CaseResult {
    let sites = ["calm.lab", "later.lab", "shop.lab", "other.lab"].map(domain);
    let sites = sites.into_iter().collect::<Result<Vec<_>, _>>()?;
    let state = store.revocation_state(sites.clone()).await.map_err(unexpected_error)?;
    check_eq!(Ok(state.last), store.last_revocation().await, "the last entry");
    for (site, withheld) in sites.iter().zip(state.withheld) {
        check_eq!(Ok(withheld), store.withheld_actions_for(site).await, "withheld: {site}");
    }
    Ok(())
}

async fn in_force(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let about = |kind: &str, target: &str, ms: i64| -> Result<NewRevocation, String> {
        Ok(NewRevocation {
            kind: kind.to_owned(),
            target_id: target.to_owned(),
            target_kind: String::from("domain"),
            ..revocation(1, "shop.lab", ms)?
        })
    };
    let entries = vec![
        about("suspended", "a", 1)?,
        about("tightened", "b", 2)?,
        about("reinstated", "a", 3)?,
        about("suspended", "c", 4)?,
        about("tightened", "b", 5)?,
        about("tightened", "b", 6)?,
    ];
    store.append_revocations(entries, vec![]).await.map_err(unexpected_error)?;
    check_eq!(store.prune(Prunable::Revocations, at(99), 99).await, Ok(3), "up to the suspension");
    store
        .append_revocations(vec![about("reinstated", "c", 7)?], vec![])
        .await
        .map_err(unexpected_error)?;
    check_eq!(store.prune(Prunable::Revocations, at(99), 99).await, Ok(3), "all but the last");
    Ok(())
}

async fn copied(engine: &dyn Engine) -> CaseResult {
    let (from, to) = (engine.new_location().await, engine.new_location().await);
    let (source, target) = (from.open().await, to.open().await);
    fill_numbered(&*source).await?;
    for what in [Prunable::Changes, Prunable::Revocations] {
        check_eq!(source.prune(what, at(30), 9).await, Ok(3), "removed: {what:?}");
    }
    for turn in ["the first copy", "the second copy"] {
        let report = copy(&*source, &*target, &FixedClock(at(0)), &mut |_| {}).await;
        let report = report.map_err(unexpected_error)?;
        check!(report.damaged.is_empty(), "{turn}: {report:?}");
        let query = ChangesQuery { after: Some(0), limit: 99, ..ChangesQuery::default() };
        let there = target.changes(query.clone()).await;
        check_eq!(there, source.changes(query).await, "{turn}: changes");
        let query = RevocationsQuery { after: Some(0), limit: 99, ..RevocationsQuery::default() };
        let there = target.revocations(query.clone()).await;
        check_eq!(there, source.revocations(query).await, "{turn}: revocations");
    }
    Ok(())
}
