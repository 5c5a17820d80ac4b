//! Cases for switches.

use super::harness::{Case, CaseResult, Engine, check_eq, unexpected_error};
use super::sample_values::at;
use crate::Switch;

pub(super) const CASES: &[(&str, Case)] =
    &[("a switch stays as it was last set", |e| Box::pin(last_set(e)))];

async fn last_set(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.switch("paused").await, Ok(None), "one that was never set");
    let set = |on, ms| Switch { name: String::from("paused"), on, changed_at: at(ms) };
    for (on, ms) in [(true, 1), (false, 2), (true, 3)] {
        store.set_switch(set(on, ms)).await.map_err(unexpected_error)?;
        check_eq!(store.switch("paused").await, Ok(Some(set(on, ms))), "just set");
    }
    let other = Switch { name: String::from("another"), on: false, changed_at: at(0) };
    store.set_switch(other.clone()).await.map_err(unexpected_error)?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.switches().await, Ok(vec![other, set(true, 3)]), "after reopening");
    Ok(())
}
