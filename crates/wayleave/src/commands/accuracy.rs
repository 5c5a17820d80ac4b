//! `wayleave accuracy`: what AI engines say about a business, measured from here or as a server recorded it.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::{AccuracyCheck, AccuracyHistory, AccuracyRecord, AccuracyVerdict};
use door::SystemClock;

use super::config_in_force;
use super::remote::{self, KeyArg};
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Read a site, ask the configured engines about it, and compare. Nothing is stored
    Run(RunArgs),
    /// Show what a server recorded about a domain
    Show(ShowArgs),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Engines are configured by accuracy.engines. A server measures domains whose owners have proven control \
                  once a day by itself; this command is for trying an engine.\n\n\
                  Exit codes: 0 nothing is wrong, 1 an engine is wrong, 2 could not be measured."
)]
struct RunArgs {
    /// Domain or URL of the business
    domain: String,
    /// Ask only this engine
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Print the records as JSON, one per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 nothing is wrong, 1 an engine is wrong, 2 could not be shown."
)]
struct ShowArgs {
    /// Domain or URL of the business
    domain: String,
    /// The Wayleave server
    #[arg(long, value_name = "URL")]
    url: String,
    /// The record of this engine, instead of the newest of any
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// The verdicts of so many days
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=400))]
    days: Option<u32>,
    #[command(flatten)]
    key: KeyArg,
    /// Print what the server sent
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    match args.command {
        Command::Run(args) => measure(&args),
        Command::Show(args) => wiring::runtime()?.block_on(show(&args)),
    }
}

fn measure(args: &RunArgs) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    let settings = wiring::service_settings(&config)?;
    let wanted = |name: &str| args.engine.as_deref().is_none_or(|engine| engine == name);
    let engines = wiring::engines(&config)?;
    let engines: Vec<_> = engines.iter().filter(|engine| wanted(&engine.name)).collect();
    if engines.is_empty() {
        bail!("no such engine is configured: see accuracy.engines in `wayleave config`");
    }
    wiring::runtime()?.block_on(async {
        let clock = Arc::new(SystemClock);
        let scanner = wiring::build_scanner(&config, clock.clone())?;
        let domain = scanner.parse_domain(&args.domain)?;
        let facts = scanner.read_published_facts(&domain, &settings).await?;
        let mut worst = exit::PASSED;
        for engine in engines {
            match scanner.measure_engine(&facts, engine, &settings, clock.as_ref()).await {
                Ok(record) => {
                    if args.json {
                        output::print_json(&serde_json::to_value(&record)?)?;
                    } else {
                        print_record(&record);
                    }
                    if !record.wrong.is_empty() {
                        worst = worst.max(exit::CHECK_FAILED);
                    }
                }
                Err(error) => {
                    output::print_note(&format!("{}: {error}", engine.name));
                    worst = exit::COULD_NOT_CHECK;
                }
            }
        }
        Ok(worst)
    })
}

async fn show(args: &ShowArgs) -> Result<u8> {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("domain", &args.domain);
    if let Some(engine) = &args.engine {
        query.append_pair("engine", engine);
    }
    if let Some(days) = args.days {
        query.append_pair("days", &days.to_string());
    }
    let server = args.url.trim_end_matches('/');
    let address = format!("{server}/api/v1/accuracy?{}", query.finish());
    let bytes = remote::get_json(&address, &args.key).await?;
    if args.json {
        output::print_bytes(&bytes);
        output::print_line("");
    }
    let is_wrong = match args.days {
        Some(_) => {
            let history: AccuracyHistory =
                serde_json::from_slice(&bytes).context("the server sent no valid list")?;
            if !args.json {
                print_history(&history);
            }
            // The newest check of each engine; they come newest first.
            let mut engines = BTreeSet::new();
            let newest = history.checks.iter().filter(|check| engines.insert(&check.engine));
            newest.filter(|check| verdicts(check).contains(&"wrong")).count() > 0
        }
        None => {
            let record: AccuracyRecord =
                serde_json::from_slice(&bytes).context("the server sent no valid record")?;
            if !args.json {
                print_record(&record);
            }
            !record.wrong.is_empty()
        }
    };
    Ok(if is_wrong { exit::CHECK_FAILED } else { exit::PASSED })
}

fn print_record(record: &AccuracyRecord) {
    let heading = format!("{}, asked {} ({})", record.domain, record.engine, record.model);
    output::print_line(&colour_for_terminal(Tone::Strong, &sanitize_for_terminal(&heading)));
    for (name, field) in record.fields.named() {
        let tone = match field.verdict {
            AccuracyVerdict::Correct => Tone::Good,
            AccuracyVerdict::Wrong => Tone::Bad,
            _ => Tone::Warning,
        };
        let verdict = format!("{:<9}", sanitize_for_terminal(field.verdict.as_str()));
        let text =
            |value: &Option<String>| sanitize_for_terminal(value.as_deref().unwrap_or("nothing"));
        output::print_line(&format!(
            "  {name:<8} {} published: {}; engine: {}",
            colour_for_terminal(tone, &verdict),
            text(&field.declared),
            text(&field.ai)
        ));
        if let Some(why) = &field.why {
            output::print_line(&format!("{:21}{}", "", sanitize_for_terminal(why)));
        }
    }
}

fn print_history(history: &AccuracyHistory) {
    let mut rows =
        vec![["DAY", "ENGINE", "PHONE", "ADDRESS", "WEBSITE", "HOURS"].map(str::to_owned).to_vec()];
    for check in &history.checks {
        let mut row = vec![contract::Day::of(check.checked_at).to_string(), check.engine.clone()];
        row.extend(verdicts(check).map(str::to_owned));
        rows.push(row.iter().map(|cell| sanitize_for_terminal(cell)).collect());
    }
    output::print_bytes(output::format_table(&rows).as_bytes());
}

fn verdicts(check: &AccuracyCheck) -> [&str; 4] {
    [&check.phone, &check.address, &check.website, &check.hours].map(AccuracyVerdict::as_str)
}
