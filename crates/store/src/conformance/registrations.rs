//! Cases for what registries say about domains.

use bytes::Bytes;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, same_as};
use crate::registrations::MAX_CHANGES_OF_DOMAIN;
use crate::{Prunable, RegistrationChange, Store, StoreError, StoredRegistration};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a registration comes back as written, also after reopening", |e| Box::pin(comes_back(e))),
    ("a new reading of a registration keeps its changes", |e| Box::pin(replaced(e))),
    ("the changes of a registration are ordered, not doubled, and bounded", |e| {
        Box::pin(changes_of_one(e))
    }),
    ("registrations are listed in pages", |e| Box::pin(listed(e))),
    ("registrations go by their last attempt, unread ones apart", |e| Box::pin(pruned(e))),
    ("a damaged registration is found, never served, and replaced", |e| Box::pin(damaged(e))),
];

/// A registration that was read, with a value in every field.
pub(super) fn registration(name: &str, ms: i64) -> Result<StoredRegistration, String> {
    Ok(StoredRegistration {
        domain: domain(name)?,
        first_read_at: Some(at(0)),
        read_at: Some(at(ms)),
        source: Some(format!("https://rdap.lab/domain/{name}")),
        registration: Bytes::from(format!("{{\"registrar\":\"of {ms}\"}}")),
        attempted_at: at(ms + 1),
        outcome: String::from("failed"),
        why: Some(String::from("The server answered with status 500.")),
        next_attempt_at: at(ms + 60_000),
    })
}

/// One that was never read.
fn unread(name: &str, ms: i64) -> Result<StoredRegistration, String> {
    Ok(StoredRegistration {
        first_read_at: None,
        read_at: None,
        source: None,
        registration: Bytes::new(),
        why: None,
        ..registration(name, ms)?
    })
}

pub(super) fn change(name: &str, ms: i64, field: &str) -> Result<RegistrationChange, String> {
    Ok(RegistrationChange {
        domain: domain(name)?,
        at: at(ms),
        since: at(ms - 5),
        field: field.to_owned(),
        from: Some(format!("before {ms}")),
        to: None,
    })
}

async fn put(
    store: &dyn Store,
    registration: &StoredRegistration,
    changes: &[RegistrationChange],
) -> CaseResult {
    let stored = store.put_registration(registration.clone(), changes.to_vec()).await;
    stored.map_err(unexpected_error)
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.registration("a.lab").await, Ok(None), "before");
    same_as("before", store.registration_changes("a.lab").await, &[])?;
    let (read, never) = (registration("a.lab", 7)?, unread("xn--bcher-kva.lab", 8)?);
    let changes = [change("a.lab", 7, "registrar")?];
    put(&*store, &read, &changes).await?;
    put(&*store, &never, &[]).await?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.registration("a.lab").await, Ok(Some(read)), "the one that was read");
    check_eq!(store.registration("xn--bcher-kva.lab").await, Ok(Some(never)), "the other");
    same_as("changes", store.registration_changes("a.lab").await, &changes)?;
    check_eq!(store.registration("b.lab").await, Ok(None), "another");
    Ok(())
}

async fn replaced(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    put(&*store, &unread("a.lab", 1)?, &[]).await?;
    put(&*store, &registration("a.lab", 2)?, &[change("a.lab", 2, "status")?]).await?;
    put(&*store, &registration("a.lab", 3)?, &[]).await?;
    check_eq!(store.registration("a.lab").await, Ok(Some(registration("a.lab", 3)?)), "newest");
    let changes = [change("a.lab", 2, "status")?];
    same_as("changes", store.registration_changes("a.lab").await, &changes)?;
    // A change of another domain: nothing is stored.
    let foreign = vec![change("b.lab", 4, "status")?];
    let refused = store.put_registration(registration("a.lab", 4)?, foreign).await;
    check!(matches!(refused, Err(StoreError::Failed { .. })), "a foreign change: {refused:?}");
    check_eq!(store.registration("a.lab").await, Ok(Some(registration("a.lab", 3)?)), "as before");
    Ok(())
}

async fn changes_of_one(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let read = registration("a.lab", 0)?;
    let first = [change("a.lab", 5, "status")?, change("a.lab", 5, "created")?];
    put(&*store, &read, &first).await?;
    put(&*store, &registration("b.lab", 0)?, &[change("b.lab", 6, "status")?]).await?;
    // The same time and field again: it is replaced, not doubled.
    let again = RegistrationChange { to: Some("x".into()), ..change("a.lab", 5, "status")? };
    put(&*store, &read, &[change("a.lab", 9, "registrar")?, again.clone()]).await?;
    let expected = [change("a.lab", 9, "registrar")?, change("a.lab", 5, "created")?, again];
    same_as("order", store.registration_changes("a.lab").await, &expected)?;
    let most = i64::try_from(MAX_CHANGES_OF_DOMAIN).map_err(unexpected_error)?;
    let many: Vec<RegistrationChange> =
        (0..most).map(|n| change("a.lab", 100 + n, "status")).collect::<Result<_, _>>()?;
    put(&*store, &read, &many).await?;
    let kept = store.registration_changes("a.lab").await.map_err(unexpected_error)?;
    check_eq!(kept.len(), MAX_CHANGES_OF_DOMAIN, "how many are kept");
    check_eq!(kept.first().map(|one| one.at), Some(at(99 + most)), "the newest");
    check_eq!(kept.last().map(|one| one.at), Some(at(100)), "the oldest");
    let others = store.registration_changes("b.lab").await.map_err(unexpected_error)?;
    check_eq!(others.len(), 1, "those of another domain");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for name in ["c.lab", "a.lab", "b.lab"] {
        put(&*store, &registration(name, 0)?, &[]).await?;
    }
    let names = |names: &[&str]| -> Vec<String> { names.iter().map(|n| (*n).to_owned()).collect() };
    same_as("first", store.list_registrations(None, 2).await, &names(&["a.lab", "b.lab"]))?;
    let after = Some("b.lab".to_owned());
    same_as("second", store.list_registrations(after, 2).await, &names(&["c.lab"]))
}

async fn pruned(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (name, ms) in [("a.lab", 0), ("b.lab", 10), ("c.lab", 20)] {
        let changes = [change(name, ms, "status")?, change(name, ms + 50, "status")?];
        put(&*store, &registration(name, ms)?, &changes).await?;
        put(&*store, &unread(&format!("unread-{name}"), ms)?, &[]).await?;
    }
    let prune = |what, before, limit| store.prune(what, at(before), limit);
    check_eq!(prune(Prunable::UnreadRegistrations, 12, 1).await, Ok(1), "unread, one step");
    check_eq!(prune(Prunable::UnreadRegistrations, 12, 9).await, Ok(1), "unread, the rest");
    check_eq!(prune(Prunable::UnreadRegistrations, 12, 9).await, Ok(0), "unread, no more");
    check_eq!(prune(Prunable::RegistrationChanges, 11, 9).await, Ok(2), "changes");
    let left = store.registration_changes("b.lab").await.map_err(unexpected_error)?;
    check_eq!(left, vec![change("b.lab", 60, "status")?], "a change that is left");
    check_eq!(prune(Prunable::Registrations, 1, 9).await, Ok(0), "none is that old");
    check_eq!(prune(Prunable::Registrations, 12, 9).await, Ok(2), "those that are");
    let names = vec!["c.lab".to_owned(), "unread-c.lab".to_owned()];
    same_as("left", store.list_registrations(None, 9).await, &names)?;
    same_as("changes go along", store.registration_changes("a.lab").await, &[])?;
    check_eq!(prune(Prunable::RegistrationChanges, 999, 9).await, Ok(2), "the last ones");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for name in ["a.lab", "b.lab"] {
        put(&*store, &registration(name, 0)?, &[]).await?;
    }
    drop(store);
    location.damage_registration("a.lab").await;
    let store = location.open().await;
    let read = store.registration("a.lab").await;
    check!(matches!(read, Err(StoreError::Damaged { .. })), "damaged: {read:?}");
    let names = vec!["a.lab".to_owned(), "b.lab".to_owned()];
    same_as("listed", store.list_registrations(None, 9).await, &names)?;
    put(&*store, &registration("a.lab", 4)?, &[]).await?;
    check_eq!(store.registration("a.lab").await, Ok(Some(registration("a.lab", 4)?)), "replaced");
    Ok(())
}
