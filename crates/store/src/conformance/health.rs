//! Cases for the store as a whole.

use futures_util::future::join_all;

use super::samples::scan;
use super::{Case, CaseResult, Engine, holds, same, text};

pub(super) const CASES: &[(&str, Case)] =
    &[("a healthy store says so, also when busy", |e| Box::pin(healthy(e)))];

async fn healthy(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    holds!(!store.engine().is_empty(), "the engine has no name");
    holds!(store.schema_version() > 0, "the schema has no version");
    for result in join_all((0..20).map(|_| store.check())).await {
        same!(result, Ok(()), "one of many checks at once");
    }
    let version = store.schema_version();
    drop(store);
    let store = place.open().await;
    same!(store.schema_version(), version, "the schema after reopening");
    same!(store.check().await, Ok(()), "after reopening");
    store.put_scan(scan("s", "shop.lab", 0)?).await.map_err(text)?;
    same!(
        store.export_scans(None, 10).await.map(|rows| rows.len()),
        Ok(1),
        "checks leave no trace"
    );
    Ok(())
}
