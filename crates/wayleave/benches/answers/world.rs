//! A service over the lab, with a clock that only the benchmark moves.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use agents::Catalogue;
use contract::{Clock, Domain, NamePolicy, Timestamp};
use door::{Door, Policy, ResolverChoice, SystemClock, TargetLimits};
use futures_util::StreamExt as _;
use lab::Lab;
use proof::KeyStore;
use proof::keys::{DeploymentSecret, LogMark};
use service::answers::resolve::{CachedAnswer, LivePolicy, ResolveQuery};
use service::{LiveReadPermit, Service, ServiceDependencies, Settings, SystemIds};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::{CALLERS, LAB_THREADS};

#[derive(Debug, Clone)]
pub(crate) struct HandClock(Arc<AtomicI64>);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

struct Always;

impl LiveReadPermit for Always {
    fn acquire(&self) -> Result<(), Duration> {
        Ok(())
    }
}

pub(crate) struct World {
    pub(crate) service: Arc<Service>,
    clock: HandClock,
    names: NamePolicy,
    sites: std::sync::OnceLock<Vec<Domain>>,
}

impl World {
    pub(crate) async fn open(lab: &Lab, folder: &Path) -> Self {
        let policy = lab_policy(lab);
        let names = policy.names.clone();
        let now = SystemClock.now();
        let clock = HandClock(Arc::new(AtomicI64::new(now.as_millis())));
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let keys = folder.join("keys");
        let mut settings = Settings::new("https://svc.example".to_owned());
        settings.domain_limits = None;
        let service = Arc::new(Service::new(ServiceDependencies {
            settings,
            door: Door::new(policy, Arc::clone(&shared)).unwrap(),
            catalogue: Catalogue::built_in()
                .unwrap()
                .with_placeholders_filled("0", "https://svc.example"),
            store: Arc::new(SqliteStore::open(folder, SqliteOptions::default()).unwrap()),
            keys: KeyStore::open(&keys, now.plus_millis(-3_600_000)).unwrap(),
            secret: DeploymentSecret::open(&keys).unwrap(),
            clock: shared,
            ids: Arc::new(SystemIds),
        }));
        let (mark, marked) = LogMark::open(&keys).unwrap();
        service.log.open(mark, marked).await.unwrap();
        Self { service, clock, names, sites: std::sync::OnceLock::new() }
    }

    /// Reads some sites of the lab, so that an answer about each is stored.
    pub(crate) async fn read_sites(&self, count: usize) {
        let sites: Vec<Domain> = lab::load_test_sites()
            .iter()
            .take(count)
            .map(|site| Domain::parse(site.name, &self.names).unwrap())
            .collect();
        self.sites.set(sites).unwrap();
        self.ask_all(LivePolicy::Auto).await;
    }

    pub(crate) fn sites(&self) -> &[Domain] {
        self.sites.get().unwrap()
    }

    pub(crate) fn advance(&self, millis: i64) {
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }

    pub(crate) async fn ask(&self, domain: &Domain, live: LivePolicy) -> Arc<CachedAnswer> {
        let query = ResolveQuery {
            domain: domain.clone(),
            live,
            max_age_hours: None,
            live_read_permit: permit(),
        };
        let service = Arc::clone(&self.service);
        let asked = tokio::spawn(async move { service.answers.resolve(query).await });
        asked.await.unwrap().unwrap()
    }

    /// The answer about every site, asked for by several callers at once.
    pub(crate) async fn ask_all(&self, live: LivePolicy) -> Vec<Arc<CachedAnswer>> {
        let asked = futures_util::stream::iter(self.sites()).map(|domain| self.ask(domain, live));
        asked.buffered(CALLERS).collect().await
    }
}

/// A door that leads to the lab alone.
pub(crate) fn lab_policy(lab: &Lab) -> Policy {
    let network = lab.network();
    Policy {
        targets: TargetLimits::none(),
        names: NamePolicy { allow_suffixes: network.allow_names.clone(), allow_ports: vec![] },
        allow_networks: network.allow_networks.iter().map(|text| text.parse().unwrap()).collect(),
        resolver: ResolverChoice::Server(network.resolver),
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca: door::read_pem(network.ca_pem.as_bytes()).unwrap(),
        ..Policy::public()
    }
}

pub(crate) fn permit() -> Arc<dyn LiveReadPermit> {
    Arc::new(Always)
}

/// CPU seconds of this process, without the threads of the lab.
pub(crate) fn cpu_seconds() -> f64 {
    all_cpu_seconds() - lab_cpu_seconds()
}

fn lab_cpu_seconds() -> f64 {
    let of_task = |task: std::path::PathBuf| {
        let read = |name: &str| std::fs::read_to_string(task.join(name)).unwrap_or_default();
        let nanos = read("schedstat").split_whitespace().next().and_then(|n| n.parse::<u64>().ok());
        nanos.filter(|_| read("comm").trim() == LAB_THREADS).unwrap_or(0)
    };
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    tasks.map(|task| of_task(task.unwrap().path())).sum::<u64>() as f64 / 1e9
}

fn all_cpu_seconds() -> f64 {
    // Clock ticks per second in /proc; 100 on every Linux.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // The name is in brackets and can contain anything; user and system time are fields 14 and 15.
    let rest = stat.rsplit(')').next().unwrap();
    let ticks: f64 =
        rest.split_whitespace().skip(11).take(2).map(|text| text.parse::<f64>().unwrap()).sum();
    ticks / TICKS
}
