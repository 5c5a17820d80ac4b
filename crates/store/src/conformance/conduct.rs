//! Cases for the counts of agents on the service's own site.

use bytes::Bytes;

use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::sample_values::at;
use crate::{ConductDay, Day, Prunable};

pub(super) const CASES: &[(&str, Case)] = &[
    ("the counts of a day are replaced as a whole", |e| Box::pin(replaced(e))),
    ("days with counts are listed in order, in pages", |e| Box::pin(listed(e))),
    ("old counts are removed by the day", |e| Box::pin(pruned(e))),
];

/// The counts of a day that depend on its number.
pub(super) fn conduct_day(number: i64) -> ConductDay {
    let day = Day::from_number(number);
    ConductDay {
        day,
        since: day.begins_at().plus_millis(number),
        counts: Bytes::from(format!("{{\"GPTBot\":{number}}}")),
    }
}

async fn replaced(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = conduct_day(7);
    check_eq!(store.conduct_day(first.day).await, Ok(None), "before");
    store.put_conduct_day(first.clone()).await.map_err(unexpected_error)?;
    let second = ConductDay { counts: Bytes::from_static(b"{\"CCBot\":1}"), ..first };
    for _ in 0..2 {
        store.put_conduct_day(second.clone()).await.map_err(unexpected_error)?;
    }
    drop(store);
    let store = location.open().await;
    check_eq!(store.conduct_day(second.day).await, Ok(Some(second.clone())), "what is kept");
    check_eq!(store.list_conduct_days(None, 9).await, Ok(vec![second.day]), "once");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in [5, 3, -2, 4] {
        store.put_conduct_day(conduct_day(number)).await.map_err(unexpected_error)?;
    }
    let days = |numbers: &[i64]| -> Vec<Day> {
        numbers.iter().map(|number| Day::from_number(*number)).collect()
    };
    check_eq!(store.list_conduct_days(None, 3).await, Ok(days(&[-2, 3, 4])), "the first page");
    let after = Some(Day::from_number(4));
    check_eq!(store.list_conduct_days(after, 3).await, Ok(days(&[5])), "the second");
    Ok(())
}

async fn pruned(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..5 {
        store.put_conduct_day(conduct_day(number)).await.map_err(unexpected_error)?;
    }
    // A day goes when all of it is past.
    let third = Day::from_number(2);
    let before_its_end = third.ends_at().plus_millis(-1);
    check_eq!(store.prune(Prunable::Conduct, before_its_end, 1).await, Ok(1), "one step");
    check_eq!(store.prune(Prunable::Conduct, before_its_end, 9).await, Ok(1), "the rest");
    check_eq!(store.prune(Prunable::Conduct, before_its_end, 9).await, Ok(0), "nothing more");
    let left = store.list_conduct_days(None, 9).await.map_err(unexpected_error)?;
    check_eq!(left.first(), Some(&third), "the first that is left");
    check_eq!(left.len(), 3, "what is left");
    check_eq!(store.conduct_day(Day::of(at(0))).await, Ok(None), "a day that went");
    Ok(())
}
