//! Cases for allowances of a day and of a month.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::sample_values::at;
use crate::allowances::KEPT_AFTER_PERIOD_MS;
use crate::{AllowanceDraw, AllowanceOutcome, Day, Digest, Month, Period};

pub(super) const CASES: &[(&str, Case)] = &[
    ("an allowance is limited per day and survives reopening", |e| Box::pin(ends(e))),
    ("draws are granted together or not at all", |e| Box::pin(together(e))),
    ("concurrent draws never exceed the limit", |e| Box::pin(many_at_once(e))),
    ("counts are deleted two days after their day", |e| Box::pin(forgotten(e))),
    ("a month is counted by itself and kept until it is over", |e| Box::pin(months(e))),
];

const ONE_DAY_MS: i64 = 24 * 3600 * 1000;

/// The day that begins this many days after the first one of the cases.
fn day(number: i64) -> Period {
    Period::Day(Day::of(at(number * ONE_DAY_MS)))
}

fn draw(what: &str, most: u32) -> AllowanceDraw {
    AllowanceDraw { key: Digest::of(what.as_bytes()), limit: most }
}

async fn ends(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (today, tomorrow) = (day(0), day(1));
    let spent = Ok(AllowanceOutcome::Exhausted { which: 0 });
    for _ in 0..3 {
        check_eq!(
            store.draw_allowances(today, vec![draw("a", 3)]).await,
            Ok(AllowanceOutcome::Granted),
            "one of three"
        );
    }
    check_eq!(store.draw_allowances(today, vec![draw("a", 3)]).await, spent, "the fourth");
    check_eq!(
        store.draw_allowances(today, vec![draw("b", 3)]).await,
        Ok(AllowanceOutcome::Granted),
        "somebody else's"
    );
    check_eq!(
        store.draw_allowances(tomorrow, vec![draw("a", 3)]).await,
        Ok(AllowanceOutcome::Granted),
        "the day after"
    );
    check_eq!(
        store.draw_allowances(today, vec![draw("none", 0)]).await,
        spent,
        "of an allowance of none"
    );
    drop(store);
    let store = location.open().await;
    check_eq!(store.draw_allowances(today, vec![draw("a", 3)]).await, spent, "after reopening");
    check_eq!(
        store.draw_allowances(today, vec![draw("a", 4)]).await,
        Ok(AllowanceOutcome::Granted),
        "of a larger allowance"
    );
    check_eq!(store.draw_allowances(today, vec![draw("a", 1)]).await, spent, "of a smaller one");
    check_eq!(store.allowance_used(today, draw("a", 0).key).await, Ok(4), "the count");
    check_eq!(store.allowance_used(today, draw("none", 0).key).await, Ok(0), "the count of none");
    check_eq!(
        store.draw_allowances(today, vec![]).await,
        Ok(AllowanceOutcome::Granted),
        "nothing at all"
    );
    Ok(())
}

async fn together(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let today = day(0);
    let both = || vec![draw("address", 9), draw("total", 2)];
    check_eq!(
        store.draw_allowances(today, both()).await,
        Ok(AllowanceOutcome::Granted),
        "the first"
    );
    check_eq!(
        store.draw_allowances(today, both()).await,
        Ok(AllowanceOutcome::Granted),
        "the second"
    );
    check_eq!(
        store.draw_allowances(today, both()).await,
        Ok(AllowanceOutcome::Exhausted { which: 1 }),
        "the third"
    );
    check_eq!(
        store.allowance_used(today, draw("address", 0).key).await,
        Ok(2),
        "nothing was taken in vain"
    );
    let twice = vec![draw("x", 1), draw("x", 1)];
    check_eq!(
        store.draw_allowances(today, twice).await,
        Ok(AllowanceOutcome::Exhausted { which: 1 }),
        "the same one twice"
    );
    check_eq!(store.allowance_used(today, draw("x", 0).key).await, Ok(0), "nor of that");
    Ok(())
}

async fn many_at_once(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let today = day(0);
    let asks = (0..200).map(|number| {
        store.draw_allowances(
            today,
            vec![draw(&format!("address {}", number % 50), 3), draw("total", 77)],
        )
    });
    let mut taken = 0;
    for result in join_all(asks).await {
        taken += u32::from(result.map_err(unexpected_error)? == AllowanceOutcome::Granted);
    }
    check_eq!(taken, 77, "taken");
    check_eq!(store.allowance_used(today, draw("total", 0).key).await, Ok(77), "counted");
    Ok(())
}

async fn forgotten(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..4 {
        for what in ["a", "b"] {
            let drawn = store.draw_allowances(day(number), vec![draw(what, 9)]).await;
            drawn.map_err(unexpected_error)?;
        }
    }
    // Two days are kept, for a clock that is set back.
    let third = day(1).ends_at().plus_millis(KEPT_AFTER_PERIOD_MS);
    check_eq!(store.delete_past_allowances(third.plus_millis(-1)).await, Ok(2), "a moment before");
    check_eq!(store.delete_past_allowances(third).await, Ok(2), "forgotten");
    check_eq!(store.delete_past_allowances(third).await, Ok(0), "forgotten again");
    check_eq!(store.allowance_used(day(0), draw("a", 0).key).await, Ok(0), "the first day");
    check_eq!(store.allowance_used(day(2), draw("a", 0).key).await, Ok(1), "a day that is kept");
    Ok(())
}

async fn months(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let month = Month::of(at(0));
    let (this, next) = (Period::Month(month), Period::Month(month.next()));
    let last_day = Period::Day(Day::of(month.ends_at().plus_millis(-1)));
    for _ in 0..2 {
        let drawn = store.draw_allowances(this, vec![draw("a", 2)]).await;
        check_eq!(drawn, Ok(AllowanceOutcome::Granted), "of the month");
    }
    let spent = Ok(AllowanceOutcome::Exhausted { which: 0 });
    check_eq!(store.draw_allowances(this, vec![draw("a", 2)]).await, spent, "the third");
    for other in [last_day, next] {
        let drawn = store.draw_allowances(other, vec![draw("a", 2)]).await;
        check_eq!(drawn, Ok(AllowanceOutcome::Granted), "of {other:?}");
    }
    // The upkeep of every day leaves a month alone until it is over.
    check_eq!(store.delete_past_allowances(month.ends_at()).await, Ok(0), "at its end");
    check_eq!(store.draw_allowances(this, vec![draw("a", 2)]).await, spent, "with the clock back");
    let later = month.ends_at().plus_millis(KEPT_AFTER_PERIOD_MS);
    check_eq!(store.delete_past_allowances(later).await, Ok(2), "the month and its last day");
    check_eq!(store.allowance_used(this, draw("a", 0).key).await, Ok(0), "the past month");
    check_eq!(store.allowance_used(next, draw("a", 0).key).await, Ok(1), "the present month");
    Ok(())
}
