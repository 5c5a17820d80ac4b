//! Builds the running components (store, keys, service, rate limits) from a configuration.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agents::{Catalogue, KnownAgents, SearchableAgents};
use anyhow::{Context, Result, bail};
use contract::records::ObserverNetwork;
use contract::{Brand, Clock, NamePolicy, Timestamp};
use door::{Door, Policy, ResolverChoice, SystemClock, TargetLimit, TargetLimits};
use observe::engine::Engine;
use proof::keys::{DeploymentSecret, LogMark};
use proof::{KeyPolicy, KeyStore, ProofError};
use service::log::WitnessPeer;

use service::access::plans::Plans;
use service::answers::resolve::{Ranking, UpgradeWindows};
use service::{
    AnchoringSettings, DomainLimits, FreeScans, LogSettings, OperatorSettings, ReloadableSettings,
    ResolveSettings, RetentionSettings, Scanner, Service, ServiceDependencies, Settings, SystemIds,
    VisitorSettings,
};
use store::Retention;
use store_sqlite::{SqliteAdmin, SqliteOptions, SqliteStore};
use supervisor::Supervisor;
use web::{RateLimit, RateLimits, ReloadableOptions};

use crate::config::{Config, GateFails, NetworkConfig};

mod accuracy;
mod free_keys;
mod small_file;

/// The Tokio runtime of all commands that do I/O.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    raise_open_file_limit();
    tokio::runtime::Builder::new_multi_thread()
        // A scan nests many futures, and in debug builds each of them is large.
        .thread_stack_size(8 << 20)
        .enable_all()
        .build()
        .context("cannot start the async runtime")
}

/// Raises the soft limit of open files to the hard limit: every scan opens about a dozen sockets, and
/// the default soft limit is often low. If it cannot be raised, single reads fail and say why.
fn raise_open_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    }
}

/// The policy for outgoing connections: the public internet, plus what the operator allowed.
pub(crate) fn network_policy(network: &NetworkConfig) -> Result<Policy> {
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
        mcp_ports: network.mcp_ports.clone(),
        ..Policy::public()
    })
}

pub(crate) fn load_catalogue(config: &Config) -> Result<Catalogue> {
    match &config.agents.catalogue {
        Some(file) => {
            let text = fs::read_to_string(file)
                .with_context(|| format!("agents.catalogue: {} cannot be read", file.display()))?;
            Catalogue::parse(&text).context("agents.catalogue")
        }
        None => Ok(Catalogue::built_in()?),
    }
}

/// The agents that visitors are compared with.
pub(crate) fn load_known_agents(config: &Config) -> Result<KnownAgents> {
    let read = |key: &str, file: &Path| {
        fs::read_to_string(file)
            .with_context(|| format!("{key}: {} cannot be read", file.display()))
    };
    let mut agents = match &config.agents.known {
        Some(file) => KnownAgents::parse(&read("agents.known", file)?).context("agents.known")?,
        None => KnownAgents::built_in()?,
    };
    if let Some(file) = &config.agents.more_known {
        let more = read("agents.more_known", file)?;
        agents = agents.extended_with(&more).context("agents.more_known")?;
    }
    for entry in &config.agents.feeds {
        let (id, url) = entry
            .split_once('=')
            .with_context(|| format!("agents.feeds: {entry:?} is not ID=URL"))?;
        agents = agents.with_feed_url(id.trim(), url.trim()).context("agents.feeds")?;
    }
    Ok(agents)
}

fn visitor_settings(config: &Config) -> Result<VisitorSettings> {
    Ok(VisitorSettings {
        agents: Arc::new(SearchableAgents::new(load_known_agents(config)?)),
        proxies: config.server.trusted_proxies.clone(),
        fetch_feeds: config.agents.fetch_feeds,
        gate_fails_closed: config.agents.gate_fails == GateFails::Closed,
    })
}

pub(crate) fn brand(config: &Config) -> Result<Brand> {
    Brand::new(&config.server.brand).context("server.brand")
}

/// The log's origin: its name in checkpoints.
pub(crate) fn log_origin(config: &Config) -> Result<String> {
    Ok(match &config.proof.origin {
        Some(origin) => origin.clone(),
        None => LogSettings::default_origin(&config.base_url(), &brand(config)?.log_id()),
    })
}

pub(crate) fn witness_peers(config: &Config) -> Result<Vec<WitnessPeer>> {
    let read = |text: &String| text.parse::<WitnessPeer>().context("proof.witnesses");
    config.proof.witnesses.iter().map(read).collect()
}

fn resolve_settings(config: &Config) -> Result<ResolveSettings> {
    let defaults = ResolveSettings::default();
    let ranking = match &config.resolve.ranking {
        Some(file) => {
            let text = fs::read_to_string(file)
                .with_context(|| format!("resolve.ranking: {} cannot be read", file.display()))?;
            Some(Arc::new(Ranking::parse(&text).context("resolve.ranking")?))
        }
        None => None,
    };
    let windows = UpgradeWindows::new(config.resolve.upgrade_minutes.clone())
        .context("resolve.upgrade_minutes")?;
    let to_bytes = |megabytes: usize| megabytes.saturating_mul(1 << 20);
    Ok(ResolveSettings {
        cache_bytes: to_bytes(config.resolve.hot_mb),
        robots_cache_bytes: to_bytes(config.resolve.robots_mb),
        queue_max: config.resolve.queue_max,
        windows,
        ranking,
        ..defaults
    })
}

/// What the observer directory publishes about this service. Keys that are not set stay empty.
fn operator_settings(config: &Config) -> OperatorSettings {
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
            "system" => "system resolver".to_owned(),
            address => address.to_owned(),
        }),
    }
}

pub(crate) fn service_settings(config: &Config) -> Result<Settings> {
    Ok(Settings {
        operator: operator_settings(config),
        visitors: visitor_settings(config)?,
        registry: config.registry.settings(),
        resolve: resolve_settings(config)?,
        brand: brand(config)?,
        log: LogSettings {
            witnesses: witness_peers(config)?,
            ..LogSettings::new(log_origin(config)?)
        },
        vantage: config.network.vantage.clone(),
        scan_deadline: Duration::from_millis(config.scan.deadline_ms),
        scans_at_once: config.scan.at_once,
        domain_limits: config.targets.enabled.then_some(DomainLimits {
            live_per_hour: config.targets.domain_live_per_hour,
            scans_per_hour: config.targets.domain_scans_per_hour,
            total_live_per_minute: config.targets.total_live_per_minute,
            mcp_walks_per_hour: config.targets.domain_mcp_walks_per_hour,
        }),
        artifact_retention: match config.store.artifact_days {
            0 => Retention::ForEver,
            days => Retention::Days(days),
        },
        artifact_max_bytes: match config.store.artifact_gb {
            0 => None,
            gigabytes => Some(u64::from(gigabytes) << 30),
        },
        retention: RetentionSettings {
            unreached_days: config.store.unreached_days,
            answer_days: config.store.answer_days,
            domain_days: config.store.domain_days,
            change_days: config.store.change_days,
            revocation_days: config.store.revocation_days,
            receipt_days: config.store.receipt_days,
            scan_days: config.store.scan_days,
            mcp_days: config.store.mcp_days,
            conduct_days: config.store.conduct_days,
            accuracy_days: config.store.accuracy_days,
        },
        free_scans: free_scans(config),
        plans: plans(config)?,
        outcomes_per_day: outcomes_per_day(config),
        claim_checks_per_day: config
            .limits
            .enabled
            .then_some(contract::limits::CLAIM_CHECKS_PER_DAY),
        proof: AnchoringSettings {
            calendars: config.proof.calendars.clone(),
            explorers: config.proof.explorers.clone(),
            upgrade_interval: Duration::from_secs(config.proof.upgrade_seconds),
            ..AnchoringSettings::default()
        },
        ..Settings::new(config.base_url())
    })
}

fn free_scans(config: &Config) -> FreeScans {
    FreeScans {
        per_address_and_day: config.limits.enabled.then_some(config.limits.scan_per_day),
        per_day: config.limits.scans_daily_total,
        paused: config.limits.scans_paused,
    }
}

fn free_keys_per_day(config: &Config) -> Option<u32> {
    config.limits.enabled.then_some(contract::limits::FREE_KEYS_PER_ADDRESS_A_DAY)
}

fn outcomes_per_day(config: &Config) -> Option<u32> {
    config.limits.enabled.then_some(config.limits.outcomes_per_day)
}

/// What a running service applies of a reloaded configuration.
pub(crate) fn reloadable_settings(config: &Config) -> Result<ReloadableSettings> {
    Ok(ReloadableSettings {
        free_scans: free_scans(config),
        plans: plans(config)?,
        free_keys_per_day: free_keys_per_day(config),
        outcomes_per_day: outcomes_per_day(config),
        proxies: config.server.trusted_proxies.clone(),
    })
}

/// What licences give.
pub(crate) fn plans(config: &Config) -> Result<Plans> {
    Plans::parse(&config.access.plans).context("access.plans")
}

/// What a running HTTP side applies of a reloaded configuration.
pub(crate) fn reloadable_options(config: &Config) -> ReloadableOptions {
    ReloadableOptions {
        trusted_proxies: config.server.trusted_proxies.clone(),
        limits: rate_limits(config),
    }
}

/// Limits that are switched off, or scans that are, must be noticed in the log.
pub(crate) fn warn_about_limits(config: &Config) {
    if !config.limits.enabled {
        tracing::warn!(
            "ADDRESS LIMITS ARE OFF (limits.enabled = false): every client can request any number \
             of scans. Use this for load tests only."
        );
    }
    if config.limits.scans_paused {
        tracing::warn!("free scans are paused by the configuration (limits.scans_paused = true)");
    }
}

/// The rate limits; none with `limits.enabled = false`. A licence never lowers a rate: if the one without
/// a key is higher, it is the rate of the licence, too.
pub(crate) fn rate_limits(config: &Config) -> RateLimits {
    use contract::limits::{FEED_WINDOW, RATE_WINDOW, SCAN_BURST_WINDOW, SCAN_MINUTE_WINDOW};
    let limits = &config.limits;
    if !limits.enabled {
        return RateLimits::none();
    }
    let per_minute = |max| vec![RateLimit { max, window: RATE_WINDOW }];
    let keyed_per_minute = |keyed: u32, free: u32| per_minute(keyed.max(free));
    RateLimits {
        scans: vec![
            RateLimit { max: limits.scan_per_10s, window: SCAN_BURST_WINDOW },
            RateLimit { max: limits.scan_per_minute, window: SCAN_MINUTE_WINDOW },
        ],
        keyed_scans: vec![RateLimit {
            max: limits.keyed_scan_per_minute.max(limits.scan_per_minute),
            window: SCAN_MINUTE_WINDOW,
        }],
        feeds: vec![RateLimit { max: limits.feed_per_minute, window: FEED_WINDOW }],
        reads: per_minute(limits.read_per_minute),
        decisions: per_minute(limits.decide_per_minute),
        live_reads: per_minute(limits.live_per_minute),
        keyed_reads: keyed_per_minute(limits.keyed_read_per_minute, limits.read_per_minute),
        keyed_decisions: keyed_per_minute(limits.keyed_decide_per_minute, limits.decide_per_minute),
        keyed_live_reads: keyed_per_minute(limits.keyed_live_per_minute, limits.live_per_minute),
        visitors: per_minute(limits.visitors_per_minute),
        metrics: per_minute(limits.metrics_per_minute),
        wrong_keys: per_minute(limits.wrong_keys_per_minute),
        ..RateLimits::default()
    }
}

/// What all readings together may do to one target.
fn target_limits(config: &Config) -> TargetLimits {
    let targets = &config.targets;
    if !targets.enabled {
        return TargetLimits::none();
    }
    let limit = |connections, reads_per_minute| TargetLimit { connections, reads_per_minute };
    TargetLimits {
        address: limit(targets.address_connections, targets.address_reads_per_minute),
        network: limit(targets.network_connections, targets.network_reads_per_minute),
        total: limit(targets.total_connections, targets.total_reads_per_minute),
    }
}

/// For commands that read from the network without a server.
pub(crate) fn build_scanner(config: &Config, clock: Arc<dyn Clock>) -> Result<Scanner> {
    let settings = service_settings(config)?.scanner();
    let door = Door::new(network_policy(&config.network)?, Arc::clone(&clock))?;
    Ok(Scanner::new(settings, door, load_catalogue(config)?, clock, Arc::new(SystemIds)))
}

/// The AI engines that are configured, with their keys.
pub(crate) fn engines(config: &Config) -> Result<Vec<Engine>> {
    let policy = network_policy(&config.network)?;
    Ok(accuracy::accuracy_settings(&config.accuracy, &policy)?.engines)
}

/// Opens the store for admin commands (licences, switches). Works while a server is running.
pub(crate) fn open_admin(config: &Config) -> Result<SqliteAdmin> {
    let folder = config.data_dir();
    SqliteAdmin::open(&folder)
        .with_context(|| format!("cannot open the store in {}", folder.display()))
}

/// Opens the keys. They are created only for a data directory without a log: new keys for a log that
/// others signed would make everything in it unverifiable.
pub(crate) fn open_keys(config: &Config) -> Result<KeyStore> {
    let data_dir = config.data_dir();
    store_sqlite::require_finished_restore(&data_dir)
        .with_context(|| format!("cannot use the keys in {}", data_dir.display()))?;
    open_keys_of_store(config)
}

/// The data is restored, so the keys are too: a restore that was ended between the two leaves their
/// marker behind, and the next restore would take it for leave to remove them.
fn finish_restore_of_keys(config: &Config) -> Result<()> {
    let Some(folder) = &config.store.keys_dir else { return Ok(()) };
    let unfinished = |dir: &Path| store_sqlite::require_finished_restore(dir).is_err();
    if unfinished(folder) && !unfinished(&config.data_dir()) {
        store_sqlite::finish_restore(folder)?;
    }
    Ok(())
}

/// The same, also while a backup is being restored.
fn open_keys_of_store(config: &Config) -> Result<KeyStore> {
    finish_restore_of_keys(config)?;
    let (data_dir, now) = (config.data_dir(), SystemClock.now());
    let folder = config.keys_dir();
    let has_log = store_sqlite::has_log(&data_dir)
        .with_context(|| format!("cannot read the store in {}", data_dir.display()))?;
    let opened = match has_log {
        true => KeyStore::open_existing(&folder, now),
        false => KeyStore::open(&folder, now),
    };
    explain_missing_keys(config, opened)
}

/// Opens existing keys and finishes no rotation. The caller has made sure that every purpose has a key
/// that signs: otherwise one would be made.
pub(crate) fn open_keys_unchanged(config: &Config) -> Result<KeyStore> {
    // At the earliest time no rotation is due.
    let opened = KeyStore::open_existing(&config.keys_dir(), Timestamp::from_millis(i64::MIN));
    explain_missing_keys(config, opened)
}

/// Says what to do if a log has lost its keys.
pub(crate) fn explain_missing_keys(
    config: &Config,
    opened: Result<KeyStore, ProofError>,
) -> Result<KeyStore> {
    let (data_dir, folder) = (config.data_dir(), config.keys_dir());
    match opened {
        Err(ProofError::KeysMissing { purposes, .. }) => bail!(
            "{} has a log, but {} has no key for {purposes}. No new keys were made, because nobody could \
             verify the log with them. Put back the key directory of this installation, for example from \
             a backup. If its keys are lost for good, this log cannot be continued: begin a new one with \
             an empty store.data_dir, and keep the old one for reference",
            data_dir.display(),
            folder.display()
        ),
        opened => opened.with_context(|| format!("cannot use the keys in {}", folder.display())),
    }
}

/// The published keys as a verifier sees them.
pub(crate) fn key_policy(keys: &KeyStore, brand: &Brand) -> Result<KeyPolicy> {
    let rotation = keys.rotation_record(brand);
    Ok(KeyPolicy::from_directory(&keys.directory(brand), Some(&rotation), brand)?)
}

/// Opens store, keys and network access, and builds the service. Creates the data directory and the
/// keys if they do not exist yet.
pub(crate) fn build_service(
    config: &Config,
    clock: Arc<dyn Clock>,
    supervisor: &Supervisor,
) -> Result<Service> {
    let options = SqliteOptions { supervisor: supervisor.clone(), ..SqliteOptions::default() };
    build_service_with(config, clock, options)
}

/// The clock of everything but a demo, whose clock people can move.
pub(crate) fn system_clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

/// The same, with other options of the store.
pub(crate) fn build_service_with(
    config: &Config,
    clock: Arc<dyn Clock>,
    options: SqliteOptions,
) -> Result<Service> {
    let folder = config.data_dir();
    let supervisor = options.supervisor.clone();
    let store = SqliteStore::open(&folder, options)
        .with_context(|| format!("cannot open the store in {}", folder.display()))?;
    let policy = Policy { targets: target_limits(config), ..network_policy(&config.network)? };
    if !policy.is_public() {
        tracing::warn!(
            allow_networks = ?config.network.allow_networks,
            allow_names = ?config.network.allow_names,
            "NOT THE PUBLIC INTERNET: this configuration allows networks or names that are refused \
             by default. Do not expose this server to the public."
        );
    }
    warn_about_limits(config);
    if !config.targets.enabled {
        tracing::warn!(
            "TARGET LIMITS ARE OFF (targets.enabled = false): clients can make this server flood any \
             site. Use this for load tests of your own sites only."
        );
    }
    // Before the secret, which is created if it is missing.
    let keys = open_keys_of_store(config)?;
    let keys_folder = config.keys_dir();
    let secret = DeploymentSecret::open(&keys_folder)
        .with_context(|| format!("cannot use the secret in {}", keys_folder.display()))?;
    let free_keys = free_keys::free_key_settings(config, &policy, free_keys_per_day(config))?;
    let accuracy = accuracy::accuracy_settings(&config.accuracy, &policy)?;
    let parts = ServiceDependencies {
        settings: Settings { free_keys, accuracy, ..service_settings(config)? },
        door: Door::new(policy, Arc::clone(&clock))
            .context("cannot set up outgoing connections")?,
        catalogue: load_catalogue(config)?,
        store: Arc::new(store),
        keys,
        secret,
        clock,
        ids: Arc::new(SystemIds),
    };
    Ok(Service::with_supervisor(parts, supervisor))
}

/// Opens the transparency log of a service. A fault is logged and does not stop the server: records
/// are still served, but nothing new is added to the log.
pub(crate) async fn open_log(config: &Config, service: &Service) -> Result<()> {
    let folder = config.keys_dir();
    match LogMark::open(&folder) {
        // `open_log` has logged the fault, and every later attempt to append returns it.
        Ok((mark, marked)) => drop(service.log.open(mark, marked).await),
        Err(error) => {
            tracing::error!(%error, "THE LOG IS NOT EXTENDED: cannot read its high-water mark")
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_never_lowers_a_rate() {
        let max = |limits: &[RateLimit]| limits.iter().map(|limit| limit.max).collect::<Vec<_>>();
        let mut config = Config::default();
        let limits = &mut config.limits;
        (limits.scan_per_minute, limits.keyed_scan_per_minute) = (70, 60);
        (limits.read_per_minute, limits.keyed_read_per_minute) = (9000, 6000);
        (limits.decide_per_minute, limits.keyed_decide_per_minute) = (9001, 3000);
        (limits.live_per_minute, limits.keyed_live_per_minute) = (120, 300);
        let made = rate_limits(&config);
        assert_eq!(max(&made.keyed_scans), [70]);
        assert_eq!(max(&made.keyed_reads), [9000]);
        assert_eq!(max(&made.keyed_decisions), [9001]);
        assert_eq!((max(&made.live_reads), max(&made.keyed_live_reads)), (vec![120], vec![300]));
        // Without limits, a licence has none either.
        config.limits.enabled = false;
        let none = rate_limits(&config);
        for limits in [
            &none.scans,
            &none.reads,
            &none.keyed_scans,
            &none.keyed_reads,
            &none.keyed_decisions,
            &none.keyed_live_reads,
        ] {
            assert_eq!(max(limits), Vec::<u32>::new());
        }
    }
}
