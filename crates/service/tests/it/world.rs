//! A service on a data directory, with a clock that the test sets.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use agents::Catalogue;
use contract::{Brand, Clock, Timestamp};
use door::{Door, Policy, ResolverChoice, TargetLimits};
use proof::keys::{DeploymentSecret, LogMark};
use proof::{KeyPolicy, KeyStore, verify_document};
use service::{LogFault, Service, ServiceDependencies, Settings, SystemIds};
use store::StoredAnswer;
use store_sqlite::{SqliteOptions, SqliteStore};

pub(crate) const NOON: i64 = 1_794_744_000_000;

/// A clock that is set by hand.
#[derive(Debug, Clone)]
pub(crate) struct HandClock(Arc<AtomicI64>);

impl HandClock {
    pub(crate) fn new(millis: i64) -> Self {
        Self(Arc::new(AtomicI64::new(millis)))
    }

    pub(crate) fn set(&self, millis: i64) {
        self.0.store(millis, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

pub(crate) fn settings() -> Settings {
    Settings::new("https://svc.example".to_owned())
}

pub(crate) fn open_store(dir: &Path) -> SqliteStore {
    try_open_store(dir).unwrap()
}

/// Opens the store in a directory that no other test uses. A task of a service that was dropped may hold
/// the store for a moment, so this waits for the lock.
pub(crate) fn try_open_store(dir: &Path) -> Result<SqliteStore, store::StoreError> {
    for _ in 0..500 {
        match SqliteStore::open(dir, SqliteOptions::default()) {
            Err(store::StoreError::InUse { .. }) => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            opened => return opened,
        }
    }
    panic!("{} stays in use", dir.display());
}

/// A service, and the result of opening its log.
pub(crate) async fn open(
    dir: &Path,
    settings: Settings,
    clock: HandClock,
) -> (Arc<Service>, Result<(), LogFault>) {
    let store = open_store(dir);
    let service = build_service(dir, settings, clock, store);
    let (mark, marked) = LogMark::open(&dir.join("keys")).unwrap();
    let opened = service.log.open(mark, marked).await;
    (service, opened)
}

pub(crate) fn build_service(
    dir: &Path,
    settings: Settings,
    clock: HandClock,
    store: SqliteStore,
) -> Arc<Service> {
    build_service_on(dir, settings, clock, Arc::new(store))
}

pub(crate) fn build_service_on(
    dir: &Path,
    settings: Settings,
    clock: HandClock,
    store: Arc<dyn store::Store>,
) -> Arc<Service> {
    let clock: Arc<dyn Clock> = Arc::new(clock);
    // A resolver that does not exist: these tests resolve no names.
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let policy = Policy { resolver: nowhere, targets: TargetLimits::none(), ..Policy::public() };
    let keys = dir.join("keys");
    Arc::new(Service::new(ServiceDependencies {
        settings,
        door: Door::new(policy, Arc::clone(&clock)).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store,
        keys: KeyStore::open(&keys, Timestamp::from_millis(NOON - 3_600_000)).unwrap(),
        secret: DeploymentSecret::open(&keys).unwrap(),
        clock,
        ids: Arc::new(SystemIds),
    }))
}

/// A service whose log opened without a fault.
pub(crate) async fn open_sound(dir: &Path) -> Arc<Service> {
    let (service, opened) = open(dir, settings(), HandClock::new(NOON)).await;
    opened.unwrap();
    service
}

pub(crate) fn policy(service: &Service) -> KeyPolicy {
    let parse = |bytes: &[u8]| serde_json::from_slice(bytes).unwrap();
    let rotation = parse(&service.keys.rotation_record());
    let directory = parse(&service.keys.directory().content);
    KeyPolicy::from_directory(&directory, Some(&rotation), &Brand::default()).unwrap()
}

/// Fails unless the answer verifies with nothing but the published keys.
pub(crate) fn assert_verifies(answer: &StoredAnswer, policy: &KeyPolicy) {
    let verdict = verify_document(&answer.bytes, policy, &Brand::default());
    assert!(verdict.accepted(), "{verdict:#?}");
    assert_eq!(verdict.check("inclusion").unwrap().ok, proof::verify::CheckOutcome::Passed);
}
