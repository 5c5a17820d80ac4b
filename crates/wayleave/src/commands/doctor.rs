//! `wayleave doctor`: what is wrong with this set-up.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use contract::Clock;
use contract::records::Build;
use door::{Door, RecordType, SystemClock, operator};
use serde::Serialize;
use service::build::{BUILDS_PATH, BuildRules, ThisBuild, running_executable};
use store::Store;
use store_sqlite::{SqliteOptions, SqliteStore};

use super::in_force;
use crate::config::{Config, ConfigArgs};
use crate::output::{Tone, toned};
use crate::{built, exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 nothing is wrong, 1 something is.")]
pub(crate) struct Args {
    /// A name that must resolve, to try the resolver with
    #[arg(long, default_value = "iana.org")]
    probe: String,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    says: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Good,
    /// Works, and may not be what you want.
    Doubt,
    Bad,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let checks = match in_force(&args.config) {
        Ok(config) => {
            let mut checks = vec![good("configuration", "valid".to_owned())];
            checks.extend(wiring::runtime()?.block_on(examine(&config, &args.probe)));
            checks
        }
        Err(error) => vec![bad("configuration", format!("{error:#}"))],
    };
    if args.json {
        output::json(&checks)?;
    } else {
        for check in &checks {
            let (tone, word) = match check.state {
                State::Good => (Tone::Good, "good "),
                State::Doubt => (Tone::Doubt, "doubt"),
                State::Bad => (Tone::Bad, "BAD  "),
            };
            output::line(&format!("{} {}: {}", toned(tone, word), check.name, check.says));
        }
    }
    let sick = checks.iter().any(|check| check.state == State::Bad);
    Ok(if sick { exit::BAD } else { exit::GOOD })
}

async fn examine(config: &Config, probe: &str) -> Vec<Check> {
    let mut checks = vec![clock(), listen(config).await, base_url(config), identities(config)];
    checks.push(store(config).await);
    checks.push(keys(config));
    checks.push(build(config).await);
    checks.push(policy(config));
    checks.push(resolver(config, probe).await);
    checks
}

/// A clock far behind this build would date evidence and signatures wrongly.
fn clock() -> Check {
    const BUILT_AFTER: &str = "2026-11-01T00:00:00Z";
    let now = SystemClock.now();
    if BUILT_AFTER.parse().is_ok_and(|after: contract::Timestamp| now < after) {
        return bad("clock", format!("it says {now}, which is before this program was written"));
    }
    good("clock", format!("it says {}", now.whole_seconds()))
}

async fn listen(config: &Config) -> Check {
    let address = config.server.listen;
    match tokio::net::TcpListener::bind(address).await {
        Ok(_) if address.ip().is_loopback() => {
            good("server.listen", format!("{address} is free; only this machine can reach it"))
        }
        Ok(_) => doubt(
            "server.listen",
            format!("{address} is free and not loopback: put TLS in front of it"),
        ),
        Err(error) => doubt(
            "server.listen",
            format!("{address} cannot be served on ({error}); a service may be running"),
        ),
    }
}

fn base_url(config: &Config) -> Check {
    let url = config.base_url();
    if url.starts_with("https://") {
        good("server.base_url", url)
    } else {
        doubt("server.base_url", format!("{url} is not https: signed records will point there"))
    }
}

fn identities(config: &Config) -> Check {
    match wiring::catalogue(config) {
        Ok(catalogue) => good(
            "agents.catalogue",
            format!(
                "{} identities, {} of AI",
                catalogue.identities().len(),
                catalogue.ai().count()
            ),
        ),
        Err(error) => bad("agents.catalogue", format!("{error:#}")),
    }
}

async fn store(config: &Config) -> Check {
    let folder = config.data_dir();
    if !folder.exists() {
        return doubt(
            "store",
            format!("{} is not there yet; the first start makes it", folder.display()),
        );
    }
    match SqliteStore::open(&folder, SqliteOptions::default()) {
        Ok(store) => match store.check().await {
            Ok(()) => good(
                "store",
                format!("{} works, schema {}", store.engine(), store.schema_version()),
            ),
            Err(error) => bad("store", error.to_string()),
        },
        Err(store::StoreError::InUse { place }) => doubt(
            "store",
            format!("{place} is in use: a service is running, and nobody else may write"),
        ),
        Err(error) => bad("store", error.to_string()),
    }
}

fn keys(config: &Config) -> Check {
    if !config.data_dir().join(wiring::KEYS_FOLDER).exists() {
        return doubt("keys", "not there yet; the first start makes them".to_owned());
    }
    match wiring::keys(config) {
        Ok(keys) => {
            let active =
                keys.ring().records().iter().filter(|key| key.stopped_signing_at.is_none()).count();
            good("keys", format!("{active} in use, {} in all", keys.ring().records().len()))
        }
        Err(error) => bad("keys", format!("{error:#}")),
    }
}

/// Holds this program against the build log of the service that runs. Only that service may read
/// its store while it runs, so it is asked.
async fn build(config: &Config) -> Check {
    let executable = match running_executable() {
        Ok(executable) => executable,
        Err(error) => return bad("build", format!("the running program cannot be read: {error}")),
    };
    let this = wiring::brand(config).and_then(|brand| {
        let rules = BuildRules::compiled_in();
        Ok(ThisBuild::new(built::facts(), Some(executable), rules, &brand)?)
    });
    let this = match this {
        Ok(this) => this,
        Err(error) => return bad("build", format!("{error:#}")),
    };
    let named = format!("build {}, program SHA-256 {}", this.version_id(), executable.sha256);
    let url = format!("{}{BUILDS_PATH}{}", config.base_url(), this.version_id());
    let answer = tokio::time::timeout(Duration::from_secs(5), operator::call("GET", &url, None));
    let answer = match answer.await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) | Err(_) => {
            let url = config.base_url();
            return doubt("build", format!("{named}; no service answers at {url} to compare with"));
        }
    };
    let record: Option<Build> = serde_json::from_slice(&answer.body).ok();
    match (answer.status, record.and_then(|record| record.build_log_entry)) {
        (200, Some(entry)) => good("build", format!("same as entry {entry} of the log: {named}")),
        (200, None) => {
            doubt("build", format!("not logged yet: the service runs this program, {named}"))
        }
        (404, _) => doubt(
            "build",
            format!("differs: the service runs another program, and its log has no {named}"),
        ),
        (status, _) => doubt("build", format!("{named}; the service answered {status}")),
    }
}

fn policy(config: &Config) -> Check {
    match wiring::policy(&config.network) {
        Ok(policy) if policy.is_public() => good("network", "the public internet, nothing let through".to_owned()),
        Ok(_) => doubt("network", "networks, names or ports are let through that are refused by default: never serve strangers with this".to_owned()),
        Err(error) => bad("network", format!("{error:#}")),
    }
}

async fn resolver(config: &Config, probe: &str) -> Check {
    let door = wiring::policy(&config.network)
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
                "{} answered for {probe} in {} ms, {} DNSSEC validation",
                reading.resolver,
                reading.took_ms,
                if ad { "with" } else { "without" }
            );
            good("network.resolver", says)
        }
        Some(rcode) => {
            bad("network.resolver", format!("{} answered {rcode} for {probe}", reading.resolver))
        }
        None => bad("network.resolver", format!("{} did not answer for {probe}", reading.resolver)),
    }
}

fn good(name: &'static str, says: String) -> Check {
    Check { name, state: State::Good, says }
}

fn doubt(name: &'static str, says: String) -> Check {
    Check { name, state: State::Doubt, says }
}

fn bad(name: &'static str, says: String) -> Check {
    Check { name, state: State::Bad, says }
}
