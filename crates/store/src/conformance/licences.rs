//! Cases for licences and their keys.

use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, key, licence, put_licence};
use crate::licences::{MAX_STORED_KEYS, MAX_VALID_KEYS};
use crate::{Day, Digest, Licence, LicensedDomains, StoreError, StoredKey};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a licence is found by its key, also after reopening", |e| Box::pin(by_key(e))),
    ("licences are listed by age and in pages, with every form of domains", |e| {
        Box::pin(listed(e))
    }),
    ("an id or key that is already stored is refused", |e| Box::pin(duplicate(e))),
    ("a licence is revoked once and stays revoked", |e| Box::pin(revoked(e))),
    ("a new key ends the others when it says so, and never later than before", |e| {
        Box::pin(rotated(e))
    }),
    ("the keys of a licence are bounded", |e| Box::pin(bounded(e))),
    ("one key is revoked without its licence", |e| Box::pin(one_key_revoked(e))),
    ("the last day of use only moves forward", |e| Box::pin(last_used(e))),
    ("a licence is found by its mailbox until it is revoked", |e| Box::pin(by_mailbox(e))),
];

async fn by_key(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let full = Licence {
        mailbox: Some(Digest::of(b"mailbox")),
        expires_at: Some(at(99)),
        last_used: Some(Day::of(at(0))),
        ..licence("one", 0)?
    };
    let first = StoredKey { expires_at: Some(at(50)), ..key("key", "one", 0) };
    check_eq!(store.licence_by_key(first.key_sha256).await, Ok(None), "before it is put");
    store.put_licence(full.clone(), first.clone()).await.map_err(unexpected_error)?;
    let expected = Ok(Some((full.clone(), first.clone())));
    check_eq!(store.licence_by_key(first.key_sha256).await, expected, "just put");
    check_eq!(store.licence_by_key(Digest::of(b"another")).await, Ok(None), "another key");
    check_eq!(store.licence("one").await, Ok(Some(full)), "by its id");
    check_eq!(store.licence("two").await, Ok(None), "another id");
    drop(store);
    let store = location.open().await;
    check_eq!(store.licence_by_key(first.key_sha256).await, expected, "after reopening");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.licences(None, 9).await, Ok(vec![]), "of a new store");
    let many: Result<_, _> = (0..50).map(|number| domain(&format!("d{number}.lab"))).collect();
    let all = [
        Licence { domains: LicensedDomains::All, label: None, ..licence("b", 1)? },
        licence("c", 1)?,
        Licence { domains: LicensedDomains::Only([].into()), ..licence("a", 2)? },
        Licence {
            domains: LicensedDomains::Only(many?),
            label: Some(String::from("' ü\n\u{202e}")),
            ..licence("z", 3)?
        },
    ];
    for put in all.iter().rev() {
        let first = key(&put.id, &put.id, 0);
        store.put_licence(put.clone(), first).await.map_err(unexpected_error)?;
    }
    check_eq!(store.licences(None, 9).await, Ok(all.to_vec()), "the list");
    let (mut after, mut paged) = (None, Vec::new());
    loop {
        let page = store.licences(after, 1).await.map_err(unexpected_error)?;
        let Some(last) = page.last() else { break };
        after = Some(last.cursor());
        paged.extend(page);
    }
    check_eq!(paged, all.to_vec(), "in pages");
    Ok(())
}

async fn duplicate(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = put_licence(store.as_ref(), "one", 0).await?;
    let same_id = store.put_licence(licence("one", 5)?, key("other key", "one", 5)).await;
    let same_key = store.put_licence(licence("two", 5)?, key("one", "two", 5)).await;
    let added = store.add_key(key("one", "one", 5), None).await.map(drop);
    for refused in [same_id, same_key, added] {
        check!(matches!(refused, Err(StoreError::Duplicate { .. })), "refused: {refused:?}");
    }
    check_eq!(store.licences(None, 9).await, Ok(vec![first]), "what is kept");
    check_eq!(store.keys_of("one").await, Ok(vec![key("one", "one", 0)]), "its keys");
    check_eq!(store.keys_of("two").await, Ok(vec![]), "the keys of the refused one");
    Ok(())
}

async fn revoked(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let active = put_licence(store.as_ref(), "kept", 0).await?;
    let ended = put_licence(store.as_ref(), "ended", 1).await?;
    check_eq!(store.revoke_licence("unknown", at(2)).await, Ok(None), "an unknown id");
    let expected = Licence { revoked_at: Some(at(2)), ..ended };
    check_eq!(store.revoke_licence("ended", at(2)).await, Ok(Some(expected.clone())), "revoked");
    let again = join_all((3..9).map(|ms| store.revoke_licence("ended", at(ms)))).await;
    for result in again {
        check_eq!(result, Ok(Some(expected.clone())), "revoked again");
    }
    let added = store.add_key(key("new", "ended", 5), None).await;
    check_eq!(added, Ok(false), "a key for a revoked licence");
    drop(store);
    let store = location.open().await;
    let found = store.licence_by_key(Digest::of(b"ended")).await.map_err(unexpected_error)?;
    check_eq!(found, Some((expected, key("ended", "ended", 1))), "after reopening");
    let found = store.licence_by_key(Digest::of(b"kept")).await.map_err(unexpected_error)?;
    check_eq!(found, Some((active, key("kept", "kept", 0))), "its neighbour");
    Ok(())
}

async fn rotated(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    put_licence(store.as_ref(), "l", 0).await?;
    put_licence(store.as_ref(), "other", 0).await?;
    check_eq!(store.add_key(key("x", "unknown", 1), None).await, Ok(false), "an unknown licence");
    let soon = StoredKey { expires_at: Some(at(5)), ..key("soon", "l", 1) };
    check_eq!(store.add_key(soon.clone(), None).await, Ok(true), "beside the first");
    let third = key("third", "l", 2);
    check_eq!(store.add_key(third.clone(), Some(at(10))).await, Ok(true), "in place of both");
    let first = StoredKey { expires_at: Some(at(10)), ..key("l", "l", 0) };
    check_eq!(store.keys_of("l").await, Ok(vec![first, soon, third]), "all keys");
    let untouched = store.keys_of("other").await;
    check_eq!(untouched, Ok(vec![key("other", "other", 0)]), "of another licence");
    Ok(())
}

async fn bounded(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    put_licence(store.as_ref(), "l", 0).await?;
    for number in 1..MAX_VALID_KEYS {
        let added = store.add_key(key(&format!("k{number}"), "l", 1), None).await;
        check_eq!(added, Ok(true), "key {number}");
    }
    let one_more = store.add_key(key("more", "l", 2), None).await;
    check!(matches!(one_more, Err(StoreError::LimitReached { .. })), "one more: {one_more:?}");
    // Keys that overlap count; those that have ended do not.
    let overlapping = store.add_key(key("more", "l", 2), Some(at(9))).await;
    check!(matches!(overlapping, Err(StoreError::LimitReached { .. })), "{overlapping:?}");
    let keys = store.keys_of("l").await.map_err(unexpected_error)?;
    check!(keys.iter().all(|key| key.expires_at.is_none()), "a refused rotation ended keys");
    check_eq!(store.add_key(key("more", "l", 2), Some(at(2))).await, Ok(true), "in their place");
    for number in 0..200 {
        let new = key(&format!("r{number}"), "l", 3 + number);
        let added = store.add_key(new.clone(), Some(new.created_at)).await;
        check_eq!(added, Ok(true), "rotation {number}");
    }
    let keys = store.keys_of("l").await.map_err(unexpected_error)?;
    check_eq!(keys.len(), MAX_STORED_KEYS, "what is kept of many rotations");
    check_eq!(keys.last(), Some(&key("r199", "l", 202)), "the one that is valid");
    Ok(())
}

async fn one_key_revoked(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let put = put_licence(store.as_ref(), "l", 0).await?;
    store.add_key(key("second", "l", 1), None).await.map_err(unexpected_error)?;
    check_eq!(store.revoke_key(Digest::of(b"none"), at(2)).await, Ok(None), "an unknown key");
    let expected = StoredKey { revoked_at: Some(at(2)), ..key("second", "l", 1) };
    for ms in 2..5 {
        let revoked = store.revoke_key(expected.key_sha256, at(ms)).await;
        check_eq!(revoked, Ok(Some(expected.clone())), "revoked");
    }
    let found = store.licence_by_key(expected.key_sha256).await;
    check_eq!(found, Ok(Some((put, expected.clone()))), "it is still found");
    let left = store.keys_of("l").await;
    check_eq!(left, Ok(vec![key("l", "l", 0), expected]), "the other one");
    Ok(())
}

async fn last_used(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    put_licence(store.as_ref(), "l", 0).await?;
    let today = Day::of(at(0));
    for (day, expected) in [(today, today), (today.previous(), today), (today.next(), today.next())]
    {
        store.mark_licence_used("l", day).await.map_err(unexpected_error)?;
        let stored = store.licence("l").await.map_err(unexpected_error)?;
        check_eq!(stored.and_then(|l| l.last_used), Some(expected), "after {day}");
    }
    store.mark_licence_used("unknown", today).await.map_err(unexpected_error)?;
    Ok(())
}

async fn by_mailbox(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mailbox = Digest::of(b"somebody");
    check_eq!(store.licence_by_mailbox(mailbox).await, Ok(None), "before");
    for (id, ms) in [("old", 0), ("new", 5)] {
        let put = Licence { mailbox: Some(mailbox), ..licence(id, ms)? };
        store.put_licence(put, key(id, id, ms)).await.map_err(unexpected_error)?;
    }
    put_licence(store.as_ref(), "without", 9).await?;
    for expected in ["new", "old"] {
        let found = store.licence_by_mailbox(mailbox).await.map_err(unexpected_error)?;
        check_eq!(found.map(|l| l.id), Some(expected.to_owned()), "the newest");
        store.revoke_licence(expected, at(9)).await.map_err(unexpected_error)?;
    }
    check_eq!(store.licence_by_mailbox(mailbox).await, Ok(None), "after both were revoked");
    Ok(())
}
