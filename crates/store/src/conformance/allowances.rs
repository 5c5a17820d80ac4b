//! Cases for daily allowances.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::sample_values::at;
use crate::{AllowanceDraw, AllowanceOutcome, Day, Digest};

pub(super) const CASES: &[(&str, Case)] = &[
    ("an allowance is limited per day and survives reopening", |e| Box::pin(ends(e))),
    ("draws are granted together or not at all", |e| Box::pin(together(e))),
    ("concurrent draws never exceed the limit", |e| Box::pin(many_at_once(e))),
    ("counts before a day are deleted, that day's are not", |e| Box::pin(forgotten(e))),
];

const ONE_DAY_MS: i64 = 24 * 3600 * 1000;

fn draw(what: &str, most: u32) -> AllowanceDraw {
    AllowanceDraw { key: Digest::of(what.as_bytes()), limit: most }
}

async fn ends(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let (today, tomorrow) = (Day::of(at(0)), Day::of(at(ONE_DAY_MS)));
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
    let today = Day::of(at(0));
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
    let today = Day::of(at(0));
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
    for day in 0..4 {
        let day = Day::of(at(day * ONE_DAY_MS));
        for what in ["a", "b"] {
            store.draw_allowances(day, vec![draw(what, 9)]).await.map_err(unexpected_error)?;
        }
    }
    let third = Day::of(at(2 * ONE_DAY_MS));
    check_eq!(store.delete_allowances_before(third).await, Ok(4), "forgotten");
    check_eq!(store.delete_allowances_before(third).await, Ok(0), "forgotten again");
    check_eq!(store.allowance_used(Day::of(at(0)), draw("a", 0).key).await, Ok(0), "the first day");
    check_eq!(store.allowance_used(third, draw("a", 0).key).await, Ok(1), "the day itself");
    Ok(())
}
