//! A store that answers late: what could not be read in time is carried forward from the last answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use contract::records::{ClaimState, ResolveAnswer};
use contract::{Domain, NamePolicy, Timestamp};
use proof::keys::LogMark;
use proof::{KeyPurpose, KeyStore};
use service::Service;
use service::answers::resolve::LivePolicy;
use store::{
    Answers, Control, Incidents, NewControlEvent, OwnerIncident, Readings, Revocations,
    RevocationsQuery, StoredClaim, StoredReading,
};

use crate::failing_store::FailingStore;
use crate::retention::resolve;
use crate::world::{HandClock, NOON, build_service_on, open_store, settings};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const NAME: &str = "slow.com";

fn domain() -> Domain {
    Domain::parse(NAME, &NamePolicy::default()).unwrap()
}

async fn start(dir: &std::path::Path) -> (Arc<Service>, Arc<FailingStore>, HandClock) {
    let store = Arc::new(FailingStore::new(open_store(dir)));
    let clock = HandClock::new(NOON);
    let service = build_service_on(dir, settings(), clock.clone(), store.clone());
    let (mark, marked) = LogMark::open(&dir.join("keys")).unwrap();
    service.log.open(mark, marked).await.unwrap();
    (service, store, clock)
}

async fn read_live(service: &Arc<Service>) -> ResolveAnswer {
    *resolve(service, NAME, LivePolicy::Always).await.parse().unwrap()
}

async fn causes(store: &FailingStore) -> Vec<String> {
    store.inner.withheld_actions_for(&domain()).await.unwrap().unwrap().causes
}

async fn kinds_of_entries(store: &FailingStore) -> Vec<String> {
    let query = RevocationsQuery { after: Some(0), limit: 100, ..RevocationsQuery::default() };
    let entries = store.revocations(query).await.unwrap();
    entries.into_iter().map(|stored| stored.entry.kind).collect()
}

fn reading(id: &str, at: i64, registrable: &str) -> StoredReading {
    StoredReading {
        id: id.to_owned(),
        domain: domain(),
        observed_at: Timestamp::from_millis(at),
        network: "here".to_owned(),
        basis: "just_in_time".to_owned(),
        scan_id: None,
        completed: true,
        fields: format!("{{\"subject.registrable\":\"{registrable}\"}}").into(),
        record: bytes::Bytes::new(),
    }
}

/// A claim as the service stores it.
fn proven_claim() -> StoredClaim {
    let [at, next] = [NOON - HOUR, NOON + 30 * 24 * HOUR].map(Timestamp::from_millis);
    let body = serde_json::json!({
        "state": "proven", "method": "dns_txt", "claimed_at": at, "last_verified_at": at,
        "last_check_at": at, "grace_ends_at": null, "access_until": next, "absent_since": null,
        "unreadable_since": null, "unregistered_since": null, "token_is_spent": false,
        "registry": null, "token": "t", "organization": null, "contact": null,
    });
    StoredClaim {
        id: "c".to_owned(),
        domain: domain(),
        secret_sha256: proof::sha256(b"secret"),
        next_check_at: Some(next),
        body: body.to_string().into(),
    }
}

fn incident() -> OwnerIncident {
    OwnerIncident {
        id: "i".to_owned(),
        domain: domain(),
        claim_id: "c".to_owned(),
        what: "taken over".to_owned(),
        since: Timestamp::from_millis(NOON - HOUR),
        reported_at: Timestamp::from_millis(NOON - HOUR),
        ends_at: Timestamp::from_millis(NOON + 30 * 24 * HOUR),
        ended_at: None,
        ended_by: None,
    }
}

fn event() -> NewControlEvent {
    NewControlEvent { at: Timestamp::from_millis(NOON), body: bytes::Bytes::from_static(b"{}") }
}

/// The live read of a site that does not answer, with a store that takes a second for every read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_incident_and_pending_changes_outlast_a_slow_store() {
    let dir = tempfile::tempdir().unwrap();
    let (service, store, clock) = start(dir.path()).await;
    store.put_claim(proven_claim(), None, vec![]).await.unwrap();
    store.put_incident(incident(), event()).await.unwrap();
    store.put_reading(reading("1", NOON - 3 * HOUR, "slow.com")).await.unwrap();
    store.put_reading(reading("2", NOON - 2 * HOUR, "taken.com")).await.unwrap();
    let before = read_live(&service).await;
    assert!(before.incident.is_some() && before.high_risk_fields.is_some());
    assert_eq!(before.control.state, ClaimState::Proven);
    let withheld = causes(&store).await;
    assert_eq!(withheld, ["high_risk_pending", "incident_reported"]);
    assert_eq!(kinds_of_entries(&store).await, ["suspended"]);

    store.read_delay_ms.store(1_000, Ordering::SeqCst);
    for round in 1..3 {
        clock.set(NOON + round * 11 * MINUTE);
        let after = read_live(&service).await;
        assert!(after.answered_at > before.answered_at, "it was made anew");
        assert_eq!(after.incident, before.incident);
        assert_eq!(after.high_risk_fields, before.high_risk_fields);
        assert_eq!(after.control, before.control);
        assert_eq!(after.actions.connect.decision, before.actions.connect.decision);
        let stored = after.stored_sections.unwrap().sections;
        assert!(stored.contains(&"control".to_owned()), "it says what was not read in time");
        assert_eq!(causes(&store).await, withheld);
        assert_eq!(kinds_of_entries(&store).await, ["suspended"]);
    }
    // When the store is fast again and the causes are over, both end.
    store.read_delay_ms.store(0, Ordering::SeqCst);
    clock.set(NOON + 33 * MINUTE);
    store.put_reading(reading("3", NOON + 32 * MINUTE, "slow.com")).await.unwrap();
    let after = read_live(&service).await;
    assert_eq!(
        (after.high_risk_fields, causes(&store).await),
        (None, vec!["incident_reported".to_owned()])
    );
    store.end_incident("i", Timestamp::from_millis(NOON), "its owner", event()).await.unwrap();
    clock.set(NOON + 44 * MINUTE);
    assert_eq!(read_live(&service).await.incident, None);
    assert_eq!(causes(&store).await, Vec::<String>::new());
    assert_eq!(kinds_of_entries(&store).await.last().unwrap(), "reinstated");
    service.log.close().await;
}

/// An answer whose queued scan is overdue is examined again. If the store does not say in time whether the
/// scan is still queued, the stored bytes are served.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_answer_is_not_sealed_again_because_the_store_is_slow() {
    let dir = tempfile::tempdir().unwrap();
    let (service, store, clock) = start(dir.path()).await;
    let first = resolve(&service, NAME, LivePolicy::Auto).await;
    let announced = first.parse().unwrap().upgrade.unwrap();
    store.read_delay_ms.store(1_000, Ordering::SeqCst);
    for minutes in [25, 50] {
        clock.set(NOON + minutes * MINUTE);
        assert!(
            announced.expected.parse::<Timestamp>().unwrap()
                < Timestamp::from_millis(NOON + minutes * MINUTE)
        );
        let again = resolve(&service, NAME, LivePolicy::Never).await;
        assert_eq!(again.bytes, first.bytes, "after {minutes} minutes");
    }
    assert_eq!(store.list_answers(None, 9).await.unwrap().len(), 1);
    service.log.close().await;
}

/// Recording a compromised key waits for the store; withdrawing what it signed does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_compromised_key_signed_is_gone_while_the_store_is_slow() {
    let dir = tempfile::tempdir().unwrap();
    let (service, store, _) = start(dir.path()).await;
    let now = Timestamp::from_millis(NOON);
    let compromise = |purpose| {
        let mut keys = KeyStore::open(&dir.path().join("keys"), now).unwrap();
        let kid = keys.signer(purpose, now).unwrap().kid().to_owned();
        keys.mark_compromised(&kid, now, now).unwrap();
        kid
    };
    let is_cached = || service.answers.cached_answer(&domain()).is_some();
    store.revocations_delay_ms.store(60_000, Ordering::SeqCst);
    let job = tokio::spawn(service::jobs::run_key_changes(Arc::clone(&service)));
    for purpose in [KeyPurpose::LogHeads, KeyPurpose::Documents] {
        read_live(&service).await;
        assert!(is_cached());
        let kid = compromise(purpose);
        let since = std::time::Instant::now();
        while is_cached() {
            assert!(since.elapsed().as_millis() < 10_000, "{purpose}");
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        let answer = resolve(&service, NAME, LivePolicy::Never).await;
        assert!(!String::from_utf8_lossy(&answer.bytes).contains(&kid), "{purpose}");
        // It is emptied several times, because a document may be put into it a little later.
        tokio::time::sleep(std::time::Duration::from_millis(5_500)).await;
    }
    job.abort();
}
