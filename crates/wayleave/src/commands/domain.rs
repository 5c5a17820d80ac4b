//! `wayleave domain`: shows what the registry says about a domain, by asking it from here or by asking a server.

use std::sync::Arc;

use anyhow::{Context, Result};
use contract::Timestamp;
use contract::records::{DomainRecord, RegistryState};
use door::SystemClock;

use super::config_in_force;
use super::remote::{self, KeyArg};
use crate::config::{Config, ConfigArgs};
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints registrar, dates, status, name servers and DNSSEC as the registry gives them (RDAP), and the \
                  timeline of the domain. Details about registrants are never requested.\n\
                  Without --url this program asks the registry itself: the record is not signed, and its timeline has \
                  only the registration.\n\n\
                  Exit codes: 0 registered, 1 not registered, 2 could not be read."
)]
pub(crate) struct Args {
    /// Domain or URL
    domain: String,
    /// Ask the Wayleave server at this URL instead of the registry
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    key: KeyArg,
    /// Print the whole record as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        let bytes = match &args.url {
            Some(server) => ask_server(server, &args.domain, &args.key).await?,
            None => serde_json::to_vec(&ask_registry(&config, &args.domain).await?)?,
        };
        let record: DomainRecord =
            serde_json::from_slice(&bytes).context("the server sent no valid record")?;
        if args.json {
            output::print_bytes(&bytes);
            output::print_line("");
        } else {
            print_record(&record);
        }
        Ok(match record.registry.state {
            RegistryState::Observed => exit::PASSED,
            RegistryState::NotRegistered => exit::CHECK_FAILED,
            _ => exit::COULD_NOT_CHECK,
        })
    })
}

async fn ask_registry(config: &Config, domain: &str) -> Result<DomainRecord> {
    let clock = Arc::new(SystemClock);
    let settings = wiring::service_settings(config)?;
    let scanner = wiring::build_scanner(config, clock.clone())?;
    let domain = scanner.parse_domain(domain)?;
    Ok(scanner.domain_record(&domain, &settings, clock.as_ref()).await)
}

async fn ask_server(server: &str, domain: &str, key: &KeyArg) -> Result<Vec<u8>> {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("domain", domain).finish();
    let address = format!("{}/api/v1/domain?{query}", server.trim_end_matches('/'));
    remote::get_json(&address, key).await
}

fn print_record(record: &DomainRecord) {
    let registry = &record.registry;
    let (tone, state) = match &registry.state {
        RegistryState::Observed => (Tone::Good, "registered"),
        RegistryState::NotRegistered => (Tone::Bad, "not registered"),
        RegistryState::NotAvailable => (Tone::Warning, "no registration data available"),
        _ => (Tone::Warning, "not read"),
    };
    output::print_line(&format!(
        "{} {}",
        colour_for_terminal(Tone::Strong, registry.registered_domain.as_str()),
        colour_for_terminal(tone, state)
    ));
    if let Some(why) = &registry.why {
        output::print_line(&format!("  {}", sanitize_for_terminal(why)));
    }
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let list = |items: &[String]| (!items.is_empty()).then(|| items.join(", "));
    for (name, value) in [
        ("registrar", registry.registrar.clone()),
        ("IANA id", registry.registrar_iana_id.clone()),
        ("created", time(registry.created)),
        ("expires", time(registry.expires)),
        ("changed", time(registry.changed)),
        ("status", list(&registry.status)),
        ("nameservers", list(&registry.nameservers)),
        ("dnssec", registry.dnssec.map(|signed| if signed { "on" } else { "off" }.to_owned())),
        ("source", registry.source.clone()),
    ] {
        if let Some(value) = value {
            output::print_line(&format!("  {name:<12}{}", sanitize_for_terminal(&value)));
        }
    }
    for entry in &record.timeline {
        let line = format!("{} {} ({})", entry.at, entry.detail, entry.source);
        output::print_line(&format!("  {}", sanitize_for_terminal(&line)));
    }
    if record.has_more {
        output::print_line("  There are older entries; the API lists them page by page.");
    }
}
