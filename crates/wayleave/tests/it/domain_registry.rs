//! Registrations, read from the registry of the lab by a service whose clock the test sets.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use agents::Catalogue;
use contract::records::{DomainRecord, RegistryState, TimelineType};
use contract::{Clock, Domain, NamePolicy, Timestamp};
use door::{Door, Policy, ResolverChoice, SystemClock, TargetLimits};
use futures_util::future::join_all;
use lab::{
    BootstrapBehaviour, Lab, LabOptions, LabRegistration, RDAP_HOST, RdapVariant, RegistryEntry,
    rdap_variants,
};
use proof::KeyStore;
use proof::keys::DeploymentSecret;
use service::access::LiveReadPermit;
use service::domains::DomainRecordQuery;
use service::{
    RegistrationReading, RegistrySettings, Service, ServiceDependencies, Settings, SystemIds,
};
use store_sqlite::{SqliteOptions, SqliteStore};

/// The present, and what a test adds to it, in milliseconds.
#[derive(Debug, Clone, Default)]
struct ShiftedClock(Arc<AtomicI64>);

impl ShiftedClock {
    fn advance(&self, duration: Duration) {
        self.0.fetch_add(i64::try_from(duration.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus_millis(self.0.load(Ordering::SeqCst))
    }
}

#[derive(Debug)]
struct AllReads;

impl LiveReadPermit for AllReads {
    fn acquire(&self) -> Result<(), Duration> {
        Ok(())
    }
}

struct World {
    lab: Lab,
    service: Service,
    clock: ShiftedClock,
    names: NamePolicy,
    _folder: tempfile::TempDir,
}

fn build_service(
    lab: &Lab,
    names: &NamePolicy,
    folder: &Path,
    clock: &ShiftedClock,
    per_minute: u32,
) -> Service {
    let network = lab.network();
    let policy = Policy {
        names: names.clone(),
        allow_networks: network.allow_networks.iter().map(|text| text.parse().unwrap()).collect(),
        resolver: ResolverChoice::Server(network.resolver),
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca: door::read_pem(network.ca_pem.as_bytes()).unwrap(),
        targets: TargetLimits::none(),
        ..Policy::public()
    };
    let mut settings = Settings::new("https://svc.example".to_owned());
    settings.registry = RegistrySettings {
        bootstrap: Some(network.rdap_bootstrap.clone()),
        reads_per_minute: (per_minute > 0).then_some(per_minute),
        ..RegistrySettings::default()
    };
    let shared: Arc<dyn Clock> = Arc::new(clock.clone());
    Service::new(ServiceDependencies {
        settings,
        door: Door::new(policy, Arc::new(SystemClock)).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: Arc::new(SqliteStore::open(folder, SqliteOptions::default()).unwrap()),
        keys: KeyStore::open(&folder.join("keys"), clock.now()).unwrap(),
        secret: DeploymentSecret::open(&folder.join("keys")).unwrap(),
        clock: shared,
        ids: Arc::new(SystemIds),
    })
}

impl World {
    async fn start(per_minute: u32) -> Self {
        let lab = Lab::start(LabOptions::default()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let clock = ShiftedClock::default();
        let names =
            NamePolicy { allow_suffixes: lab.network().allow_names.clone(), allow_ports: vec![] };
        let service = build_service(&lab, &names, folder.path(), &clock, per_minute);
        Self { lab, service, clock, names, _folder: folder }
    }

    fn domain(&self, name: &str) -> Domain {
        Domain::parse(name, &self.names).unwrap()
    }

    async fn registration(&self, name: &str) -> RegistrationReading {
        self.service.domains.registration(&self.domain(name), &AllReads).await.unwrap()
    }

    async fn refresh(&self, name: &str) -> RegistrationReading {
        self.clock.advance(Duration::from_secs(61));
        self.service.domains.refresh_registration(&self.domain(name)).await.unwrap()
    }

    async fn record(&self, name: &str) -> DomainRecord {
        let query = DomainRecordQuery {
            domain: self.domain(name),
            cursor: None,
            limit: 200,
            live_read_permit: Arc::new(AllReads),
            control_events: Vec::new(),
        };
        let record = self.service.domains.domain_record(query).await.unwrap();
        serde_json::from_value(record.document.document).unwrap()
    }

    /// How many registrations were asked for.
    fn reads(&self) -> usize {
        let hits = self.lab.hits(RDAP_HOST);
        hits.iter().filter(|hit| hit.path.starts_with("/lab/domain/")).count()
    }

    fn set(&self, name: &str, change: impl FnOnce(&mut LabRegistration)) {
        let mut registration = LabRegistration::of(name);
        change(&mut registration);
        self.lab.set_registration(name, RegistryEntry::Registered(registration));
    }
}

fn variant(word: &str) -> &'static RdapVariant {
    rdap_variants().iter().find(|variant| variant.word == word).unwrap()
}

const DAY: Duration = Duration::from_secs(24 * 3_600);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_share_one_read_and_the_reading_is_kept_for_a_day() {
    let world = World::start(0).await;
    let readings = join_all((0..20).map(|_| world.registration("open.lab"))).await;
    assert!(readings.iter().all(|reading| *reading == readings[0]));
    assert_eq!(readings[0].state, RegistryState::Observed);
    assert_eq!(world.reads(), 1);
    // Names below it belong to the same registration.
    assert_eq!(world.registration("a.b.open.lab").await, readings[0]);
    world.clock.advance(DAY - Duration::from_secs(60));
    assert_eq!(world.registration("open.lab").await, readings[0]);
    assert_eq!(world.reads(), 1);
    world.clock.advance(Duration::from_secs(61));
    let again = world.registration("open.lab").await;
    assert_eq!(world.reads(), 2);
    assert_eq!(again.registration, readings[0].registration);
    assert_eq!(again.first_read_at, readings[0].first_read_at);
    assert!(again.read_at > readings[0].read_at);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_at_the_registry_become_a_timeline_without_doubles() {
    let world = World::start(0).await;
    world.registration("open.lab").await;
    let first = world.record("open.lab").await;
    let types = |record: &DomainRecord| -> Vec<TimelineType> {
        record.timeline.iter().map(|entry| entry.event.clone()).collect()
    };
    assert_eq!(types(&first), [TimelineType::FirstRead, TimelineType::Registered]);
    // Read again without a change: nothing is added.
    world.refresh("open.lab").await;
    world.refresh("open.lab").await;
    assert_eq!(world.record("open.lab").await.timeline, first.timeline);

    world.set("open.lab", |registration| {
        registration.registrar = "Another Registrar".into();
        registration.registrar_iana_id = Some("9998".into());
        registration.events.push(("transfer".into(), "2026-11-01T00:00:00Z".into()));
    });
    let moved = world.refresh("open.lab").await;
    let registration = moved.registration.unwrap();
    assert_eq!(registration.registrar.as_deref(), Some("Another Registrar"));
    assert_eq!(registration.transferred_at.unwrap().to_string(), "2026-11-01T00:00:00Z");
    world.refresh("open.lab").await;

    world.lab.set_registration("open.lab", RegistryEntry::NotRegistered);
    let gone = world.refresh("open.lab").await;
    assert_eq!(gone.state, RegistryState::NotRegistered);
    assert_eq!(gone.why.as_deref(), Some("The registry has no such domain."));
    world.refresh("open.lab").await;
    let record = world.record("open.lab").await;
    assert_eq!(
        (record.registry.state, record.registry.registrar),
        (RegistryState::NotRegistered, None)
    );

    world.set("open.lab", |registration| registration.created = "2026-11-10T00:00:00Z".into());
    let back = world.refresh("open.lab").await;
    assert_eq!(back.state, RegistryState::Observed);
    let record = world.record("open.lab").await;
    let details: Vec<&str> = record.timeline.iter().map(|entry| entry.detail.as_str()).collect();
    let count = |part: &str| details.iter().filter(|detail| detail.contains(part)).count();
    assert_eq!(count("Registrar changed from"), 2, "{details:#?}");
    assert_eq!(count("no such domain any more"), 1, "{details:#?}");
    assert_eq!(count("is registered again"), 1, "{details:#?}");
    assert_eq!(count("Date of registration changed"), 1, "{details:#?}");
    assert!(record.timeline.windows(2).all(|pair| pair[0].at >= pair[1].at));
    let registered: Vec<_> = record
        .timeline
        .iter()
        .filter(|entry| entry.event == TimelineType::Registered)
        .map(|entry| (entry.at.to_string(), entry.source.clone()))
        .collect();
    assert_eq!(registered, [("2026-11-10T00:00:00Z".to_owned(), "registry".to_owned())]);
}

/// Down, slow, silent, redirecting to private space, about another name, too large: the last good reading stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_a_registry_does_the_last_good_reading_stays() {
    let world = World::start(0).await;
    let good = world.registration("open.lab").await;
    for word in [
        "server-error",
        "slow",
        "redirect-to-private",
        "redirect-to-private-name",
        "redirect-loop",
        "another-name",
        "ten-megabytes",
        "gzip-bomb",
        "truncated",
        "html",
        "html-404",
    ] {
        world.lab.set_registration("open.lab", RegistryEntry::Variant(variant(word)));
        let failed = world.refresh("open.lab").await;
        assert_eq!(failed.state, RegistryState::NotMeasured, "{word}");
        assert!(failed.why.as_ref().is_some_and(|why| why.ends_with('.')), "{word}: {failed:?}");
        assert_eq!(failed.registration, good.registration, "{word}");
        assert_eq!(failed.read_at, good.read_at, "{word}");
        let registry = world.record("open.lab").await.registry;
        assert_eq!(registry.state, RegistryState::NotMeasured, "{word}");
        let why = registry.why.unwrap();
        let date = good.read_at.unwrap().whole_seconds().to_string();
        assert!(why.contains(&date), "{word}: {why}");
        assert!(registry.registrar.is_some(), "{word}");
    }
    world.lab.set_registration("open.lab", RegistryEntry::Silent);
    assert_eq!(world.refresh("open.lab").await.state, RegistryState::NotMeasured);
    // A name that was never read has nothing but the reason.
    let registry = world.record("rdap-another-name.lab").await.registry;
    assert_eq!(registry.why.as_deref(), Some("The registry answered about another name."));
    assert_eq!((registry.registrar, registry.read_at), (None, None));
    assert_eq!(world.lab.trap().connections(), 0, "something private was dialled");
    // Afterwards it is read again, and the timeline has no trace of the faults.
    world.set("open.lab", |_| {});
    assert_eq!(world.refresh("open.lab").await.state, RegistryState::Observed);
    assert_eq!(world.record("open.lab").await.timeline.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_registry_that_refuses_is_left_alone_for_as_long_as_it_asks() {
    let world = World::start(0).await;
    let limited = world.registration("rdap-too-many-requests.lab").await;
    assert_eq!(limited.state, RegistryState::NotMeasured);
    assert!(limited.why.unwrap().contains("429"));
    let before = world.reads();
    for name in ["open.lab", "minimal.lab"] {
        let paused = world.registration(name).await;
        assert_eq!(paused.state, RegistryState::NotMeasured, "{name}");
        assert!(paused.why.unwrap().contains("is not asked again for"), "{name}");
        let forced = world.service.domains.refresh_registration(&world.domain(name)).await.unwrap();
        assert_eq!(forced.state, RegistryState::NotMeasured, "{name}");
    }
    assert_eq!(world.reads(), before);
    world.clock.advance(Duration::from_secs(121));
    assert_eq!(world.registration("open.lab").await.state, RegistryState::Observed);
    assert_eq!(world.reads(), before + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_registry_is_read_so_often_in_a_minute_and_no_more() {
    let world = World::start(3).await;
    let names = ["open.lab", "minimal.lab", "business.lab", "spa.lab", "login.lab"];
    let mut states = Vec::new();
    for name in names {
        states.push(world.registration(name).await.state);
    }
    let (observed, not_measured) = (RegistryState::Observed, RegistryState::NotMeasured);
    let expected =
        [&observed, &observed, &observed, &not_measured, &not_measured].map(Clone::clone);
    assert_eq!(states, expected);
    assert_eq!(world.reads(), 3);
    // What was not read because of our own limit is not kept as a failure.
    world.clock.advance(Duration::from_secs(61));
    assert_eq!(world.registration("spa.lab").await.state, observed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_without_a_registry_and_lists_that_fail_are_told_apart() {
    let world = World::start(0).await;
    world.lab.set_rdap_bootstrap(BootstrapBehaviour::Page);
    // The built-in copy does not know the lab, which does not mean that it has no registry.
    let unknown = world.registration("open.lab").await;
    assert_eq!(unknown.state, RegistryState::NotMeasured);
    assert_eq!(world.reads(), 0);
    // The list is fetched again after a while.
    world.lab.set_rdap_bootstrap(BootstrapBehaviour::Good);
    assert_eq!(world.registration("open.lab").await.state, RegistryState::NotMeasured);
    world.clock.advance(Duration::from_secs(601));
    assert_eq!(world.registration("open.lab").await.state, RegistryState::Observed);
    let none = world.registration("shop.example.de").await;
    assert_eq!((none.state, none.domain.as_str()), (RegistryState::NotAvailable, "example.de"));
    assert!(none.why.unwrap().contains("offers no registration data"));
    let record = world.record("example.de").await;
    assert_eq!(record.registry.state, RegistryState::NotAvailable);
    assert_eq!(record.timeline, []);
    // A list that fails later does not replace the good one.
    world.lab.set_rdap_bootstrap(BootstrapBehaviour::Status500);
    world.clock.advance(2 * DAY);
    assert_eq!(world.registration("minimal.lab").await.state, RegistryState::Observed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn international_names_are_asked_for_as_a_labels() {
    let world = World::start(0).await;
    let name = "xn--bcher-kva.lab";
    world.set(name, |_| {});
    let reading = world.registration("bücher.lab").await;
    assert_eq!((reading.state, reading.domain.as_str()), (RegistryState::Observed, name));
    assert!(reading.source.unwrap().ends_with("/domain/xn--bcher-kva.lab"));
}
