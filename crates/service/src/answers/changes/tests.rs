use bytes::Bytes;
use contract::records::{AnswerRef, ChangeCause, FieldValue};
use store::{Append, AppendExtras, LogLease, NewChange, Store};

use super::*;
use crate::testing::{build_service, now};

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
        before: AnswerRef { answer_sha256: None },
        after: AnswerRef { answer_sha256: None },
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
    let lease = store.acquire_log_lease("us", now(), now().plus_millis(60_000)).await.unwrap();
    let LogLease::Granted { epoch } = lease else { panic!("{lease:?}") };
    let extras = AppendExtras { changes, ..AppendExtras::default() };
    let append = Append { epoch, previous_head: None, batch: None, answers: Vec::new(), extras };
    store.append(append).await.unwrap();
}

fn read(listed: &DocumentWithEtag) -> Changes {
    serde_json::from_slice(&listed.document.bytes).unwrap()
}

fn seqs(changes: &Changes) -> Vec<u64> {
    changes.entries.iter().filter_map(|entry| entry.seq).collect()
}

fn query() -> ChangesPageQuery {
    ChangesPageQuery { limit: 50, ..ChangesPageQuery::default() }
}

#[tokio::test]
async fn changes_are_listed_newest_first_and_followed_by_cursor() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    let store = std::sync::Arc::clone(&service.store);
    let ask = async |query| read(&service.answers.changes(query).await.unwrap());

    let none = ask(query()).await;
    assert_eq!((none.entries.len(), none.cursor, none.coverage.from), (0, None, None));
    let untracked = ask(ChangesPageQuery { domain: Some(domain("a.lab")), ..query() }).await;
    assert_eq!((untracked.entries.len(), untracked.coverage.readings), (0, Some(0)));

    let neutral = || ChangeDirection::Neutral;
    let first = (1..=5).map(|n| change(n, "a.lab", "delivery", neutral())).collect();
    put(&*store, first).await;
    put(&*store, vec![change(6, "b.lab", "assurance", ChangeDirection::Tightened)]).await;

    let all = ask(query()).await;
    assert_eq!((seqs(&all), all.has_more), (vec![6, 5, 4, 3, 2, 1], false));
    assert_eq!(all.entries[0].to, Some(FieldValue::Number(6)));
    let of_a = ask(ChangesPageQuery { domain: Some(domain("a.lab")), limit: 2, ..query() }).await;
    assert_eq!((seqs(&of_a), of_a.has_more), (vec![5, 4], true));
    let of_section =
        ask(ChangesPageQuery { section: Some("assurance".to_owned()), ..query() }).await;
    assert_eq!(seqs(&of_section), [6]);
    let tightened = Some(ChangeDirection::Tightened);
    assert_eq!(seqs(&ask(ChangesPageQuery { direction: tightened, ..query() }).await), [6]);
    let since = Some(now().plus_millis(5_000));
    assert_eq!(seqs(&ask(ChangesPageQuery { since, ..query() }).await), [6, 5]);

    // From the first entry, page by page, to the newest.
    let mut cursor = Some(CURSOR_AT_START.to_owned());
    let mut walked = Vec::new();
    loop {
        let page = ask(ChangesPageQuery { cursor: cursor.clone(), limit: 4, ..query() }).await;
        walked.extend(seqs(&page));
        cursor = page.cursor;
        if !page.has_more {
            break;
        }
    }
    assert_eq!(walked, [1, 2, 3, 4, 5, 6]);
    // Nothing new yet. A reader that started with the newest page can continue from there too.
    for cursor in [cursor, all.cursor, of_a.cursor] {
        let page = ask(ChangesPageQuery { cursor, ..query() }).await;
        assert_eq!((seqs(&page), page.has_more), (vec![], false));
        assert!(page.cursor.is_some());
    }
    let cursor = ask(query()).await.cursor;
    put(&*store, vec![change(7, "a.lab", "delivery", neutral())]).await;
    assert_eq!(seqs(&ask(ChangesPageQuery { cursor, ..query() }).await), [7]);
}

#[tokio::test]
async fn the_etag_stays_while_the_content_does() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    let store = std::sync::Arc::clone(&service.store);
    put(&*store, vec![change(1, "a.lab", "dns", ChangeDirection::Neutral)]).await;
    let once = service.answers.changes(query()).await.unwrap();
    assert_eq!(once.etag, service.answers.changes(query()).await.unwrap().etag);
    assert!(read(&once).signature.is_some());
    put(&*store, vec![change(2, "a.lab", "dns", ChangeDirection::Neutral)]).await;
    assert_ne!(once.etag, service.answers.changes(query()).await.unwrap().etag);
}

#[tokio::test]
async fn a_cursor_that_was_not_issued_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    let store = std::sync::Arc::clone(&service.store);
    put(&*store, vec![change(1, "a.lab", "dns", ChangeDirection::Neutral)]).await;
    let good = read(&service.answers.changes(query()).await.unwrap()).cursor.unwrap();
    assert_eq!(decode_cursor(&service.answers.secret, &good), Some(1));
    let ask = async |cursor: String| {
        service
            .answers
            .changes(ChangesPageQuery { cursor: Some(cursor), ..query() })
            .await
            .unwrap_err()
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
    // A valid cursor beyond the newest entry: the store was restored from a backup.
    assert_eq!(ask(encode_cursor(&service.answers.secret, 9)).await, ChangesError::CursorExpired);
}
