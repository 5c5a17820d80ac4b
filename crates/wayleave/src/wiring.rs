//! From a configuration to running parts.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use agents::Catalogue;
use anyhow::{Context, Result};
use contract::records::ObserverNetwork;
use contract::{Brand, Clock, NamePolicy};
use door::{Door, Policy, ResolverChoice, SystemClock};
use proof::KeyStore;
use proof::keys::{LogMark, Secret};
use service::jobs::WitnessPeer;

use service::resolve::{Ranking, UpgradeWindows};
use service::{
    FreeScans, LogSettings, OperatorSettings, Parts, ProofSettings, ResolveSettings, Service,
    Settings, SystemIds,
};
use store::Retention;
use store_sqlite::{SqliteDesk, SqliteOptions, SqliteStore};
use web::{Rate, RateLimits};

use crate::config::{Config, Network};

/// Where the keys are, inside the data directory.
pub(crate) const KEYS_FOLDER: &str = "keys";

/// The runtime every long-running command uses.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    raise_open_files();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

/// Every reading opens a dozen sockets, and the number a process begins with is often the least it
/// may have. Where it cannot be raised, readings fail one by one, with their reason.
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    }
}

/// The door's policy: the public internet, plus what the operator lets through.
pub(crate) fn policy(network: &Network) -> Result<Policy> {
    let resolver = match network.resolver.as_str() {
        "system" => ResolverChoice::System,
        address => ResolverChoice::Server(
            address.parse().context("network.resolver must be `system` or IP:PORT")?,
        ),
    };
    let extra_ca = match &network.extra_ca {
        Some(file) => {
            let pem = fs::read(file)
                .with_context(|| format!("network.extra_ca: {} cannot be read", file.display()))?;
            door::read_pem(&pem).context("network.extra_ca")?
        }
        None => Vec::new(),
    };
    Ok(Policy {
        names: NamePolicy {
            allow_suffixes: network.allow_names.clone(),
            allow_ports: network.allow_ports.clone(),
        },
        allow_networks: network.allow_networks.clone(),
        refuse_networks: network.refuse_networks.clone(),
        resolver,
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca,
        source_address: network.source_address,
        ..Policy::public()
    })
}

pub(crate) fn catalogue(config: &Config) -> Result<Catalogue> {
    match &config.agents.catalogue {
        Some(file) => {
            let text = fs::read_to_string(file)
                .with_context(|| format!("agents.catalogue: {} cannot be read", file.display()))?;
            Catalogue::read(&text).context("agents.catalogue")
        }
        None => Ok(Catalogue::built_in()?),
    }
}

pub(crate) fn brand(config: &Config) -> Result<Brand> {
    Brand::new(&config.server.brand).context("server.brand")
}

/// The log's name in checkpoints.
pub(crate) fn origin(config: &Config) -> Result<String> {
    Ok(match &config.proof.origin {
        Some(origin) => origin.clone(),
        None => LogSettings::default_origin(&config.base_url(), &brand(config)?.log_id()),
    })
}

pub(crate) fn witnesses(config: &Config) -> Result<Vec<WitnessPeer>> {
    let read = |text: &String| text.parse::<WitnessPeer>().context("proof.witnesses");
    config.proof.witnesses.iter().map(read).collect()
}

fn resolve(config: &Config) -> Result<ResolveSettings> {
    let ours = ResolveSettings::default();
    let ranking = match &config.resolve.ranking {
        Some(file) => {
            let text = fs::read_to_string(file)
                .with_context(|| format!("resolve.ranking: {} cannot be read", file.display()))?;
            Some(Arc::new(Ranking::read(&text).context("resolve.ranking")?))
        }
        None => None,
    };
    let windows = UpgradeWindows::new(config.resolve.upgrade_minutes.clone())
        .context("resolve.upgrade_minutes")?;
    let hot_bytes = config.resolve.hot_mb.saturating_mul(1 << 20);
    Ok(ResolveSettings { hot_bytes, windows, ranking, ..ours })
}

/// What site owners are told of us. Nothing is made up where the operator said nothing.
fn operator(config: &Config) -> OperatorSettings {
    let (operator, network) = (&config.operator, &config.network);
    OperatorSettings {
        name: operator.name.clone(),
        contact: operator.contact.clone(),
        abuse: operator.abuse.clone(),
        security: operator.security.clone(),
        network: ObserverNetwork {
            asn: network.asn,
            name: network.name.clone(),
            rir: network.rir.clone(),
            country: network.country.clone(),
            region: network.region.clone(),
        },
        egress: network.egress.iter().map(ToString::to_string).collect(),
        resolver: Some(match network.resolver.as_str() {
            "system" => "the resolver of the system".to_owned(),
            address => address.to_owned(),
        }),
    }
}

pub(crate) fn settings(config: &Config) -> Result<Settings> {
    Ok(Settings {
        operator: operator(config),
        resolve: resolve(config)?,
        brand: brand(config)?,
        log: LogSettings { witnesses: witnesses(config)?, ..LogSettings::new(origin(config)?) },
        vantage: config.network.vantage.clone(),
        scan_deadline: Duration::from_millis(config.scan.deadline_ms),
        scans_at_once: config.scan.at_once,
        artifact_retention: match config.store.artifact_days {
            0 => Retention::ForEver,
            days => Retention::Days(days),
        },
        free_scans: FreeScans {
            per_address_and_day: config.limits.enabled.then_some(config.limits.scan_per_day),
            per_day: config.limits.scans_daily_total,
            paused: config.limits.scans_paused,
        },
        outcomes_per_day: config.limits.enabled.then_some(config.limits.outcomes_per_day),
        proof: ProofSettings {
            calendars: config.proof.calendars.clone(),
            explorers: config.proof.explorers.clone(),
            upgrade_every: Duration::from_secs(config.proof.upgrade_seconds),
            ..ProofSettings::default()
        },
        ..Settings::new(config.base_url())
    })
}

/// How often one asker may ask. Without address limits only the licences' own rates hold.
pub(crate) fn rates(config: &Config) -> RateLimits {
    use contract::limits::{FEED_WINDOW, RATE_WINDOW, SCAN_BURST_WINDOW, SCAN_MINUTE_WINDOW};
    let limits = &config.limits;
    let by_licence = RateLimits {
        keyed_scans: vec![Rate { most: limits.keyed_scan_per_minute, within: SCAN_MINUTE_WINDOW }],
        ..RateLimits::none()
    };
    if !limits.enabled {
        return by_licence;
    }
    RateLimits {
        scans: vec![
            Rate { most: limits.scan_per_10s, within: SCAN_BURST_WINDOW },
            Rate { most: limits.scan_per_minute, within: SCAN_MINUTE_WINDOW },
        ],
        feeds: vec![Rate { most: limits.feed_per_minute, within: FEED_WINDOW }],
        reads: vec![Rate { most: limits.read_per_minute, within: RATE_WINDOW }],
        decides: vec![Rate { most: limits.decide_per_minute, within: RATE_WINDOW }],
        live: vec![Rate { most: limits.live_per_minute, within: RATE_WINDOW }],
        ..by_licence
    }
}

/// What operators' commands work at, whether or not a server runs.
pub(crate) fn desk(config: &Config) -> Result<SqliteDesk> {
    let folder = config.data_dir();
    SqliteDesk::open(&folder)
        .with_context(|| format!("the store in {} cannot be opened", folder.display()))
}

pub(crate) fn keys(config: &Config) -> Result<KeyStore> {
    let folder = config.data_dir().join(KEYS_FOLDER);
    KeyStore::open(&folder, SystemClock.now())
        .with_context(|| format!("the keys in {} cannot be used", folder.display()))
}

/// Opens everything a service stands on. Creates what is not there yet.
pub(crate) fn service(config: &Config) -> Result<Service> {
    let folder = config.data_dir();
    let store = SqliteStore::open(&folder, SqliteOptions::default())
        .with_context(|| format!("the store in {} cannot be opened", folder.display()))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let policy = policy(&config.network)?;
    if !policy.is_public() {
        tracing::warn!(
            allow_networks = ?config.network.allow_networks,
            allow_names = ?config.network.allow_names,
            "NOT THE PUBLIC INTERNET: this configuration lets through networks or names that are \
             refused by default. Never serve strangers with it."
        );
    }
    if !config.limits.enabled {
        tracing::warn!(
            "ADDRESS LIMITS ARE OFF (limits.enabled = false): anybody may ask for scans as often \
             as they like. For load tests only."
        );
    }
    if config.limits.scans_paused {
        tracing::warn!("free scans are paused by configuration (limits.scans_paused)");
    }
    let keys_folder = folder.join(KEYS_FOLDER);
    let secret = Secret::open(&keys_folder)
        .with_context(|| format!("the secret in {} cannot be used", keys_folder.display()))?;
    Ok(Service::new(Parts {
        settings: settings(config)?,
        door: Door::new(policy, Arc::clone(&clock)).context("the door cannot be set up")?,
        catalogue: catalogue(config)?,
        store: Arc::new(store),
        keys: keys(config)?,
        secret,
        clock,
        ids: Arc::new(SystemIds),
    }))
}

/// Opens the log behind a service. What is wrong with it is told and does not keep the rest from
/// being served: nothing is sealed then.
pub(crate) async fn open_log(config: &Config, service: &Service) -> Result<()> {
    let folder = config.data_dir().join(KEYS_FOLDER);
    match LogMark::open(&folder) {
        // The fault has been logged, and whoever wants to seal is told.
        Ok((mark, marked)) => drop(service.open_log(mark, marked).await),
        Err(error) => tracing::error!(%error, "THE LOG IS NOT EXTENDED: its mark cannot be used"),
    }
    Ok(())
}
