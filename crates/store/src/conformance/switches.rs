//! Cases for switches.

use super::samples::at;
use super::{Case, CaseResult, Engine, same, text};
use crate::Switch;

pub(super) const CASES: &[(&str, Case)] =
    &[("a switch stays as it was last set", |e| Box::pin(last_set(e)))];

async fn last_set(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    same!(store.switch("paused").await, Ok(None), "one that was never set");
    let set = |on, ms| Switch { name: String::from("paused"), on, changed_at: at(ms) };
    for (on, ms) in [(true, 1), (false, 2), (true, 3)] {
        store.set_switch(set(on, ms)).await.map_err(text)?;
        same!(store.switch("paused").await, Ok(Some(set(on, ms))), "just set");
    }
    let other = Switch { name: String::from("another"), on: false, changed_at: at(0) };
    store.set_switch(other.clone()).await.map_err(text)?;
    drop(store);
    let store = place.open().await;
    same!(store.switches().await, Ok(vec![other, set(true, 3)]), "after reopening");
    Ok(())
}
