//! `wayleave doctor`: checks an installation and says what to fix.

mod key_state;
mod licences;
mod local_state;
mod tls;

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use contract::Clock;
use contract::records::Build;
use door::operator::CallError;
use door::{Door, RecordType, SystemClock, operator};
use serde::Serialize;
use service::log::builds::{BUILDS_PATH, BuildRules, RunningBuild, running_executable};
use service::visitors::{FeedCopies, FeedHealth, FeedReport};
use store::{Store, StoreError};
use store_sqlite::{SchemaVersions, SqliteStore};

use self::key_state::FoundKeys;
use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::output::{Tone, colour_for_terminal};
use crate::{build_info, exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Checks configuration, clock, port, base URL, TLS certificate, identities, lists of agents, store, disk, permissions, keys, log, build, \
                  network policy and DNS, and prints one line for each: ok, warning (works, but may not be what you \
                  want) or FAILED, with what to do. Works beside a running server. Changes nothing: it creates no store \
                  and no keys, migrates nothing, and finishes no key rotation.\n\
                  With --ready, only asks the server on this machine whether it is ready (for health checks).\n\n\
                  Exit codes: 0 no check failed (there may be warnings), 1 at least one check failed."
)]
pub(crate) struct Args {
    /// A domain that must exist, used to test the DNS resolver
    #[arg(long, default_value = "iana.org")]
    probe: String,
    /// Only ask the running server on this machine whether it is ready
    #[arg(long)]
    ready: bool,
    /// Print the checks as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, Serialize)]
struct DoctorCheck {
    name: &'static str,
    state: CheckState,
    says: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckState {
    Good,
    /// Works, but may not be what the operator wants.
    Doubt,
    Bad,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let checks = match config_in_force(&args.config) {
        Ok(config) => {
            let runtime = wiring::runtime()?;
            if args.ready {
                vec![runtime.block_on(check_ready(&config))]
            } else {
                let mut checks = vec![good("configuration", "valid".to_owned())];
                checks.extend(runtime.block_on(run_checks(&config, &args.probe)));
                checks
            }
        }
        Err(error) => vec![bad("configuration", format!("{error:#}"))],
    };
    if args.json {
        output::print_json(&checks)?;
    } else {
        for check in &checks {
            let (tone, word) = match check.state {
                CheckState::Good => (Tone::Good, "ok     "),
                CheckState::Doubt => (Tone::Warning, "warning"),
                CheckState::Bad => (Tone::Bad, "FAILED "),
            };
            output::print_line(&format!(
                "{} {}: {}",
                colour_for_terminal(tone, word),
                check.name,
                check.says
            ));
        }
    }
    let any_failed = checks.iter().any(|check| check.state == CheckState::Bad);
    Ok(if any_failed { exit::CHECK_FAILED } else { exit::PASSED })
}

async fn run_checks(config: &Config, probe: &str) -> Vec<DoctorCheck> {
    let mut checks = vec![
        check_clock(config),
        check_listen_address(config).await,
        check_base_url(config),
        check_catalogue(config),
        check_feeds(config),
        check_registry(config),
    ];
    checks.extend(tls::check_tls(config));
    checks.extend(check_metrics_address(config));
    checks.push(check_store(config));
    checks.extend(licences::check_plans(config).await);
    checks.extend(local_state::check_disks(config));
    checks.push(local_state::check_permissions(config));
    checks.push(check_keys(config));
    checks.push(local_state::check_log(config).await);
    checks.push(check_build(config).await);
    checks.push(check_network_policy(config));
    checks.push(check_resolver(config, probe).await);
    checks
}

/// Asks the server that this configuration describes.
async fn check_ready(config: &Config) -> DoctorCheck {
    let (address, encrypted) = (local_address(config), config.speaks_tls());
    let url = format!("{}://{address}/readyz", if encrypted { "https" } else { "http" });
    let patience = Duration::from_secs(4);
    match operator::ask_own_server(address, encrypted, "/readyz", patience).await {
        Ok(answer) if answer.status == 200 => good("ready", format!("{url} answers 200")),
        Ok(answer) => {
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            let body = output::sanitize_for_terminal(&body);
            bad("ready", format!("{url} answers {}: {body}", answer.status))
        }
        Err(CallError::Timeout(_)) => bad("ready", format!("{url} did not answer within 4 s")),
        Err(error) => bad("ready", format!("{url}: {error}; is the server running?")),
    }
}

/// Where the server can be reached from this machine.
fn local_address(config: &Config) -> SocketAddr {
    let mut address = config.server.listen;
    if address.ip().is_unspecified() {
        let loopback =
            if address.is_ipv4() { [127, 0, 0, 1].into() } else { IpAddr::V6(Ipv6Addr::LOCALHOST) };
        address.set_ip(loopback);
    }
    address
}

/// A clock that is far behind would put wrong times on evidence and signatures.
fn check_clock(config: &Config) -> DoctorCheck {
    const BUILT_AFTER: &str = "2026-11-01T00:00:00Z";
    let now = SystemClock.now();
    if BUILT_AFTER.parse().is_ok_and(|after: contract::Timestamp| now < after) {
        return bad(
            "clock",
            format!(
                "the system clock says {now}, which is before this version was written; set it"
            ),
        );
    }
    if let Some(written) = local_state::last_write(config)
        && written.millis_since(now) > MAX_CLOCK_ERROR_MS
    {
        return bad(
            "clock",
            format!(
                "the system clock says {}, but the store was written at {}. The clock was set back, or was ahead then: \
                 set it (NTP) before the server signs anything",
                now.whole_seconds(),
                written.whole_seconds()
            ),
        );
    }
    good("clock", format!("the system clock says {}", now.whole_seconds()))
}

/// Clocks that are set by NTP differ by less.
const MAX_CLOCK_ERROR_MS: i64 = 60_000;

async fn check_listen_address(config: &Config) -> DoctorCheck {
    let address = config.server.listen;
    match tokio::net::TcpListener::bind(address).await {
        Ok(_) if address.ip().is_loopback() => {
            good("server.listen", format!("{address} is free; only this machine can connect to it"))
        }
        Ok(_) if config.speaks_tls() => good(
            "server.listen",
            format!("{address} is free and reachable from other machines, which must use HTTPS"),
        ),
        Ok(_) => doubt(
            "server.listen",
            format!(
                "{address} is free and reachable from other machines; put a TLS proxy in front of it, or set \
                 server.tls_cert and server.tls_key"
            ),
        ),
        Err(error) => doubt(
            "server.listen",
            format!(
                "cannot listen on {address} ({error}); the service may already be running there"
            ),
        ),
    }
}

fn check_base_url(config: &Config) -> DoctorCheck {
    let url = config.base_url();
    if url.starts_with("https://") {
        good("server.base_url", url)
    } else {
        doubt(
            "server.base_url",
            format!(
                "{url} is not https; signed records will contain links to it. Set server.base_url to the public https URL"
            ),
        )
    }
}

fn check_catalogue(config: &Config) -> DoctorCheck {
    match wiring::load_catalogue(config) {
        Ok(catalogue) => good(
            "agents.catalogue",
            format!(
                "{} identities, {} of them AI agents",
                catalogue.identities().len(),
                catalogue.ai_identities().count()
            ),
        ),
        Err(error) => bad("agents.catalogue", format!("{error:#}")),
    }
}

/// Whether registration data of domains is read.
fn check_registry(config: &Config) -> DoctorCheck {
    const NAME: &str = "registry.bootstrap";
    match config.registry.settings().bootstrap {
        Some(url) => {
            let hours = config.registry.cache_hours;
            good(
                NAME,
                format!("registries are listed at {url}; registrations are kept for {hours} h"),
            )
        }
        None => doubt(
            NAME,
            "it is empty: registration data of domains is not read, and /api/v1/domain says so"
                .to_owned(),
        ),
    }
}

/// The known agents, and how old the lists are by which they are verified.
fn check_feeds(config: &Config) -> DoctorCheck {
    const NAME: &str = "agents.feeds";
    let known = match wiring::load_known_agents(config) {
        Ok(known) => known,
        Err(error) => return bad("agents.known", format!("{error:#}")),
    };
    if !config.agents.fetch_feeds {
        let says = "agents.fetch_feeds is off: visitors are verified by the stored lists only, which grow old";
        return doubt(NAME, says.to_owned());
    }
    let stored = match store_sqlite::stored_feeds(&config.data_dir()) {
        Ok(stored) => stored,
        Err(error) => return bad(NAME, error.to_string()),
    };
    let reports = FeedCopies::from_stored(&known, &stored, SystemClock.now()).reports;
    let is_due =
        |report: &&FeedReport| matches!(report.health, FeedHealth::Old | FeedHealth::NeverFetched);
    let due: Vec<&str> = reports
        .iter()
        .filter(is_due)
        .filter_map(|report| known.feed(report.feed))
        .map(|feed| feed.id.as_str())
        .collect();
    let some = due.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    match reports.iter().filter_map(|report| report.fetched_at).min() {
        _ if due.is_empty() => {
            good(NAME, format!("{} lists of addresses, none too old", reports.len()))
        }
        None => doubt(
            NAME,
            "no list of addresses was fetched yet; `wayleave serve` fetches them".to_owned(),
        ),
        Some(_) => doubt(
            NAME,
            format!(
                "{} of {} lists of addresses are missing or too old ({some}{}), so they deny nobody: \
                 `wayleave agents feeds` says why",
                due.len(),
                reports.len(),
                if due.len() > 3 { ", …" } else { "" }
            ),
        ),
    }
}

/// The metrics at their own address have no rate limit, and tell others what this service does.
fn check_metrics_address(config: &Config) -> Option<DoctorCheck> {
    const NAME: &str = "server.metrics_listen";
    let address = config.server.metrics_listen?;
    Some(if address.ip().is_loopback() {
        good(NAME, format!("{address}: only this machine can read the metrics"))
    } else {
        doubt(
            NAME,
            format!(
                "other machines may be able to read the metrics at {address}, without a rate limit; use a loopback \
                 address, or let a firewall admit only your monitoring"
            ),
        )
    })
}

/// Reads the schema version. Whether the store can be written is not tried: this command changes nothing.
fn check_store(config: &Config) -> DoctorCheck {
    const NAME: &str = "store";
    let folder = config.data_dir();
    if !folder.exists() {
        return doubt(
            NAME,
            format!("{} does not exist yet; `wayleave serve` creates it", folder.display()),
        );
    }
    match store_sqlite::schema_versions(&folder) {
        Ok(None) => {
            let shown = folder.display();
            return doubt(NAME, format!("no store in {shown} yet; `wayleave serve` creates it"));
        }
        Ok(Some(SchemaVersions { found, known })) if found != known => {
            return doubt(
                NAME,
                format!(
                    "schema version {found}; `wayleave serve` of this version changes it to {known}, and earlier \
                     versions can then no longer open the store. Make a backup first (`wayleave backup`)"
                ),
            );
        }
        Ok(Some(_)) => {}
        Err(error) => return bad(NAME, error.to_string()),
    }
    match SqliteStore::open_read_only(&folder) {
        Ok(store) => good(
            NAME,
            format!("{} can be read, schema version {}", store.engine(), store.schema_version()),
        ),
        Err(StoreError::InUse { place }) => doubt(
            NAME,
            format!(
                "{place} is in use by a running service; /readyz of the service says whether it can be written"
            ),
        ),
        Err(error) => bad(NAME, error.to_string()),
    }
}

fn check_keys(config: &Config) -> DoctorCheck {
    const NAME: &str = "keys";
    match key_state::read_keys(config) {
        Ok(FoundKeys::NoneYet) => {
            doubt(NAME, "no keys yet; the server makes them at its first start".to_owned())
        }
        Ok(FoundKeys::Unfinished(why)) => doubt(NAME, why),
        Ok(FoundKeys::Complete(keys)) => {
            let active =
                keys.ring().records().iter().filter(|key| key.stopped_signing_at.is_none()).count();
            good(NAME, format!("{active} active, {} in total", keys.ring().records().len()))
        }
        Err(error) => bad(NAME, format!("{error:#}")),
    }
}

/// Compares this binary with the builds that the running service has logged. A running service has
/// exclusive access to its store, so the question goes over HTTP.
async fn check_build(config: &Config) -> DoctorCheck {
    let executable = match running_executable() {
        Ok(executable) => executable,
        Err(error) => return bad("build", format!("cannot read the running binary: {error}")),
    };
    let this = wiring::brand(config).and_then(|brand| {
        let rules = BuildRules::compiled_in();
        Ok(RunningBuild::new(build_info::build_facts(), Some(executable), rules, &brand)?)
    });
    let this = match this {
        Ok(this) => this,
        Err(error) => return bad("build", format!("{error:#}")),
    };
    let named = format!("build {}, binary SHA-256 {}", this.version_id(), executable.sha256);
    let path = format!("{BUILDS_PATH}{}", this.version_id());
    let url = format!("{}{path}", config.base_url());
    let patience = Duration::from_secs(5);
    let answer = async {
        if config.speaks_tls() {
            // The authority of its certificate may be one that only its clients know.
            return operator::ask_own_server(local_address(config), true, &path, patience).await;
        }
        operator::call_json("GET", &url, None, None).await
    };
    let answer = match tokio::time::timeout(patience, answer).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) | Err(_) => {
            let url = config.base_url();
            return doubt("build", format!("{named}; not compared: no service answers at {url}"));
        }
    };
    let record: Option<Build> = serde_json::from_slice(&answer.body).ok();
    match (answer.status, record.and_then(|record| record.build_log_entry)) {
        (200, Some(entry)) => good("build", format!("same as log entry {entry}: {named}")),
        (200, None) => {
            doubt("build", format!("not logged yet: the service runs this binary, {named}"))
        }
        (404, _) => doubt(
            "build",
            format!(
                "differs: the service runs another binary, and its log does not contain {named}"
            ),
        ),
        (status, _) => doubt("build", format!("{named}; the service answered {status}")),
    }
}

fn check_network_policy(config: &Config) -> DoctorCheck {
    match wiring::network_policy(&config.network) {
        Ok(policy) if policy.is_public() => good("network", "public internet only; no exceptions allowed".to_owned()),
        Ok(_) => doubt("network", "the configuration allows networks, names or ports that are refused by default; do not expose this server to the public".to_owned()),
        Err(error) => bad("network", format!("{error:#}")),
    }
}

async fn check_resolver(config: &Config, probe: &str) -> DoctorCheck {
    let door = wiring::network_policy(&config.network)
        .and_then(|policy| Ok(Door::new(policy, Arc::new(SystemClock))?));
    let door = match door {
        Ok(door) => door,
        Err(error) => return bad("network.resolver", format!("{error:#}")),
    };
    let visit = door.visit(Duration::from_secs(5));
    let reading = visit.look_up(probe, &[RecordType::A]).await;
    let answer = reading.answers.first();
    match answer.and_then(|answer| answer.rcode.as_deref()) {
        Some("NOERROR") if answer.is_some_and(|a| !a.records.is_empty()) => {
            let ad = answer.is_some_and(|a| a.authenticated_data);
            let says = format!(
                "{} resolved {probe} in {} ms, {} DNSSEC validation",
                reading.resolver,
                reading.took_ms,
                if ad { "with" } else { "without" }
            );
            good("network.resolver", says)
        }
        Some(rcode) => {
            bad("network.resolver", format!("{} answered {rcode} for {probe}", reading.resolver))
        }
        None => bad(
            "network.resolver",
            format!(
                "{} did not answer for {probe}; check network.resolver and the firewall",
                reading.resolver
            ),
        ),
    }
}

fn good(name: &'static str, says: String) -> DoctorCheck {
    DoctorCheck { name, state: CheckState::Good, says }
}

fn doubt(name: &'static str, says: String) -> DoctorCheck {
    DoctorCheck { name, state: CheckState::Doubt, says }
}

fn bad(name: &'static str, says: String) -> DoctorCheck {
    DoctorCheck { name, state: CheckState::Bad, says }
}
