//! Cases for allowances by the day.

use futures_util::future::join_all;

use super::samples::at;
use super::{Case, CaseResult, Engine, same, text};
use crate::{Day, Digest, Draw, Taking};

pub(super) const CASES: &[(&str, Case)] = &[
    ("an allowance ends, is counted by the day, and survives reopening", |e| Box::pin(ends(e))),
    ("draws are taken together or not at all", |e| Box::pin(together(e))),
    ("many at once never take more than there is", |e| Box::pin(many_at_once(e))),
    ("days before a day are forgotten, that day is not", |e| Box::pin(forgotten(e))),
];

const ONE_DAY_MS: i64 = 24 * 3600 * 1000;

fn draw(what: &str, most: u32) -> Draw {
    Draw { what: Digest::of(what.as_bytes()), most }
}

async fn ends(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let (today, tomorrow) = (Day::of(at(0)), Day::of(at(ONE_DAY_MS)));
    let spent = Ok(Taking::Spent { which: 0 });
    for _ in 0..3 {
        same!(store.take(today, vec![draw("a", 3)]).await, Ok(Taking::Taken), "one of three");
    }
    same!(store.take(today, vec![draw("a", 3)]).await, spent, "the fourth");
    same!(store.take(today, vec![draw("b", 3)]).await, Ok(Taking::Taken), "somebody else's");
    same!(store.take(tomorrow, vec![draw("a", 3)]).await, Ok(Taking::Taken), "the day after");
    same!(store.take(today, vec![draw("none", 0)]).await, spent, "of an allowance of none");
    drop(store);
    let store = place.open().await;
    same!(store.take(today, vec![draw("a", 3)]).await, spent, "after reopening");
    same!(store.take(today, vec![draw("a", 4)]).await, Ok(Taking::Taken), "of a larger allowance");
    same!(store.take(today, vec![draw("a", 1)]).await, spent, "of a smaller one");
    same!(store.taken(today, draw("a", 0).what).await, Ok(4), "the count");
    same!(store.taken(today, draw("none", 0).what).await, Ok(0), "the count of none");
    same!(store.take(today, vec![]).await, Ok(Taking::Taken), "nothing at all");
    Ok(())
}

async fn together(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let today = Day::of(at(0));
    let both = || vec![draw("address", 9), draw("total", 2)];
    same!(store.take(today, both()).await, Ok(Taking::Taken), "the first");
    same!(store.take(today, both()).await, Ok(Taking::Taken), "the second");
    same!(store.take(today, both()).await, Ok(Taking::Spent { which: 1 }), "the third");
    same!(store.taken(today, draw("address", 0).what).await, Ok(2), "nothing was taken in vain");
    let twice = vec![draw("x", 1), draw("x", 1)];
    same!(store.take(today, twice).await, Ok(Taking::Spent { which: 1 }), "the same one twice");
    same!(store.taken(today, draw("x", 0).what).await, Ok(0), "nor of that");
    Ok(())
}

async fn many_at_once(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let today = Day::of(at(0));
    let asks = (0..200).map(|number| {
        store.take(today, vec![draw(&format!("address {}", number % 50), 3), draw("total", 77)])
    });
    let mut taken = 0;
    for result in join_all(asks).await {
        taken += u32::from(result.map_err(text)? == Taking::Taken);
    }
    same!(taken, 77, "taken");
    same!(store.taken(today, draw("total", 0).what).await, Ok(77), "counted");
    Ok(())
}

async fn forgotten(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    for day in 0..4 {
        let day = Day::of(at(day * ONE_DAY_MS));
        for what in ["a", "b"] {
            store.take(day, vec![draw(what, 9)]).await.map_err(text)?;
        }
    }
    let third = Day::of(at(2 * ONE_DAY_MS));
    same!(store.forget_before(third).await, Ok(4), "forgotten");
    same!(store.forget_before(third).await, Ok(0), "forgotten again");
    same!(store.taken(Day::of(at(0)), draw("a", 0).what).await, Ok(0), "the first day");
    same!(store.taken(third, draw("a", 0).what).await, Ok(1), "the day itself");
    Ok(())
}
