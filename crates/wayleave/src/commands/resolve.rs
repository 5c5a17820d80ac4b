//! `wayleave resolve`: decides what agents may do at a domain, by reading it from here or by asking a
//! server.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::{Decision, ResolveAnswer, Section};
use door::{Door, SystemClock};
use service::{Scanner, SystemIds};

use super::{config_in_force, remote};
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints for each domain a decision per action (read, cite, connect, transact, administer) with the \
                  reason, and the state of each section of the evidence.\n\
                  Without --url this program reads the sites itself: the answers are not signed or logged.\n\n\
                  Exit codes: 0 every domain may be read (allow or warn), 1 at least one may not, 2 at least one \
                  could not be checked."
)]
pub(crate) struct Args {
    /// Domains or URLs
    #[arg(required = true)]
    domains: Vec<String>,
    /// Ask the Wayleave server at this URL instead of reading the sites from here
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Print the whole answers as JSON, one per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        let mut worst = exit::PASSED;
        for domain in &args.domains {
            let bytes = match &args.url {
                Some(server) => resolve_by_server(server, domain).await?,
                None => serde_json::to_vec(&resolve_from_here(&config, domain).await?.0)?,
            };
            let answer: ResolveAnswer =
                serde_json::from_slice(&bytes).context("the server sent no valid answer")?;
            if args.json {
                output::print_bytes(&bytes);
                output::print_line("");
            } else {
                print_answer(&answer);
            }
            if !is_allow_or_warn(&answer.actions.read.decision) {
                worst = exit::CHECK_FAILED;
            }
        }
        Ok(worst)
    })
}

/// Reads the site from here. Returns the answer, and robots.txt if it was read.
pub(super) async fn resolve_from_here(
    config: &crate::config::Config,
    domain: &str,
) -> Result<(ResolveAnswer, Option<bytes::Bytes>)> {
    let clock = Arc::new(SystemClock);
    let settings = wiring::service_settings(config)?;
    let door = Door::new(wiring::network_policy(&config.network)?, clock.clone())?;
    let catalogue = wiring::load_catalogue(config)?;
    let scanner =
        Scanner::new(settings.scanner(), door, catalogue, clock.clone(), Arc::new(SystemIds));
    let domain = scanner.parse_domain(domain)?;
    Ok(scanner.resolve(&domain, &settings, clock.as_ref()).await?)
}

async fn resolve_by_server(server: &str, domain: &str) -> Result<Vec<u8>> {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("domain", domain).finish();
    let address = format!("{}/api/v1/resolve?{query}", server.trim_end_matches('/'));
    let (status, bytes) = remote::get_with_status(&address).await?;
    if status != 200 {
        bail!(
            "the server answered with status {status}: {}",
            sanitize_for_terminal(&remote::error_sentence(&bytes))
        );
    }
    Ok(bytes)
}

/// Whether a careful agent may proceed.
fn is_allow_or_warn(decision: &Decision) -> bool {
    matches!(decision, Decision::Allow | Decision::Warn)
}

fn print_answer(answer: &ResolveAnswer) {
    let host = answer.subject.host.as_deref().unwrap_or("no host");
    output::print_line(&colour_for_terminal(
        Tone::Strong,
        &format!("{} ({})", answer.domain, sanitize_for_terminal(host)),
    ));
    let age = match answer.freshness.age_hours {
        None => "not observed".to_owned(),
        Some(0) => "read within the last hour".to_owned(),
        Some(hours) => format!("read {hours} h ago"),
    };
    output::print_line(&format!("  {}, assurance {}, {age}", answer.status, answer.assurance));
    let actions = &answer.actions;
    let cite = (&actions.cite.decision, &actions.cite.why, &actions.cite.doubts);
    for (name, decision, why, doubts) in [
        ("read", &actions.read.decision, &actions.read.why, &actions.read.doubts),
        ("cite", cite.0, cite.1, cite.2),
        ("connect", &actions.connect.decision, &actions.connect.why, &actions.connect.doubts),
        ("transact", &actions.transact.decision, &actions.transact.why, &actions.transact.doubts),
        (
            "administer",
            &actions.administer.decision,
            &actions.administer.why,
            &actions.administer.doubts,
        ),
    ] {
        let tone = match decision {
            Decision::Allow => Tone::Good,
            Decision::Warn | Decision::RequireConfirmation => Tone::Warning,
            _ => Tone::Bad,
        };
        output::print_line(&format!(
            "  {name:<11}{} {}",
            colour_for_terminal(tone, &format!("{decision:<21}")),
            sanitize_for_terminal(why)
        ));
        if !doubts.is_empty() {
            let doubts: Vec<&str> = doubts.iter().map(|doubt| doubt.as_str()).collect();
            output::print_line(&format!("             doubts: {}", doubts.join(", ")));
        }
    }
    for (name, state) in [
        ("crawl_policy", describe_section(&answer.crawl_policy)),
        ("delivery", describe_section(&answer.delivery)),
        ("machine_files", describe_section(&answer.machine_files)),
        ("capabilities", describe_section(&answer.capabilities)),
        ("entity", describe_section(&answer.entity)),
        ("dns", describe_section(&answer.dns)),
        ("tls", describe_section(&answer.tls)),
    ] {
        output::print_line(&format!("  {name:<14}{}", sanitize_for_terminal(&state)));
    }
}

fn describe_section<T>(section: &Section<T>) -> String {
    match section {
        Section::NotMeasured { why, .. } => format!("not measured: {why}"),
        other => other.state().to_owned(),
    }
}
