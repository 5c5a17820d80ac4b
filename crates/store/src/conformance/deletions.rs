//! Cases for scans that the operator deletes.

use bytes::Bytes;
use contract::Day;
use contract::clock::FixedClock;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::readings::reading;
use super::sample_log::{SampleLog, answer, lease, same_log};
use super::sample_values::{at, domain, scan};
use crate::{
    Append, AppendExtras, DeletedScan, DeletionOutcome, Digest, IdempotencyStart, Scan,
    ScanDeletion, ScanScope, Store, StoredAnswer, StoredReading, StoredReply, Visibility, copy,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a deleted scan leaves its digest and nothing else", |e| Box::pin(deleted(e))),
    ("only bodies that nothing else refers to are removed", |e| Box::pin(bodies(e))),
    ("answers and replies that were made from a deleted scan go", |e| Box::pin(made_from_it(e))),
    ("deleted scans are copied and deleted in an older copy", |e| Box::pin(copied(e))),
];

/// A scan whose record has a digest.
fn signed_scan(id: &str, name: &str, ms: i64) -> Result<Scan, String> {
    let record = format!("{{\"id\":\"{id}\",\"sha256\":\"{}\"}}", Digest::of(id.as_bytes()));
    Ok(Scan { record: Bytes::from(record), ..scan(id, name, ms)? })
}

fn deletion(id: &str) -> ScanDeletion {
    let reason = Some(String::from("The owner asked for it."));
    ScanDeletion { id: id.to_owned(), deleted_at: at(500), reason, dry_run: false }
}

fn tombstone(id: &str, ms: i64) -> DeletedScan {
    DeletedScan {
        id: id.to_owned(),
        record_sha256: Some(Digest::of(id.as_bytes())),
        day: Some(Day::of(at(ms))),
        deleted_at: at(500),
        reason: Some(String::from("The owner asked for it.")),
    }
}

async fn delete(store: &dyn Store, id: &str) -> Result<DeletionOutcome, String> {
    store.delete_scan(deletion(id)).await.map_err(unexpected_error)
}

async fn deleted(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (id, ms) in [("one", 1), ("two", 2)] {
        store.put_scan(signed_scan(id, "shop.lab", ms)?).await.map_err(unexpected_error)?;
    }
    let hidden = Scan { visibility: Visibility::Private, ..signed_scan("hidden", "shop.lab", 3)? };
    store.put_scan(hidden).await.map_err(unexpected_error)?;
    check_eq!(delete(&*store, "none").await?, DeletionOutcome::Unknown, "an unknown one");
    check_eq!(store.deleted_scan("none").await, Ok(None), "an unknown one");
    let preview = ScanDeletion { dry_run: true, ..deletion("one") };
    let preview = store.delete_scan(preview).await.map_err(unexpected_error)?;
    check!(matches!(preview, DeletionOutcome::Deleted(..)), "{preview:?}");
    check!(store.scan("one").await.is_ok_and(|scan| scan.is_some()), "a preview deleted it");
    check_eq!(store.count_deleted_scans().await, Ok(0), "after a preview");
    check_eq!(store.count_bodies_to_remove().await, Ok(0), "after a preview");

    let DeletionOutcome::Deleted(stays, parts) = delete(&*store, "one").await? else {
        return Err("it was not deleted".to_owned());
    };
    check_eq!(stays, tombstone("one", 1), "what stays");
    check_eq!((parts.domain, parts.scanned_at), (domain("shop.lab")?, at(1)), "what it was");
    check_eq!(
        delete(&*store, "one").await?,
        DeletionOutcome::AlreadyDeleted(tombstone("one", 1)),
        "a second time"
    );
    delete(&*store, "hidden").await?;
    drop(store);
    let store = location.open().await;
    check_eq!(store.scan("one").await, Ok(None), "the scan");
    let shop = domain("shop.lab")?;
    let left = store.scans_of(&shop, ScanScope::All, None, 9).await.map_err(unexpected_error)?;
    check_eq!(left.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["two"], "the list");
    check_eq!(store.deleted_scan("one").await, Ok(Some(tombstone("one", 1))), "after reopening");
    let private = DeletedScan { day: None, ..tombstone("hidden", 3) };
    check_eq!(
        store.list_deleted_scans(None, 9).await,
        Ok(vec![private.clone(), tombstone("one", 1)]),
        "all"
    );
    check_eq!(store.list_deleted_scans(None, 1).await, Ok(vec![private]), "a page");
    let after = Some(String::from("hidden"));
    check_eq!(
        store.list_deleted_scans(after, 9).await,
        Ok(vec![tombstone("one", 1)]),
        "the next page"
    );
    check_eq!(store.count_deleted_scans().await, Ok(2), "how many");
    // A private scan is in no seal.
    let day = Day::of(at(1));
    check_eq!(store.deleted_digests(day).await, Ok(vec![Digest::of(b"one")]), "for the seal");
    check_eq!(store.deleted_digests(day.next()).await, Ok(vec![]), "of another day");
    check_eq!(store.first_deleted_day().await, Ok(Some(day)), "the first day");
    Ok(())
}

async fn bodies(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let body =
        |name: &'static str| (Digest::of(name.as_bytes()), Bytes::from_static(name.as_bytes()));
    let names = ["own", "of a scan", "of a reading", "received again"];
    for name in names {
        let (sha256, bytes) = body(name);
        store.put_artifact(sha256, bytes, at(10)).await.map_err(unexpected_error)?;
    }
    let artifacts = names.map(|name| body(name).0).to_vec();
    let put = Scan { artifacts, ..signed_scan("gone", "shop.lab", 10)? };
    store.put_scan(put).await.map_err(unexpected_error)?;
    let other = Scan { artifacts: vec![body("of a scan").0], ..signed_scan("b", "b.lab", 5)? };
    store.put_scan(other).await.map_err(unexpected_error)?;
    let record = format!("{{\"checks\":[{{\"body_sha256\":\"{}\"}}]}}", body("of a reading").0);
    let live = StoredReading { scan_id: None, record: record.into(), ..reading("r", "c.lab", 4)? };
    store.put_reading(live).await.map_err(unexpected_error)?;
    let (sha256, bytes) = body("received again");
    store.put_artifact(sha256, bytes, at(11)).await.map_err(unexpected_error)?;
    check_eq!(store.remove_deleted_bodies().await, Ok(0), "before anything was deleted");

    delete(&*store, "gone").await?;
    check_eq!(store.count_bodies_to_remove().await, Ok(4), "waiting");
    // Whoever deleted it may have ended here: the list is durable.
    drop(store);
    let store = location.open().await;
    check_eq!(store.remove_deleted_bodies().await, Ok(1), "removed");
    check_eq!(store.count_bodies_to_remove().await, Ok(0), "all were looked at");
    for name in names {
        let there = store.artifact(body(name).0).await.map_err(unexpected_error)?.is_some();
        check_eq!(there, name != "own", "{name}");
    }
    check_eq!(store.inspect().await, Ok(vec![]), "the engine's own check");
    Ok(())
}

/// An answer with this basis.
fn based(name: &str, shop: &str, ms: i64, basis: &str) -> Result<StoredAnswer, String> {
    let bytes = format!("{{\"name\":\"{name}\",\"basis\":{basis}}}");
    Ok(StoredAnswer { bytes: bytes.into(), ..answer(name, shop, ms, 0)? })
}

async fn made_from_it(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut log = SampleLog::new("l");
    let scan_basis = |id: &str| format!("{{\"kind\":\"scan\",\"id\":\"{id}\"}}");
    let live = "{\"kind\":\"just_in_time\"}";
    for (id, name) in [("first", "shop.lab"), ("second", "shop.lab"), ("third", "other.lab")] {
        store.put_scan(signed_scan(id, name, 10)?).await.map_err(unexpected_error)?;
        let of_scan = StoredReading { scan_id: Some(id.to_owned()), ..reading(id, name, 10)? };
        store.put_reading(of_scan).await.map_err(unexpected_error)?;
    }
    let answers = vec![
        based("a", "shop.lab", 1, &scan_basis("first"))?,
        based("b", "shop.lab", 2, live)?,
        based("c", "shop.lab", 3, &scan_basis("second"))?,
        based("d", "other.lab", 3, &scan_basis("third"))?,
    ];
    let append = Append {
        epoch: lease(&*store).await?,
        previous_head: log.last(),
        batch: Some(log.grow(4)),
        answers,
        extras: AppendExtras::default(),
    };
    store.append(append).await.map_err(unexpected_error)?;
    let key = |id: &str| Digest::of(id.as_bytes());
    for id in ["first", "third"] {
        let begun = store.begin_idempotent(key(id), key(id), at(0), at(900)).await;
        check_eq!(begun, Ok(IdempotencyStart::New), "{id}");
        let bytes = Bytes::from(format!("{{\"id\":\"{id}\"}}"));
        let reply = StoredReply { status: 200, content_type: "application/json".into(), bytes };
        store.finish_idempotent(key(id), reply, at(900)).await.map_err(unexpected_error)?;
    }

    let left = async || -> Result<Vec<String>, String> {
        let all = store.export_answers(None, 9).await.map_err(unexpected_error)?;
        let text = |one: &StoredAnswer| String::from_utf8_lossy(&one.bytes).chars().nth(9);
        Ok(all.iter().filter_map(text).map(String::from).collect())
    };
    let parts = |outcome: DeletionOutcome| match outcome {
        DeletionOutcome::Deleted(_, parts) => (parts.answers, parts.readings, parts.replies),
        _ => (99, 99, 99),
    };
    check_eq!(parts(delete(&*store, "first").await?), (1, 1, 1), "an earlier one");
    check_eq!(left().await?, ["b", "c", "d"], "answers");
    check!(store.latest_answer(&domain("shop.lab")?).await.is_ok_and(|a| a.is_some()), "latest");
    let again = store.begin_idempotent(key("first"), key("first"), at(1), at(900)).await;
    check_eq!(again, Ok(IdempotencyStart::New), "its reply");
    let other = store.begin_idempotent(key("third"), key("third"), at(1), at(900)).await;
    check!(matches!(other, Ok(IdempotencyStart::Done(_))), "another reply: {other:?}");
    // With the latest answer the others about the domain go, as after their time.
    check_eq!(parts(delete(&*store, "second").await?), (2, 1, 0), "the latest one");
    check_eq!(left().await?, ["d"], "answers");
    check_eq!(store.latest_answer(&domain("shop.lab")?).await, Ok(None), "the latest");
    let shop = domain("shop.lab")?;
    check_eq!(store.readings_of(&shop, 9).await.map(|r| r.len()), Ok(0), "readings");
    check_eq!(store.inspect().await, Ok(vec![]), "the engine's own check");
    same_log(&*store, &log.batches).await
}

async fn copied(engine: &dyn Engine) -> CaseResult {
    let (source, target) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (source.open().await, target.open().await);
    for id in ["one", "two"] {
        from.put_scan(signed_scan(id, "shop.lab", 1)?).await.map_err(unexpected_error)?;
    }
    let clock = FixedClock(at(0));
    copy(&*from, &*to, &clock, &mut |_| {}).await.map_err(unexpected_error)?;
    delete(&*from, "one").await?;
    for _ in 0..2 {
        let report = copy(&*from, &*to, &clock, &mut |_| {}).await.map_err(unexpected_error)?;
        check_eq!(report.deleted_scans, 1, "deleted scans");
    }
    check_eq!(to.deleted_scan("one").await, Ok(Some(tombstone("one", 1))), "what stays");
    check_eq!(to.scan("one").await, Ok(None), "the scan in the older copy");
    check!(to.scan("two").await.is_ok_and(|scan| scan.is_some()), "the other scan");
    Ok(())
}
