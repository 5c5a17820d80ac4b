//! `wayleave conduct`: how agents behaved on a site, from the logs of its web server.

mod count;
mod own_rules;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::SearchableAgents;
use anyhow::{Context, Result, bail};
use contract::records::{ConductRecord, SiteChecks};
use contract::{Clock, Timestamp};
use door::SystemClock;
use judge::conduct::{AgentFacts, CountedAgent, RecordInputs, SiteRules, build_record};
use service::visitors::LocalChecker;

use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::output::sanitize_for_terminal;
use crate::{exit, logging, output, wiring};
use count::{LogCounts, count_logs};

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
        let rules = own_rules::load(args.robots.as_deref(), args.site.as_deref(), &scanner).await?;
        let agents = Arc::new(SearchableAgents::new(wiring::load_known_agents(&config)?));
        let checker = LocalChecker::fetch_all(agents, scanner.clone(), Arc::clone(&clock)).await;
        anyhow::Ok((checker, rules))
    })?;
    tell_faults(&checker.faults);
    let now = clock.now();
    let counts = count_logs(&args.files, checker.checker(), rules.as_ref(), now)?;
    let summary = counts.summary();
    let record = make_record(&config, &checker, rules.as_ref(), counts, now)?;
    if args.json {
        output::print_json(&record)?;
    } else if args.csv {
        output::print_bytes(table::csv(&record).as_bytes());
    } else {
        output::print_bytes(table::text(&record).as_bytes());
        output::print_line(&summary);
        output::print_line(&judged_by(&checker, rules.is_some()));
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
    rules: Option<&SiteRules>,
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
            // Names of addresses are not looked up, and logs have no signatures.
            facts: AgentFacts::by_addresses(checker.checker(), agent),
            counts,
            site_checks: SiteChecks { checked: 0, verified: 0, spoofed: 0 },
        })
    });
    let inputs = RecordInputs {
        kind: wiring::brand(config)?.kind("conduct"),
        generated_at: now.whole_seconds(),
        population,
        disallowed_rules: rules.map(|rules| rules.patterns.clone()).unwrap_or_default(),
        has_robots_txt: rules.is_some(),
        measured_since,
    };
    Ok(build_record(inputs, agents.collect()))
}

fn judged_by(checker: &LocalChecker, has_rules: bool) -> String {
    let lists = match checker.checker().oldest_feed() {
        Some(oldest) => format!(
            "Requests were judged by the address lists of {}, also those that are older.",
            oldest.whole_seconds()
        ),
        None => "No address list could be fetched, so no request could be verified.".to_owned(),
    };
    let paths = if has_rules {
        "Disallowed paths are those of your robots.txt as it is now."
    } else {
        "Disallowed paths were not counted: give your robots.txt with --robots or --site."
    };
    format!("{lists}\n{paths}")
}
