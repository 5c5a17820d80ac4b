//! What stays in the store: names that are never reached, answers that are asked for again, and what
//! must be found for as long as it was promised.

use std::sync::Arc;
use std::time::Duration;

use contract::{Domain, NamePolicy, Timestamp};
use service::answers::decisions::{DecisionError, DecisionQuery};
use service::answers::resolve::{CachedAnswer, LivePolicy, ResolveQuery};
use service::{LiveReadPermit, Service};
use store::{Answers, Artifacts, Digest, Log, Pruning, Readings};
use store_sqlite::SqliteStore;

use crate::answers::domain;
use crate::clocks::answer_at;
use crate::world::{
    HandClock, NOON, assert_verifies, build_service_on, open_store, policy, settings,
};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

struct AllPermitted;

impl LiveReadPermit for AllPermitted {
    fn acquire(&self) -> Result<(), Duration> {
        Ok(())
    }
}

/// A service, the store it uses, and its clock.
async fn start(dir: &std::path::Path, millis: i64) -> (Arc<Service>, Arc<SqliteStore>, HandClock) {
    let (store, clock) = (Arc::new(open_store(dir)), HandClock::new(millis));
    let service = build_service_on(dir, settings(), clock.clone(), store.clone());
    let (mark, marked) = proof::keys::LogMark::open(&dir.join("keys")).unwrap();
    service.log.open(mark, marked).await.unwrap();
    (service, store, clock)
}

pub(crate) async fn resolve(
    service: &Arc<Service>,
    name: &str,
    live: LivePolicy,
) -> Arc<CachedAnswer> {
    let query = ResolveQuery {
        domain: Domain::parse(name, &NamePolicy::default()).unwrap(),
        live,
        max_age_hours: None,
        live_read_permit: Arc::new(AllPermitted),
    };
    service.answers.resolve(query).await.unwrap()
}

async fn used_bytes(store: &SqliteStore) -> u64 {
    let size = store.size().await.unwrap();
    size.database_bytes - size.free_bytes
}

async fn stored_answers(store: &SqliteStore) -> usize {
    store.list_answers(None, usize::MAX).await.unwrap().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_is_never_reached_costs_little_after_a_day() {
    const NAMES: u64 = 100;
    let dir = tempfile::tempdir().unwrap();
    let (service, store, clock) = start(dir.path(), NOON).await;
    resolve(&service, "warm.up.com", LivePolicy::Auto).await;
    let before = used_bytes(&store).await;
    for number in 0..NAMES {
        resolve(&service, &format!("nobody{number}.com"), LivePolicy::Auto).await;
    }
    let after = used_bytes(&store).await;
    let size = store.last_batch().await.unwrap().unwrap().tree_size();
    clock.set(NOON + DAY - HOUR);
    assert_eq!(service.prune_store().await, Ok(0), "not before a day is over");
    clock.set(NOON + DAY + HOUR);
    let removed = service.prune_store().await.unwrap();
    assert_eq!(removed, 2 * (NAMES + 1), "an answer and a reading each");
    assert_eq!((stored_answers(&store).await, store.list_readings(None, 9).await), (0, Ok(vec![])));
    let left = used_bytes(&store).await;
    let per_name = |bytes: u64| bytes.saturating_sub(before) / NAMES;
    println!("per name: {} bytes, after a day {} bytes", per_name(after), per_name(left));
    assert!(per_name(left) <= 2_048, "{}", per_name(left));
    // The log is whole.
    assert_eq!(store.last_batch().await.unwrap().unwrap().tree_size(), size);
    assert_eq!(store.log_entries(0, usize::MAX).await.unwrap().len() as u64, size);
    service.log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_answer_is_served_without_writing() {
    let dir = tempfile::tempdir().unwrap();
    let (service, store, clock) = start(dir.path(), NOON).await;
    let first = resolve(&service, "nobody.com", LivePolicy::Auto).await;
    for second in 1..50 {
        clock.set(NOON + second * 1_000);
        let again = resolve(&service, "nobody.com", LivePolicy::Always).await;
        assert_eq!(again.bytes, first.bytes, "second {second}");
    }
    assert_eq!(stored_answers(&store).await, 1);
    // Nothing was observed, so no age changes; the queued scan is still queued.
    for second in (61..599).step_by(17) {
        clock.set(NOON + second * 1_000);
        resolve(&service, "nobody.com", LivePolicy::Always).await;
        resolve(&service, "nobody.com", LivePolicy::Never).await;
    }
    assert_eq!(stored_answers(&store).await, 1);
    let last = resolve(&service, "nobody.com", LivePolicy::Never).await;
    service.log.close().await;
    drop((service, store));
    let (service, store, _) = start(dir.path(), NOON + 600_000 - 1_000).await;
    for live in [LivePolicy::Never, LivePolicy::Auto, LivePolicy::Always] {
        assert_eq!(resolve(&service, "nobody.com", live).await.bytes, last.bytes, "{live:?}");
    }
    assert_eq!(stored_answers(&store).await, 1, "a restart writes nothing");
    service.log.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reading_known_answers_after_a_restart_writes_nothing() {
    const NAMES: usize = 100;
    let dir = tempfile::tempdir().unwrap();
    let (service, store, _) = start(dir.path(), NOON).await;
    let mut first = Vec::new();
    for number in 0..NAMES {
        first.push(resolve(&service, &format!("known{number}.com"), LivePolicy::Auto).await);
    }
    assert_eq!(stored_answers(&store).await, NAMES);
    service.log.close().await;
    drop((service, store));
    for minute in [1, 9] {
        let (service, store, _) = start(dir.path(), NOON + minute * 60_000 + 1_000).await;
        let bytes = used_bytes(&store).await;
        for live in [LivePolicy::Never, LivePolicy::Auto, LivePolicy::Always] {
            for (number, first) in first.iter().enumerate() {
                let again = resolve(&service, &format!("known{number}.com"), live).await;
                assert_eq!(again.bytes, first.bytes, "minute {minute}, {live:?}");
            }
        }
        assert_eq!(stored_answers(&store).await, NAMES, "minute {minute}");
        assert_eq!(used_bytes(&store).await, bytes, "minute {minute}");
        service.log.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_superseded_answer_is_found_while_its_decisions_are_valid() {
    let dir = tempfile::tempdir().unwrap();
    let (service, store, clock) = start(dir.path(), NOON).await;
    let sealed = resolve(&service, "nobody.com", LivePolicy::Auto).await;
    clock.set(NOON + HOUR);
    let newer = resolve(&service, "nobody.com", LivePolicy::Auto).await;
    assert_ne!(newer.sha256, sealed.sha256);
    let check = |digest| {
        let query = DecisionQuery { digest, host: None, action: None, at: None };
        service.answers.check_decision(query)
    };
    clock.set(NOON + DAY - HOUR);
    service.prune_store().await.unwrap();
    assert!(check(sealed.sha256).await.is_ok() && check(newer.sha256).await.is_ok());
    clock.set(NOON + 2 * DAY);
    service.prune_store().await.unwrap();
    assert_eq!(check(sealed.sha256).await.unwrap_err(), DecisionError::Unknown);
    assert_eq!(stored_answers(&store).await, 0);

    // An answer about a site that was reached stays for eight days.
    let reached = service
        .log
        .seal_answer(answer_at(1, Timestamp::from_millis(NOON + 2 * DAY)), domain(1))
        .await
        .unwrap();
    let reading = store::StoredReading {
        id: "r".to_owned(),
        domain: domain(1),
        observed_at: Timestamp::from_millis(NOON),
        network: "here".to_owned(),
        basis: "just_in_time".to_owned(),
        scan_id: None,
        completed: true,
        fields: bytes::Bytes::from_static(b"{}"),
        record: bytes::Bytes::new(),
    };
    store.put_reading(reading).await.unwrap();
    clock.set(NOON + 89 * DAY);
    service.prune_store().await.unwrap();
    let found = store.answer(reached.sha256).await.unwrap().unwrap();
    assert_verifies(&found, &policy(&service));
    clock.set(NOON + 93 * DAY);
    service.prune_store().await.unwrap();
    assert_eq!(store.answer(reached.sha256).await, Ok(None));
    service.log.close().await;
}

/// Bytes that do not compress.
fn random_bytes(seed: u8, length: usize) -> bytes::Bytes {
    let mut bytes = Vec::new();
    while bytes.len() < length {
        bytes.extend_from_slice(
            Digest::of(&[&bytes[bytes.len().saturating_sub(32)..], &[seed]].concat()).as_bytes(),
        );
    }
    bytes.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_beyond_their_bound_go_and_the_oldest_first() {
    const BODY: usize = 20_000;
    let dir = tempfile::tempdir().unwrap();
    let (store, clock) = (Arc::new(open_store(dir.path())), HandClock::new(NOON));
    let bound = Some(100_000);
    let settings = service::Settings { artifact_max_bytes: bound, ..settings() };
    let service = build_service_on(dir.path(), settings, clock, store.clone());
    let bodies: Vec<bytes::Bytes> = (0..40).map(|age| random_bytes(age, BODY)).collect();
    for (age, body) in (0..).zip(&bodies) {
        let at = Timestamp::from_millis(NOON - age * DAY);
        store.put_artifact(Digest::of(body), body.clone(), at).await.unwrap();
    }
    assert!(store.artifact_bytes_written() >= 40 * BODY as u64);
    service.delete_expired_bodies().await;
    let mut left = Vec::new();
    for body in &bodies {
        left.push(store.artifact(Digest::of(body)).await.unwrap().is_some());
    }
    let count = left.iter().filter(|stored| **stored).count();
    assert!((2..=4).contains(&count), "{count} of 40 are left");
    assert!(left[..count].iter().all(|stored| *stored), "the newest stay: {left:?}");
    service.delete_expired_bodies().await;
    assert!(store.artifact(Digest::of(&bodies[0])).await.unwrap().is_some());
}
