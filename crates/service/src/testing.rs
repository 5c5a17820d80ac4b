//! A service on a real store, for the tests of this crate.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agents::Catalogue;
use bytes::Bytes;
use contract::clock::FixedClock;
use contract::{Clock, Domain, NamePolicy, Timestamp};
use door::{Door, Policy, ResolverChoice};
use proof::keys::{DeploymentSecret, LogMark};
use proof::{KeyPolicy, KeyStore};
use serde_json::{Value, json};
use store::StoredAnswer;
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::log::WitnessPeer;
use crate::{LogFault, Service, ServiceDependencies, Settings, SystemIds};

pub(crate) const BASE_URL: &str = "https://svc.example";

pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000)
}

pub(crate) fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock(now()))
}

pub(crate) fn open_keys(dir: &Path) -> KeyStore {
    KeyStore::open(&dir.join("keys"), now()).unwrap()
}

/// The published keys of the deployment in `dir`.
pub(crate) fn key_policy(dir: &Path) -> KeyPolicy {
    let (keys, brand) = (open_keys(dir), contract::Brand::default());
    let rotation = keys.rotation_record(&brand);
    KeyPolicy::from_directory(&keys.directory(&brand), Some(&rotation), &brand).unwrap()
}

pub(crate) fn open_store(dir: &Path) -> SqliteStore {
    // A task of a service that was dropped may hold the store for a moment.
    for _ in 0..100 {
        match try_open_store(dir) {
            Err(store::StoreError::InUse { .. }) => {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            opened => return opened.unwrap(),
        }
    }
    try_open_store(dir).unwrap()
}

pub(crate) fn try_open_store(dir: &Path) -> Result<SqliteStore, store::StoreError> {
    SqliteStore::open(dir, SqliteOptions::default())
}

/// The service in `dir`; its log is not open yet.
pub(crate) fn build_service(dir: &Path, witnesses: Vec<WitnessPeer>) -> Service {
    build_service_with_clock(dir, witnesses, clock())
}

pub(crate) fn build_service_with_clock(
    dir: &Path,
    witnesses: Vec<WitnessPeer>,
    clock: Arc<dyn Clock>,
) -> Service {
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let policy = Policy { resolver: nowhere, ..Policy::public() };
    let mut settings = Settings::new(BASE_URL.to_owned());
    settings.log.interval = Duration::from_millis(5);
    settings.log.witnesses = witnesses;
    Service::new(ServiceDependencies {
        settings,
        door: Door::new(policy, Arc::clone(&clock)).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: Arc::new(open_store(dir)),
        keys: open_keys(dir),
        secret: DeploymentSecret::open(&dir.join("keys")).unwrap(),
        clock,
        ids: Arc::new(SystemIds),
    })
}

pub(crate) async fn open_log(service: &Service, dir: &Path) -> Result<(), LogFault> {
    let (mark, marked) = LogMark::open(&dir.join("keys")).unwrap();
    service.log.open(mark, marked).await
}

/// The service in `dir` with its log open.
pub(crate) async fn start_service(dir: &Path, witnesses: Vec<WitnessPeer>) -> Arc<Service> {
    let service = build_service(dir, witnesses);
    open_log(&service, dir).await.unwrap();
    Arc::new(service)
}

/// Stops a service and releases its directory.
pub(crate) async fn stop_service(service: Arc<Service>) {
    service.log.close().await;
    let mut service = Some(service);
    // A task that is being aborted may still hold a reference.
    for _ in 0..200 {
        match Arc::try_unwrap(service.take().unwrap()) {
            Ok(last) => return drop(last),
            Err(shared) => service = Some(shared),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("something still holds the service");
}

pub(crate) fn sample_answer(number: usize) -> (serde_json::Map<String, Value>, Domain) {
    let name = format!("site{number}.lab");
    let answer = json!({
        "kind": "svc-resolve",
        "domain": name,
        "status": "observed",
        "answered_at": now().plus_millis(number as i64 * 10).to_string(),
        "actions": { "read": { "decision": "allow", "doubts": ["b", "a"] } },
        "evidence": { "report": format!("r{number}") },
        "freshness": { "observed_at": "2026-01-01T00:00:00Z" },
    });
    let Value::Object(answer) = answer else { unreachable!() };
    let names = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
    (answer, Domain::parse(&name, &names).unwrap())
}

/// Seals answers, a handful at a time, so that batches have several leaves.
pub(crate) async fn seal_answers(
    service: &Arc<Service>,
    numbers: std::ops::Range<usize>,
) -> Vec<StoredAnswer> {
    let mut sealed = Vec::new();
    let numbers: Vec<usize> = numbers.collect();
    for group in numbers.chunks(23) {
        let tasks: Vec<_> = group
            .iter()
            .map(|number| {
                let service = Arc::clone(service);
                let (answer, domain) = sample_answer(*number);
                tokio::spawn(async move { service.log.seal_answer(answer, domain).await.unwrap() })
            })
            .collect();
        for task in tasks {
            sealed.push(task.await.unwrap());
        }
    }
    sealed
}

/// Seals entries with a kind, all at once.
pub(crate) async fn seal_builds(service: &Arc<Service>, numbers: std::ops::Range<usize>) {
    let one = |number| {
        let service = Arc::clone(service);
        tokio::spawn(async move { seal_build(&service, number).await })
    };
    for task in numbers.map(one).collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

/// Seals an entry with a kind, like those of builds and keys.
pub(crate) async fn seal_build(service: &Service, number: usize) {
    let content = json!({ "kind": "svc-build", "log": "svc-resolve-log-v1", "number": number });
    let content = proof::canonical::value_to_vec(&content).unwrap();
    service.log.seal_entry("svc-build", Bytes::from(content)).await.unwrap();
}

/// Fills a log with leaves of several kinds and closes it.
pub(crate) async fn fill_log(dir: &Path, leaves: usize) {
    let service = start_service(dir, Vec::new()).await;
    seal_answers(&service, 0..leaves / 2).await;
    seal_build(&service, 1).await;
    seal_answers(&service, leaves / 2..leaves).await;
    seal_build(&service, 2).await;
    stop_service(service).await;
}

/// The contract's own example of an answer.
pub(crate) fn example_answer() -> contract::records::ResolveAnswer {
    const EXAMPLE: &str =
        include_str!("../../contract/tests/it/snapshots/it__schemas__resolve.snap");
    let json = EXAMPLE.splitn(3, "---").nth(2).unwrap();
    let mut answer: contract::records::ResolveAnswer = serde_json::from_str(json).unwrap();
    // The example sets blocks that do not occur together in a real answer.
    answer.incident = None;
    answer.high_risk_fields = None;
    answer
}
