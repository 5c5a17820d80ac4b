//! Cases for the audit log.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::at;
use crate::audit::MAX_DETAIL_BYTES;
use crate::{AuditEntry, NewAuditEntry, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("audit entries are numbered and listed, newest first", |e| Box::pin(listed(e))),
    ("audit entries at once get numbers of their own", |e| Box::pin(at_once(e))),
    ("audit entries are copied under their numbers and never replaced", |e| Box::pin(copied(e))),
];

pub(super) fn entry(number: i64) -> NewAuditEntry {
    NewAuditEntry {
        at: at(number),
        actor: String::from("operator"),
        action: String::from("licence.create"),
        subject: format!("l{number}"),
        detail: format!("{{\"number\":{number}}}"),
    }
}

fn numbers(found: Result<Vec<AuditEntry>, StoreError>) -> Result<Vec<u64>, String> {
    Ok(found.map_err(unexpected_error)?.into_iter().map(|found| found.seq).collect())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.audit_entries(None, 9).await, Ok(vec![]), "of a new store");
    for (seq, number) in (1..).zip(0..5) {
        check_eq!(store.append_audit(entry(number)).await, Ok(seq), "the number");
    }
    let long = NewAuditEntry { detail: "x".repeat(MAX_DETAIL_BYTES + 1), ..entry(0) };
    let refused = store.append_audit(long).await;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too long: {refused:?}");
    drop(store);
    let store = location.open().await;
    let newest = store.audit_entries(None, 2).await;
    let expected = [(5, 4), (4, 3)].map(|(seq, number)| entry(number).numbered(seq));
    check_eq!(newest, Ok(expected.to_vec()), "the newest");
    check_eq!(numbers(store.audit_entries(Some(4), 9).await)?, [3, 2, 1], "the next page");
    check_eq!(numbers(store.export_audit(0, 2).await)?, [1, 2], "the oldest");
    check_eq!(numbers(store.export_audit(2, 9).await)?, [3, 4, 5], "the rest");
    check_eq!(store.append_audit(entry(9)).await, Ok(6), "after reopening");
    Ok(())
}

async fn at_once(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut given = Vec::new();
    for seq in join_all((0..50).map(|number| store.append_audit(entry(number)))).await {
        given.push(seq.map_err(unexpected_error)?);
    }
    given.sort_unstable();
    check_eq!(given, (1..=50).collect::<Vec<u64>>(), "each number once");
    Ok(())
}

async fn copied(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let entries: Vec<AuditEntry> =
        (1..4).zip(0..).map(|(seq, number)| entry(number).numbered(seq)).collect();
    for _ in 0..2 {
        store.import_audit(entries.clone()).await.map_err(unexpected_error)?;
    }
    let other = vec![entry(4).numbered(4), entry(9).numbered(2)];
    let refused = store.import_audit(other).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "another entry: {refused:?}");
    check_eq!(store.export_audit(0, 9).await, Ok(entries), "what is kept");
    check_eq!(store.append_audit(entry(4)).await, Ok(4), "the next one");
    Ok(())
}
