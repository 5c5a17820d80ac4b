//! Cases for the calls of licences.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::sample_values::at;
use crate::{Day, Month, Prunable, QuotaOutcome, Store, UsageRow};

pub(super) const CASES: &[(&str, Case)] = &[
    ("calls are counted by month, day and operation, also after reopening", |e| {
        Box::pin(counted(e))
    }),
    ("of 200 concurrent callers exactly the quota is counted", |e| Box::pin(at_the_edge(e))),
    ("a new month begins with nothing, and a clock set back finds the old one", |e| {
        Box::pin(turn_of_the_month(e))
    }),
    ("a call that is given back goes from its own day and month", |e| Box::pin(given_back(e))),
    ("calls given back and counted at once are neither lost nor doubled", |e| {
        Box::pin(back_and_forth(e))
    }),
    ("calls of old days are removed", |e| Box::pin(pruned(e))),
    ("calls are exported in order and imported once", |e| Box::pin(copied(e))),
];

fn row(licence: &str, day: Day, operation: &str, calls: u64) -> UsageRow {
    UsageRow { licence_id: licence.to_owned(), day, operation: operation.to_owned(), calls }
}

async fn all_of(store: &dyn Store, licence: &str) -> Result<Vec<UsageRow>, String> {
    let (first, last) = (Day::from_number(i64::MIN), Day::from_number(i64::MAX));
    store.usage_of(licence, first, last).await.map_err(unexpected_error)
}

async fn counted(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (now, today) = (at(0), Day::of(at(0)));
    for (used, operation) in (1..).zip(["scan", "resolve", "resolve"]) {
        let counted = store.count_call("l", now, operation, Some(4)).await;
        check_eq!(counted, Ok(QuotaOutcome::Counted { used_in_month: used }), "{operation}");
    }
    let other = store.count_call("m", now, "resolve", None).await;
    check_eq!(other, Ok(QuotaOutcome::Counted { used_in_month: 1 }), "of another licence");
    let none = store.count_call("n", now, "resolve", Some(0)).await;
    check_eq!(none, Ok(QuotaOutcome::Spent { used_in_month: 0 }), "with a quota of nothing");
    drop(store);
    let store = location.open().await;
    let month = Month::of(now);
    check_eq!(store.used_in_month("l", month).await, Ok(3), "after reopening");
    let last = store.count_call("l", now, "scan", Some(4)).await;
    check_eq!(last, Ok(QuotaOutcome::Counted { used_in_month: 4 }), "the last one");
    let spent = store.count_call("l", now, "scan", Some(4)).await;
    check_eq!(spent, Ok(QuotaOutcome::Spent { used_in_month: 4 }), "one too many");
    let smaller = store.count_call("l", now, "scan", Some(2)).await;
    check_eq!(smaller, Ok(QuotaOutcome::Spent { used_in_month: 4 }), "of a smaller quota");
    let rows = vec![row("l", today, "resolve", 2), row("l", today, "scan", 2)];
    check_eq!(all_of(store.as_ref(), "l").await, Ok(rows), "by operation");
    check_eq!(store.used_in_month("n", month).await, Ok(0), "what was refused");
    check_eq!(all_of(store.as_ref(), "n").await, Ok(vec![]), "its rows");
    Ok(())
}

async fn at_the_edge(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let calls = (0..200_i64).map(|number| {
        let operation = if number % 2 == 0 { "resolve" } else { "scan" };
        store.count_call("l", at(number), operation, Some(77))
    });
    let (mut counted, mut spent) = (Vec::new(), 0);
    for outcome in join_all(calls).await {
        match outcome.map_err(unexpected_error)? {
            QuotaOutcome::Counted { used_in_month } => counted.push(used_in_month),
            QuotaOutcome::Spent { used_in_month } => {
                check_eq!(used_in_month, 77, "used when it was refused");
                spent += 1;
            }
        }
    }
    counted.sort_unstable();
    check_eq!(counted, (1..=77).collect::<Vec<u64>>(), "each number once");
    check_eq!(spent, 123, "refused");
    drop(store);
    let store = location.open().await;
    check_eq!(store.used_in_month("l", Month::of(at(0))).await, Ok(77), "after reopening");
    let rows = all_of(store.as_ref(), "l").await?;
    check_eq!(rows.iter().map(|row| row.calls).sum::<u64>(), 77, "in the rows of the day");
    Ok(())
}

async fn turn_of_the_month(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let month = Month::of(at(0));
    let (last, first) = (month.ends_at().plus_millis(-1), month.ends_at());
    let one = Ok(QuotaOutcome::Counted { used_in_month: 1 });
    let spent = Ok(QuotaOutcome::Spent { used_in_month: 1 });
    check_eq!(store.count_call("l", last, "scan", Some(1)).await, one, "the last moment");
    check_eq!(store.count_call("l", last, "scan", Some(1)).await, spent, "once more");
    check_eq!(store.count_call("l", first, "scan", Some(1)).await, one, "the next month");
    check_eq!(store.count_call("l", first, "scan", Some(1)).await, spent, "once more");
    check_eq!(store.count_call("l", last, "scan", Some(1)).await, spent, "with the clock back");
    check_eq!(store.used_in_month("l", month).await, Ok(1), "the old month");
    check_eq!(store.used_in_month("l", month.next()).await, Ok(1), "the new one");
    Ok(())
}

async fn given_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let month = Month::of(at(0));
    let (last, first) = (month.ends_at().plus_millis(-1), month.ends_at());
    for when in [last, last, first] {
        store.count_call("l", when, "scan", None).await.map_err(unexpected_error)?;
    }
    for (licence, when, operation) in
        [("m", last, "scan"), ("l", last, "resolve"), ("l", first.plus_millis(86_400_000), "scan")]
    {
        let back = store.give_back_call(licence, when, operation).await;
        check_eq!(back, Ok(false), "what was never counted: {licence} {operation}");
    }
    // The answer came in the next month; the call was of this one.
    check_eq!(store.give_back_call("l", last, "scan").await, Ok(true), "one of two");
    check_eq!(store.used_in_month("l", month).await, Ok(1), "its month");
    check_eq!(store.used_in_month("l", month.next()).await, Ok(1), "the other month");
    check_eq!(store.give_back_call("l", last, "scan").await, Ok(true), "the other");
    check_eq!(store.give_back_call("l", last, "scan").await, Ok(false), "one too many");
    check_eq!(store.used_in_month("l", month).await, Ok(0), "nothing is left");
    let rows = vec![row("l", Day::of(first), "scan", 1)];
    check_eq!(all_of(store.as_ref(), "l").await, Ok(rows), "the rows");
    Ok(())
}

async fn back_and_forth(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let turns = (0..100).map(|number| {
        let store = store.as_ref();
        async move {
            let counted = store.count_call("l", at(0), "scan", None).await?;
            if number % 2 == 0 {
                store.give_back_call("l", at(0), "scan").await?;
            }
            Ok::<_, crate::StoreError>(counted)
        }
    });
    for turn in join_all(turns).await {
        turn.map_err(unexpected_error)?;
    }
    check_eq!(store.used_in_month("l", Month::of(at(0))).await, Ok(50), "what is left");
    Ok(())
}

async fn pruned(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let month = Month::of(at(0));
    let days: Vec<Day> =
        (0..3).map(|n| Day::from_number(Day::of(at(0)).number() + n * 31)).collect();
    for day in &days {
        for operation in ["resolve", "scan"] {
            store
                .count_call("l", day.begins_at(), operation, None)
                .await
                .map_err(unexpected_error)?;
        }
    }
    let before = days.get(1).ok_or("no day")?.ends_at().plus_millis(-1);
    check_eq!(store.prune(Prunable::Usage, before, 1).await, Ok(1), "one step");
    check_eq!(store.prune(Prunable::Usage, before, 9).await, Ok(1), "the rest");
    check_eq!(store.prune(Prunable::Usage, before, 9).await, Ok(0), "nothing more");
    check_eq!(all_of(store.as_ref(), "l").await?.len(), 4, "rows that are left");
    check_eq!(store.used_in_month("l", month).await, Ok(0), "a month that is over");
    check_eq!(store.used_in_month("l", month.next()).await, Ok(2), "the month of the day");
    Ok(())
}

async fn copied(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    for licence in ["b", "a"] {
        for operation in ["scan", "resolve", "scan"] {
            from.count_call(licence, at(0), operation, None).await.map_err(unexpected_error)?;
        }
    }
    let today = Day::of(at(0));
    let expected = vec![
        row("a", today, "resolve", 1),
        row("a", today, "scan", 2),
        row("b", today, "resolve", 1),
        row("b", today, "scan", 2),
    ];
    let (mut after, mut all) = (None, Vec::new());
    loop {
        let page = from.export_usage(after, 1).await.map_err(unexpected_error)?;
        let Some(last) = page.last() else { break };
        after = Some(last.cursor());
        all.extend(page);
    }
    check_eq!(all, expected, "in pages");
    for _ in 0..2 {
        to.import_usage(all.clone()).await.map_err(unexpected_error)?;
    }
    check_eq!(to.used_in_month("a", Month::of(at(0))).await, Ok(3), "the month");
    // Something was given back since.
    to.import_usage(vec![row("a", today, "scan", 1)]).await.map_err(unexpected_error)?;
    check_eq!(to.used_in_month("a", Month::of(at(0))).await, Ok(2), "the month, corrected");
    Ok(())
}
