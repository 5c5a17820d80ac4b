//! `wayleave resolve`: decides what agents may do at a domain, by reading it from here or by asking a
//! server.

use std::sync::Arc;

use anyhow::{Context, Result};
use contract::records::{Decision, Delivery, ResolveAnswer, Section};
use contract::text::record_words::{describe_blocker, describe_comparison, spaced};
use door::SystemClock;

use super::config_in_force;
use super::remote::{self, KeyArg};
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
    #[command(flatten)]
    key: KeyArg,
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
                Some(server) => resolve_by_server(server, domain, &args.key).await?,
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
    let scanner = wiring::build_scanner(config, clock.clone())?;
    let domain = scanner.parse_domain(domain)?;
    Ok(scanner.resolve(&domain, &settings, clock.as_ref()).await?)
}

async fn resolve_by_server(server: &str, domain: &str, key: &KeyArg) -> Result<Vec<u8>> {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("domain", domain).finish();
    let address = format!("{}/api/v1/resolve?{query}", server.trim_end_matches('/'));
    remote::get_json(&address, key).await
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
            colour_for_terminal(tone, &format!("{:<21}", sanitize_for_terminal(decision.as_str()))),
            sanitize_for_terminal(why)
        ));
        if !doubts.is_empty() {
            let doubts: Vec<String> = doubts.iter().map(|doubt| spaced(doubt.as_str())).collect();
            let doubts = sanitize_for_terminal(&doubts.join(", "));
            output::print_line(&format!("             doubts: {doubts}"));
        }
    }
    for (name, state) in [
        ("crawl_policy", describe_section(&answer.crawl_policy)),
        ("delivery", describe_delivery(&answer.delivery)),
        ("text", describe_text(answer)),
        ("machine_files", describe_section(&answer.machine_files)),
        ("capabilities", describe_section(&answer.capabilities)),
        ("entity", describe_section(&answer.entity)),
        ("dns", describe_section(&answer.dns)),
        ("tls", describe_section(&answer.tls)),
    ] {
        output::print_line(&format!("  {name:<14}{}", sanitize_for_terminal(&state)));
    }
}

/// The state, and what was served instead of the page.
fn describe_delivery(section: &Section<Delivery>) -> String {
    let mut text = describe_section(section);
    let identities = section.body().map(|delivery| delivery.identities.as_slice());
    let identities = identities.unwrap_or_default();
    let mut instead: Vec<(String, Vec<&str>)> = Vec::new();
    for identity in identities {
        let Some(what) = describe_blocker(identity.blocker.as_deref(), None) else { continue };
        match instead.iter_mut().find(|(known, _)| *known == what) {
            Some((_, who)) => who.push(&identity.identity),
            None => instead.push((what, vec![&identity.identity])),
        }
    }
    for (what, who) in instead {
        let everyone = who.len() == identities.len();
        let who = if everyone { "every identity".to_owned() } else { who.join(", ") };
        text.push_str(&format!("; instead of the page: {what} ({who})"));
    }
    text
}

/// Whether AI identities get the text that people get.
fn describe_text(answer: &ResolveAnswer) -> String {
    let comparison = &answer.read_equivalence;
    if !comparison.observed {
        return "not compared".to_owned();
    }
    let verdict = describe_comparison(&comparison.verdict, None)
        .unwrap_or_else(|| spaced(comparison.verdict.as_str()));
    match &comparison.ai_identities_served {
        Some(served) => format!("{verdict}; {served} AI identities got the page"),
        None => verdict,
    }
}

fn describe_section<T>(section: &Section<T>) -> String {
    match section {
        Section::NotMeasured { why, .. } => format!("not measured: {why}"),
        other => other.state().to_owned(),
    }
}
