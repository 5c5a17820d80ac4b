//! Cases for outcome reports.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain};
use crate::outcomes::{MAX_AGENTS_LISTED, MAX_RECENT_OUTCOMES};
use crate::{
    AllowanceDraw, AllowanceOutcome, Day, Digest, NewOutcome, OutcomeTally, StoreError,
    StoredOutcome,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("reports are counted by day, action, agent and status", |e| Box::pin(counted(e))),
    ("a report is stored together with its allowance or not at all", |e| {
        Box::pin(with_allowance(e))
    }),
    ("a day's reports are returned by domain, in pages", |e| Box::pin(by_domain(e))),
    ("reporters are counted once per day", |e| Box::pin(reporters(e))),
    ("the lists of agent names and recent reports are bounded", |e| Box::pin(bounded(e))),
    ("old reports are deleted", |e| Box::pin(forgotten(e))),
    ("a report keeps its number in another store", |e| Box::pin(imported(e))),
];

const ONE_DAY_MS: i64 = 24 * 3600 * 1000;

/// A report that depends on its number.
pub(super) fn outcome(name: &str, number: i64, ms: i64) -> Result<NewOutcome, String> {
    let word = |words: [&str; 4]| {
        let at = usize::try_from(number.rem_euclid(4)).unwrap_or(0);
        words.get(at).copied().unwrap_or_default().to_owned()
    };
    Ok(NewOutcome {
        domain: domain(name)?,
        at: at(ms),
        action: word(["fetch", "read", "fetch", "checkout"]),
        outcome: word(["ok", "blocked", "challenged", "error"]),
        agent: (number % 3 != 0).then(|| format!("agent {}", number % 3)),
        status: (number % 2 == 0).then_some(200),
        resolve_said: (number % 5 == 0).then(|| String::from("open")),
        disagree: number % 4 == 1,
        reporter: Digest::of(&number.rem_euclid(3).to_be_bytes()),
    })
}

async fn counted(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..12 {
        let put = outcome("shop.lab", number, (number / 8) * ONE_DAY_MS + number)?;
        check_eq!(
            store.put_outcome(put, vec![]).await,
            Ok(AllowanceOutcome::Granted),
            "report {number}"
        );
    }
    store.put_outcome(outcome("other.lab", 0, 0)?, vec![]).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    let (one, two) = (Day::of(at(0)), Day::of(at(ONE_DAY_MS)));
    let shop = domain("shop.lab")?;
    let counts = store.outcome_summary(&shop, one, two).await.map_err(unexpected_error)?;
    let tally = |n: u64, reporters| OutcomeTally {
        n,
        ok: n / 4,
        blocked: n / 4,
        challenged: n / 4,
        error: n / 4,
        disagree: n / 4,
        reporters,
    };
    check_eq!(counts.days, [(one, tally(8, 3)), (two, tally(4, 3))], "the days");
    check_eq!(counts.total(), tally(12, 6), "all of them");
    let list = |map: &std::collections::BTreeMap<String, u64>| {
        map.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
    };
    check_eq!(list(&counts.by_action), "checkout 3, fetch 6, read 3", "by action");
    check_eq!(list(&counts.by_agent), "agent 1 4, agent 2 4", "by agent");
    check_eq!(counts.by_status, [(200, 6)].into(), "by status");
    let last = counts.recent.first().cloned();
    check_eq!(last, Some(outcome("shop.lab", 11, ONE_DAY_MS + 11)?), "the last report, whole");
    check_eq!(counts.recent.len(), 12, "all of them are recent");
    let counts = store.outcome_summary(&shop, two, two).await.map_err(unexpected_error)?;
    check_eq!(counts.days, [(two, tally(4, 3))], "the second day alone");
    check_eq!(counts.recent.len(), 4, "and its reports");
    let none = store.outcome_summary(&domain("none.lab")?, one, two).await;
    check_eq!(none, Ok(crate::OutcomeCounts::default()), "a domain without reports");
    check_eq!(store.first_outcome_day().await, Ok(Some(one)), "the first day");
    Ok(())
}

async fn with_allowance(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let draw = AllowanceDraw { key: Digest::of(b"address"), limit: 40 };
    let mut puts = Vec::new();
    for number in 0..100 {
        puts.push(store.put_outcome(outcome("shop.lab", number, number)?, vec![draw]));
    }
    let mut taken = 0;
    for result in join_all(puts).await {
        match result.map_err(unexpected_error)? {
            AllowanceOutcome::Granted => taken += 1,
            AllowanceOutcome::Exhausted { which } => check_eq!(which, 0, "which was spent"),
        }
    }
    let day = Day::of(at(0));
    check_eq!(taken, 40, "reports taken");
    check_eq!(store.allowance_used(day.into(), draw.key).await, Ok(40), "the allowance");
    let counts =
        store.outcome_summary(&domain("shop.lab")?, day, day).await.map_err(unexpected_error)?;
    check_eq!(counts.total().n, 40, "reports kept");
    let tomorrow = outcome("shop.lab", 1, ONE_DAY_MS)?;
    check_eq!(
        store.put_outcome(tomorrow, vec![draw]).await,
        Ok(AllowanceOutcome::Granted),
        "the day after"
    );
    Ok(())
}

async fn by_domain(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..30 {
        let name = format!("d{}.lab", number % 10);
        store
            .put_outcome(outcome(&name, number, number)?, vec![])
            .await
            .map_err(unexpected_error)?;
    }
    store
        .put_outcome(outcome("later.lab", 0, ONE_DAY_MS)?, vec![])
        .await
        .map_err(unexpected_error)?;
    let day = Day::of(at(0));
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = store.outcome_days(day, after, 3).await.map_err(unexpected_error)?;
        check!(page.len() <= 3, "a page of {}", page.len());
        let Some((last, _)) = page.last() else { break };
        after = Some(last.clone());
        seen.extend(page);
    }
    check_eq!(seen.len(), 10, "domains");
    for (number, (name, tally)) in (0..).zip(&seen) {
        check_eq!(name.as_str(), format!("d{number}.lab"), "in order");
        check_eq!(tally.n, 3, "reports about {name}");
        let counts = store.outcome_summary(name, day, day).await.map_err(unexpected_error)?;
        check_eq!(counts.days, [(day, *tally)], "as in the summary of {name}");
    }
    Ok(())
}

async fn reporters(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (who, day) in [("a", 0), ("a", 0), ("b", 0), ("a", 1)] {
        let put = NewOutcome {
            reporter: Digest::of(who.as_bytes()),
            ..outcome("shop.lab", 1, day * ONE_DAY_MS)?
        };
        store.put_outcome(put, vec![]).await.map_err(unexpected_error)?;
    }
    let (one, two) = (Day::of(at(0)), Day::of(at(ONE_DAY_MS)));
    let counts =
        store.outcome_summary(&domain("shop.lab")?, one, two).await.map_err(unexpected_error)?;
    let reporters: Vec<u64> = counts.days.iter().map(|(_, day)| day.reporters).collect();
    check_eq!(reporters, [2, 1], "by day");
    check_eq!(counts.total().reporters, 3, "together");
    Ok(())
}

async fn bounded(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..80 {
        for again in 0..=(number % 2) {
            let agent = Some(format!("made up {number:02}"));
            let put = NewOutcome { agent, ..outcome("shop.lab", number, number + again)? };
            store.put_outcome(put, vec![]).await.map_err(unexpected_error)?;
        }
    }
    let day = Day::of(at(0));
    let counts =
        store.outcome_summary(&domain("shop.lab")?, day, day).await.map_err(unexpected_error)?;
    check_eq!(counts.by_agent.len(), MAX_AGENTS_LISTED, "names");
    let twice = counts.by_agent.values().filter(|n| **n == 2).count();
    check_eq!(twice, 40, "the most frequent are among them");
    check_eq!(counts.recent.len(), MAX_RECENT_OUTCOMES, "recent reports");
    check_eq!(counts.total().n, 120, "all are counted");
    Ok(())
}

async fn forgotten(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..6 {
        let put = outcome("shop.lab", number, (number / 2) * ONE_DAY_MS)?;
        store.put_outcome(put, vec![]).await.map_err(unexpected_error)?;
    }
    let third = Day::of(at(2 * ONE_DAY_MS));
    check_eq!(store.delete_outcomes_before(third).await, Ok(4), "forgotten");
    check_eq!(store.delete_outcomes_before(third).await, Ok(0), "forgotten again");
    check_eq!(store.first_outcome_day().await, Ok(Some(third)), "the first day");
    let left = store.export_outcomes(None, 9).await.map_err(unexpected_error)?;
    check_eq!(left.len(), 2, "what is left");
    Ok(())
}

async fn imported(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let stored = |seq: u64, number| {
        Ok::<_, String>(StoredOutcome { seq, outcome: outcome("shop.lab", number, number)? })
    };
    let some = vec![stored(3, 1)?, stored(9, 2)?];
    for _ in 0..2 {
        check_eq!(store.import_outcomes(some.clone()).await, Ok(()), "the same again is fine");
    }
    let refused = store.import_outcomes(vec![stored(10, 1)?, stored(9, 7)?]).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "another one: {refused:?}");
    check_eq!(store.export_outcomes(None, 9).await, Ok(some.clone()), "what is kept");
    check_eq!(
        store.export_outcomes(Some(3), 9).await,
        Ok(some.iter().skip(1).cloned().collect()),
        "after the first"
    );
    store.put_outcome(outcome("shop.lab", 3, 3)?, vec![]).await.map_err(unexpected_error)?;
    let all = store.export_outcomes(None, 9).await.map_err(unexpected_error)?;
    check!(all.last().is_some_and(|last| last.seq > 9), "a new one comes after: {all:?}");
    Ok(())
}
