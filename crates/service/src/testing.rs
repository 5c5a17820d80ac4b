//! A real service on a real engine, for the tests of this crate.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agents::Catalogue;
use bytes::Bytes;
use contract::clock::FixedClock;
use contract::{Domain, NamePolicy, Timestamp};
use door::{Door, Policy, ResolverChoice};
use proof::keys::{LogMark, Secret};
use proof::{KeyPolicy, KeyStore};
use serde_json::{Value, json};
use store::KeptAnswer;
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::jobs::WitnessPeer;
use crate::{LogFault, Parts, Service, Settings, SystemIds};

pub(crate) const BASE_URL: &str = "https://svc.example";

pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000)
}

pub(crate) fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock(now()))
}

pub(crate) fn keys(dir: &Path) -> KeyStore {
    KeyStore::open(&dir.join("keys"), now()).unwrap()
}

/// The published keys of the deployment in `dir`.
pub(crate) fn policy(dir: &Path) -> KeyPolicy {
    let (keys, brand) = (keys(dir), contract::Brand::default());
    let rotation = keys.rotation_record(&brand);
    KeyPolicy::from_directory(&keys.directory(&brand), Some(&rotation), &brand).unwrap()
}

pub(crate) fn store(dir: &Path) -> SqliteStore {
    SqliteStore::open(dir, SqliteOptions::default()).unwrap()
}

/// The service in `dir`, with its log not open yet.
pub(crate) fn service(dir: &Path, witnesses: Vec<WitnessPeer>) -> Service {
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let policy = Policy { resolver: nowhere, ..Policy::public() };
    let mut settings = Settings::new(BASE_URL.to_owned());
    settings.log.interval = Duration::from_millis(5);
    settings.log.witnesses = witnesses;
    Service::new(Parts {
        settings,
        door: Door::new(policy, clock()).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: Arc::new(store(dir)),
        keys: keys(dir),
        secret: Secret::open(&dir.join("keys")).unwrap(),
        clock: clock(),
        ids: Arc::new(SystemIds),
    })
}

pub(crate) async fn open(service: &Service, dir: &Path) -> Result<(), LogFault> {
    let (mark, marked) = LogMark::open(&dir.join("keys")).unwrap();
    service.open_log(mark, marked).await
}

/// The same with its log open.
pub(crate) async fn started(dir: &Path, witnesses: Vec<WitnessPeer>) -> Arc<Service> {
    let service = service(dir, witnesses);
    open(&service, dir).await.unwrap();
    Arc::new(service)
}

/// Ends a service and lets go of its directory.
pub(crate) async fn ended(service: Arc<Service>) {
    service.close_log().await;
    let mut service = Some(service);
    // The last holder may be a task that is being aborted.
    for _ in 0..200 {
        match Arc::try_unwrap(service.take().unwrap()) {
            Ok(last) => return drop(last),
            Err(shared) => service = Some(shared),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("somebody still holds the service");
}

pub(crate) fn answer(number: usize) -> (serde_json::Map<String, Value>, Domain) {
    let name = format!("site{number}.lab");
    let answer = json!({
        "kind": "svc-resolve",
        "domain": name,
        "status": "observed",
        "answered_at": now().plus_millis(number as i64 * 1000).to_string(),
        "actions": { "read": { "decision": "allow", "doubts": ["b", "a"] } },
        "evidence": { "report": format!("r{number}") },
        "freshness": { "observed_at": "2026-01-01T00:00:00Z" },
    });
    let Value::Object(answer) = answer else { unreachable!() };
    let names = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
    (answer, Domain::parse(&name, &names).unwrap())
}

/// Seals answers, a handful at a time, so that batches have several leaves.
pub(crate) async fn seal(
    service: &Arc<Service>,
    numbers: std::ops::Range<usize>,
) -> Vec<KeptAnswer> {
    let mut kept = Vec::new();
    let numbers: Vec<usize> = numbers.collect();
    for group in numbers.chunks(23) {
        let tasks: Vec<_> = group
            .iter()
            .map(|number| {
                let service = Arc::clone(service);
                let (answer, domain) = answer(*number);
                tokio::spawn(async move { service.seal_answer(answer, domain).await.unwrap() })
            })
            .collect();
        for task in tasks {
            kept.push(task.await.unwrap());
        }
    }
    kept
}

/// Seals entries of a kind, all at once.
pub(crate) async fn seal_builds(service: &Arc<Service>, numbers: std::ops::Range<usize>) {
    let one = |number| {
        let service = Arc::clone(service);
        tokio::spawn(async move { seal_build(&service, number).await })
    };
    for task in numbers.map(one).collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

/// Seals an entry under a kind, as builds and keys are.
pub(crate) async fn seal_build(service: &Service, number: usize) {
    let content = json!({ "kind": "svc-build", "log": "svc-resolve-log-v1", "number": number });
    let content = proof::canonical::value_to_vec(&content).unwrap();
    service.seal_entry("svc-build", Bytes::from(content)).await.unwrap();
}

/// A log with some hundred leaves of several kinds, closed again.
pub(crate) async fn filled(dir: &Path, leaves: usize) {
    let service = started(dir, Vec::new()).await;
    seal(&service, 0..leaves / 2).await;
    seal_build(&service, 1).await;
    seal(&service, leaves / 2..leaves).await;
    seal_build(&service, 2).await;
    ended(service).await;
}

/// The contract's own example of an answer.
pub(crate) fn example_answer() -> contract::records::ResolveAnswer {
    const EXAMPLE: &str =
        include_str!("../../contract/tests/it/snapshots/it__schemas__resolve.snap");
    let json = EXAMPLE.splitn(3, "---").nth(2).unwrap();
    let mut answer: contract::records::ResolveAnswer = serde_json::from_str(json).unwrap();
    // What only an example has beside each other.
    answer.incident = None;
    answer.high_risk_fields = None;
    answer
}
