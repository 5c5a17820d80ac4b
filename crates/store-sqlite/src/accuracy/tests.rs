//! Tests of the AI-accuracy records in the database.

use contract::Timestamp;
use store::scans::parse_stored_domain;

use super::*;
use crate::SqliteOptions;

fn accuracy(name: &str) -> StoredAccuracy {
    StoredAccuracy {
        domain: parse_stored_domain(name).unwrap(),
        engine: "oracle".to_owned(),
        checked_at: Timestamp::from_millis(1_794_711_380_007),
        sha256: Digest::of(name.as_bytes()),
        record: Bytes::from(format!("record of {name}")),
        evidence: Bytes::from(format!("evidence of {name}")),
    }
}

#[test]
fn every_question_is_answered_by_an_index_in_its_order() {
    let mut connection = Connection::open_in_memory().unwrap();
    crate::migrate::migrate(&mut connection, "memory").unwrap();
    for (sql, index) in [
        (select_records(NEWEST), "INDEX accuracy_records_by_domain "),
        (select_records(NEWEST_OF_ENGINE), "INDEX sqlite_autoindex_accuracy_records_2 "),
        (select_records(BY_DIGEST), "INDEX sqlite_autoindex_accuracy_records_1 "),
        (select_records(SAME), "INDEX sqlite_autoindex_accuracy_records_2 "),
        (select_bare_records(SINCE), "INDEX accuracy_records_by_domain "),
        (select_bare_records(SINCE_OF_ENGINE), "INDEX sqlite_autoindex_accuracy_records_2 "),
        (DIGESTS.to_owned(), "COVERING INDEX accuracy_records_by_day "),
        (DELETE_ACCURACY.to_owned(), "COVERING INDEX accuracy_records_by_day "),
    ] {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        // The plan needs no values, so none are bound.
        let mut steps = statement.raw_query();
        let mut plan = String::new();
        while let Some(step) = steps.next().unwrap() {
            plan.push_str(&step.get::<_, String>(3).unwrap());
            plan.push('\n');
        }
        let searched = plan.contains(&format!("SEARCH accuracy_records USING {index}"));
        let scanned = plan.lines().any(|line| line.starts_with("SCAN"));
        assert!(searched && !scanned && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
    }
}

#[tokio::test]
async fn the_records_that_were_stored_first_go_first() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap();
    let put = |name: &str, most: u64| {
        let packed = PackedAccuracy::new(accuracy(name), Vec::new()).unwrap();
        store.database.writer.write("storing", 0, move |c| packed.put(c, most))
    };
    for name in ["a.lab", "b.lab", "c.lab", "d.lab"] {
        assert_eq!(put(name, 3).await, Ok(true));
    }
    let listed = || async {
        let listed = store.list_accuracy(None, 9).await.unwrap();
        listed.iter().map(|listed| listed.sha256).collect::<Vec<_>>()
    };
    let of = |names: &[&str]| names.iter().map(|n| Digest::of(n.as_bytes())).collect::<Vec<_>>();
    assert_eq!(listed().await, of(&["b.lab", "c.lab", "d.lab"]));
    // One that is stored already removes nothing, and not more than one goes for a new one.
    assert_eq!(put("d.lab", 1).await, Ok(false));
    assert_eq!(listed().await, of(&["b.lab", "c.lab", "d.lab"]));
    assert_eq!(put("e.lab", 1).await, Ok(true));
    assert_eq!(listed().await, of(&["c.lab", "d.lab", "e.lab"]));
}

/// A damaged name or day hides the record from its own key, but not from its digest.
#[tokio::test]
async fn a_record_that_is_stored_under_damaged_values_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap();
    let put = accuracy("a.lab");
    assert_eq!(store.put_accuracy(put.clone(), Vec::new()).await, Ok(true));
    for change in [
        "domain = 'b.lab'",
        "domain = 'no domain'",
        "engine = 'another'",
        "day = day + 1",
        "checked_at = checked_at + 86400000",
        "evidence = x''",
        "evidence_sha256 = zeroblob(32)",
        "fingerprint = zeroblob(32)",
        "position = -3",
    ] {
        let sql = format!("UPDATE accuracy_records SET {change}");
        let damage = move |c: &Connection| Ok(c.execute(&sql, [])?);
        assert_eq!(store.database.writer.write("damaging", 0, damage).await, Ok(1), "{change}");
        let read = store.accuracy_by_digest(put.sha256).await;
        assert!(matches!(read, Err(StoreError::Damaged { .. })), "{change}: {read:?}");
        let listed = store.list_accuracy(None, 9).await.unwrap();
        assert_eq!(listed.len(), 1, "{change}");
        assert_eq!(store.put_accuracy(put.clone(), Vec::new()).await, Ok(true), "{change}");
        assert_eq!(store.accuracy_by_digest(put.sha256).await, Ok(Some(put.clone())), "{change}");
        assert_eq!(store.list_accuracy(None, 9).await.unwrap().len(), 1, "{change}");
    }
}
