//! Cases for the health check.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::scan;

pub(super) const CASES: &[(&str, Case)] =
    &[("the health check passes on a healthy store, also under load", |e| Box::pin(healthy(e)))];

async fn healthy(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check!(!store.engine().is_empty(), "the engine has no name");
    check!(store.schema_version() > 0, "the schema has no version");
    for result in join_all((0..20).map(|_| store.check())).await {
        check_eq!(result, Ok(()), "one of many checks at once");
    }
    let version = store.schema_version();
    drop(store);
    let store = location.open().await;
    check_eq!(store.schema_version(), version, "the schema after reopening");
    check_eq!(store.check().await, Ok(()), "after reopening");
    store.put_scan(scan("s", "shop.lab", 0)?).await.map_err(unexpected_error)?;
    check_eq!(
        store.export_scans(None, 10).await.map(|rows| rows.len()),
        Ok(1),
        "checks leave no trace"
    );
    Ok(())
}
