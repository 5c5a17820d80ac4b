use bytes::Bytes;
use contract::records::{AnswerNamed, ChangeCause, FieldValue};
use store::{Append, Beside, Leasing, NewChange, Store};

use super::*;
use crate::testing::{now, service};

fn domain(name: &str) -> Domain {
    serde_json::from_value(name.into()).unwrap()
}

fn change(number: i64, name: &str, section: &str, direction: ChangeDirection) -> NewChange {
    let at = now().plus_millis(number * 1_000);
    let entry = ChangeEntry {
        seq: None,
        domain: domain(name),
        at,
        section: section.to_owned(),
        field: format!("{section}.x"),
        from: None,
        to: Some(FieldValue::Number(number)),
        happened_between: vec![at, at],
        cause: ChangeCause::Site,
        direction: direction.clone(),
        actions_affected: Vec::new(),
        before: AnswerNamed { answer_sha256: None },
        after: AnswerNamed { answer_sha256: None },
        evidence: None,
    };
    NewChange {
        domain: domain(name),
        at,
        section: section.to_owned(),
        direction: direction.to_string(),
        body: Bytes::from(proof::canonical::to_vec(&entry).unwrap()),
    }
}

async fn put(store: &dyn Store, changes: Vec<NewChange>) {
    let lease = store.take_log_lease("us", now(), now().plus_millis(60_000)).await.unwrap();
    let Leasing::Taken { epoch } = lease else { panic!("{lease:?}") };
    let beside = Beside { changes, ..Beside::default() };
    let append = Append { epoch, after: None, batch: None, answers: Vec::new(), beside };
    store.append(append).await.unwrap();
}

fn read(listed: &Listed) -> Changes {
    serde_json::from_slice(&listed.document.bytes).unwrap()
}

fn seqs(changes: &Changes) -> Vec<u64> {
    changes.entries.iter().filter_map(|entry| entry.seq).collect()
}

fn wish() -> ChangesWish {
    ChangesWish { limit: 50, ..ChangesWish::default() }
}

#[tokio::test]
async fn changes_are_told_newest_first_and_followed_by_cursor() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path(), Vec::new());
    let store = std::sync::Arc::clone(&service.store);
    let ask = async |wish| read(&service.changes(wish).await.unwrap());

    let none = ask(wish()).await;
    assert_eq!((none.entries.len(), none.cursor, none.coverage.from), (0, None, None));
    let untracked = ask(ChangesWish { domain: Some(domain("a.lab")), ..wish() }).await;
    assert_eq!((untracked.entries.len(), untracked.coverage.readings), (0, Some(0)));

    let neutral = || ChangeDirection::Neutral;
    let first = (1..=5).map(|n| change(n, "a.lab", "delivery", neutral())).collect();
    put(&*store, first).await;
    put(&*store, vec![change(6, "b.lab", "assurance", ChangeDirection::Tightened)]).await;

    let all = ask(wish()).await;
    assert_eq!((seqs(&all), all.has_more), (vec![6, 5, 4, 3, 2, 1], false));
    assert_eq!(all.entries[0].to, Some(FieldValue::Number(6)));
    let of_a = ask(ChangesWish { domain: Some(domain("a.lab")), limit: 2, ..wish() }).await;
    assert_eq!((seqs(&of_a), of_a.has_more), (vec![5, 4], true));
    let of_section = ask(ChangesWish { section: Some("assurance".to_owned()), ..wish() }).await;
    assert_eq!(seqs(&of_section), [6]);
    let tightened = Some(ChangeDirection::Tightened);
    assert_eq!(seqs(&ask(ChangesWish { direction: tightened, ..wish() }).await), [6]);
    let since = Some(now().plus_millis(5_000));
    assert_eq!(seqs(&ask(ChangesWish { since, ..wish() }).await), [6, 5]);

    // From the first, page by page, to where we are.
    let mut cursor = Some(FROM_THE_FIRST.to_owned());
    let mut walked = Vec::new();
    loop {
        let page = ask(ChangesWish { cursor: cursor.clone(), limit: 4, ..wish() }).await;
        walked.extend(seqs(&page));
        cursor = page.cursor;
        if !page.has_more {
            break;
        }
    }
    assert_eq!(walked, [1, 2, 3, 4, 5, 6]);
    // Nothing new, then something. Who began with the newest goes on from there too.
    for cursor in [cursor, all.cursor, of_a.cursor] {
        let page = ask(ChangesWish { cursor, ..wish() }).await;
        assert_eq!((seqs(&page), page.has_more), (vec![], false));
        assert!(page.cursor.is_some());
    }
    let cursor = ask(wish()).await.cursor;
    put(&*store, vec![change(7, "a.lab", "delivery", neutral())]).await;
    assert_eq!(seqs(&ask(ChangesWish { cursor, ..wish() }).await), [7]);
}

#[tokio::test]
async fn a_list_keeps_its_name_while_it_says_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path(), Vec::new());
    let store = std::sync::Arc::clone(&service.store);
    put(&*store, vec![change(1, "a.lab", "dns", ChangeDirection::Neutral)]).await;
    let once = service.changes(wish()).await.unwrap();
    assert_eq!(once.name, service.changes(wish()).await.unwrap().name);
    assert!(read(&once).signature.is_some());
    put(&*store, vec![change(2, "a.lab", "dns", ChangeDirection::Neutral)]).await;
    assert_ne!(once.name, service.changes(wish()).await.unwrap().name);
}

#[tokio::test]
async fn a_cursor_that_was_not_given_out_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let service = service(dir.path(), Vec::new());
    let store = std::sync::Arc::clone(&service.store);
    put(&*store, vec![change(1, "a.lab", "dns", ChangeDirection::Neutral)]).await;
    let good = read(&service.changes(wish()).await.unwrap()).cursor.unwrap();
    assert_eq!(read_cursor(&service.secret, &good), Some(1));
    let ask = async |cursor: String| {
        service.changes(ChangesWish { cursor: Some(cursor), ..wish() }).await.unwrap_err()
    };
    for forged in [
        String::new(),
        "1".to_owned(),
        "c1-1".to_owned(),
        "c1-1-".to_owned(),
        good.replacen("c1-1-", "c1-2-", 1),
        good.replacen("c1-1-", "c1-01-", 1),
        good.replacen("c1", "c2", 1),
        format!("{good}A"),
        "x".repeat(100_000),
    ] {
        assert_eq!(ask(forged.clone()).await, ChangesError::BadCursor, "{forged}");
    }
    // Ours, but from a log that went further than this one: it was put back.
    assert_eq!(ask(cursor(&service.secret, 9)).await, ChangesError::CursorExpired);
}
