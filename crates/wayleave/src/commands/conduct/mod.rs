//! `wayleave conduct`: how agents behaved on a site, from the logs of its web server.

mod count;
mod own_rules;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::verdict::{Method, VisitorChecker, verification_methods};
use agents::{KnownAgent, SearchableAgents};
use anyhow::{Context, Result, bail};
use contract::records::{ConductRecord, SiteChecks};
use contract::{Clock, Timestamp};
use door::SystemClock;
use judge::conduct::{AgentFacts, CountedAgent, RecordInputs, build_record};
use service::visitors::LocalChecker;

use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::output::sanitize_for_terminal;
use crate::{exit, logging, output, wiring};
use count::{LogCounts, count_logs};
use own_rules::OwnRules;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads access logs (combined format of nginx and Apache, JSON of Caddy, W3C format of IIS and \
                  CloudFront; plain, gzip or zstd) and counts by agent: requests from the addresses that its \
                  operator publishes, requests by others in its name, fetches of robots.txt and of paths that \
                  your robots.txt disallows, requests per minute.\n\
                  The lists of addresses are fetched now; old requests are judged by the lists of today. Nothing \
                  of the log leaves this process: addresses are not looked up in the DNS.\n\n\
                  Exit codes: 0 no violation was found, 1 an agent fetched disallowed paths, 2 a log could not be \
                  read."
)]
pub(crate) struct Args {
    /// Access logs; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Your robots.txt, which says what is disallowed
    #[arg(long, value_name = "FILE", conflicts_with = "site")]
    robots: Option<PathBuf>,
    /// Your domain: its robots.txt is fetched
    #[arg(long, value_name = "DOMAIN")]
    site: Option<String>,
    /// Print the record as JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a line of comma-separated values for each agent
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    if args.files.iter().filter(|file| *file == Path::new("-")).count() > 1 {
        bail!("standard input can be read only once");
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let scanner = wiring::build_scanner(&config, Arc::clone(&clock))?;
    let (checker, rules) = wiring::runtime()?.block_on(async {
        let rules = OwnRules::load(args.robots.as_deref(), args.site.as_deref(), &scanner).await?;
        let agents = Arc::new(SearchableAgents::new(wiring::load_known_agents(&config)?));
        let checker = LocalChecker::fetch_all(agents, scanner.clone(), Arc::clone(&clock)).await;
        anyhow::Ok((checker, rules))
    })?;
    tell_faults(&checker.faults);
    let now = clock.now();
    let counts = count_logs(&args.files, checker.checker(), &rules, now)?;
    let summary = counts.summary();
    let record = make_record(&config, &checker, &rules, counts, now)?;
    if args.json {
        output::print_json(&record)?;
    } else if args.csv {
        output::print_bytes(table::csv(&record).as_bytes());
    } else {
        output::print_bytes(table::text(&record).as_bytes());
        output::print_line(&summary);
        output::print_line(&judged_by(&checker, &rules));
    }
    std::io::stdout().flush().context("the output could not be written")?;
    let is_clean =
        record.agents.iter().all(|agent| agent.robots_txt.verdict.as_str() != "not_respected");
    Ok(if is_clean { exit::PASSED } else { exit::CHECK_FAILED })
}

/// Tells of the first lists that could not be fetched one by one, and how many others there are.
fn tell_faults(faults: &[(String, String)]) {
    const TOLD: usize = 3;
    for (feed, why) in faults.iter().take(TOLD) {
        output::print_note(&format!("{feed} could not be fetched: {}", sanitize_for_terminal(why)));
    }
    if faults.len() > TOLD {
        let others = faults.len() - TOLD;
        output::print_note(&format!(
            "{others} more address lists could not be fetched. Their agents are not assessed."
        ));
    }
}

fn make_record(
    config: &Config,
    checker: &LocalChecker,
    rules: &OwnRules,
    counts: LogCounts,
    now: Timestamp,
) -> Result<ConductRecord> {
    let known = checker.checker().agents();
    let measured_since = counts.first_seen.unwrap_or(now);
    let population = format!(
        "Requests by known agents in {} of access logs, from {} to {}, judged by the address lists of {}.",
        counts.files_text(),
        measured_since.whole_seconds(),
        counts.last_seen.unwrap_or(now).whole_seconds(),
        now.whole_seconds()
    );
    let agents = counts.agents.into_iter().filter_map(|(index, counts)| {
        let agent = known.agent(index)?;
        Some(CountedAgent {
            facts: AgentFacts {
                agent: agent.name.clone(),
                operator: agent.operator.clone(),
                purpose: agent.purpose.clone(),
                user_triggered: agent.user_triggered == Some(true),
                why_unverifiable: why_unverifiable(checker.checker(), agent),
            },
            counts,
            site_checks: SiteChecks { checked: 0, verified: 0, spoofed: 0 },
        })
    });
    let inputs = RecordInputs {
        kind: wiring::brand(config)?.kind("conduct"),
        generated_at: now.whole_seconds(),
        population,
        disallowed_rules: rules.patterns(),
        has_robots_txt: rules.is_known(),
        measured_since,
    };
    Ok(build_record(inputs, agents.collect()))
}

/// Names of addresses are not looked up, and logs have no signatures: only lists of addresses count.
fn why_unverifiable(checker: &VisitorChecker, agent: &KnownAgent) -> Option<String> {
    let known = checker.agents();
    if !verification_methods(known, agent).contains(&Method::AddressList) {
        return Some(AgentFacts::no_addresses(&agent.name, &agent.operator));
    }
    let is_loaded =
        |id: &String| known.feed_index(id).is_some_and(|index| checker.fetched_at(index).is_some());
    (!agent.feeds.iter().any(is_loaded)).then(|| {
        format!("The address list of {} could not be fetched, so nothing was verified.", agent.name)
    })
}

fn judged_by(checker: &LocalChecker, rules: &OwnRules) -> String {
    let lists = match checker.checker().oldest_feed() {
        Some(oldest) => format!(
            "Requests were judged by the address lists of {}, also those that are older.",
            oldest.whole_seconds()
        ),
        None => "No address list could be fetched, so no request could be verified.".to_owned(),
    };
    format!("{lists}\n{}", rules.sentence())
}
