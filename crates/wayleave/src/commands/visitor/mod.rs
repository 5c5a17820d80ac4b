//! `wayleave visitor`: whether a visitor is the agent that it claims to be.

mod check_log;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use agents::SearchableAgents;
use anyhow::{Context, Result};
use contract::Clock;
use contract::records::{VisitorResult, VisitorVerdict};
use door::SystemClock;
use service::visitors::{LocalChecker, VisitorDescription, parse_visitor_address};

use super::config_in_force;
use super::remote::{self, KeyArg};
use crate::config::{Config, ConfigArgs};
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Compares the visitor with the addresses and DNS names that the operators of agents publish.\n\
                  Without --url the lists of the named agents are fetched now. Nothing is stored.\n\
                  --log reads an access log (combined format of nginx and Apache, JSON of Caddy, W3C format of IIS and \
                  CloudFront; plain, gzip or zstd) and counts the verdicts by agent.\n\n\
                  Exit codes: 0 nobody is spoofed, 1 somebody is, 2 it could not be checked."
)]
pub(crate) struct Args {
    /// The visitor's user agent
    #[arg(long, value_name = "TEXT", required_unless_present = "log")]
    ua: Option<String>,
    /// The visitor's IP address
    #[arg(long, value_name = "ADDRESS", conflicts_with = "log")]
    ip: Option<String>,
    /// Check every visitor of this access log instead (`-` for standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "ua")]
    log: Option<PathBuf>,
    /// Ask the Wayleave server at this URL instead of fetching the lists from here
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    key: KeyArg,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        match &args.log {
            Some(file) => check_log::run(&config, file, &args).await,
            None => check_one(&config, &args).await,
        }
    })
}

async fn check_one(config: &Config, args: &Args) -> Result<u8> {
    let user_agent = args.ua.as_deref().unwrap_or_default();
    if let Some(server) = &args.url {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("ua", user_agent);
        if let Some(ip) = &args.ip {
            query.append_pair("ip", ip);
        }
        let address = format!("{}/api/v1/visitor?{}", server.trim_end_matches('/'), query.finish());
        let bytes = remote::get_json(&address, &args.key).await?;
        let result: VisitorResult =
            serde_json::from_slice(&bytes).context("the server sent no valid answer")?;
        if args.json {
            output::print_bytes(&bytes);
            output::print_line("");
        } else {
            print_result(&result);
        }
        return Ok(exit_code(&result.verdict));
    }
    let address = args.ip.as_deref().map(|ip| parse_visitor_address(ip, &[])).transpose()?;
    let agents = [user_agent.as_bytes()];
    let checker = local_checker(config, agents.into_iter()).await?;
    let result = check_locally(&checker, user_agent.as_bytes(), address).await;
    if args.json {
        output::print_json(&result)?;
    } else {
        print_result(&result);
    }
    Ok(exit_code(&result.verdict))
}

fn exit_code(verdict: &VisitorVerdict) -> u8 {
    if *verdict == VisitorVerdict::Spoofed { exit::CHECK_FAILED } else { exit::PASSED }
}

fn print_result(result: &VisitorResult) {
    let tone = match result.verdict {
        VisitorVerdict::Verified => Tone::Good,
        VisitorVerdict::Spoofed => Tone::Bad,
        VisitorVerdict::Unverifiable => Tone::Warning,
        _ => Tone::Faint,
    };
    let verdict = colour_for_terminal(tone, &result.verdict.as_str().replace('_', " "));
    let who = match (&result.claimed, &result.operator) {
        (Some(agent), Some(operator)) => format!("{agent} ({operator})"),
        _ => "visitor".to_owned(),
    };
    output::print_line(&format!("{}: {verdict}", sanitize_for_terminal(&who)));
    output::print_line(&format!("  {}", sanitize_for_terminal(&result.why)));
    for feed in &result.feeds {
        output::print_line(&format!("  checked: {}", sanitize_for_terminal(feed)));
    }
}

async fn local_checker<'a>(
    config: &Config,
    user_agents: impl Iterator<Item = &'a [u8]>,
) -> Result<LocalChecker> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let scanner = wiring::build_scanner(config, Arc::clone(&clock))?;
    let agents = Arc::new(SearchableAgents::new(wiring::load_known_agents(config)?));
    let checker = LocalChecker::fetch(agents, scanner, clock, user_agents).await;
    for (feed, why) in &checker.faults {
        output::print_note(&format!("{feed} could not be fetched: {}", sanitize_for_terminal(why)));
    }
    Ok(checker)
}

async fn check_locally(
    checker: &LocalChecker,
    user_agent: &[u8],
    address: Option<IpAddr>,
) -> VisitorResult {
    let visitor = VisitorDescription { user_agent, address, headers: None, authority: None };
    checker.check(visitor).await.to_result()
}
