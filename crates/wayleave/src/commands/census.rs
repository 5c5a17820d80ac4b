//! `wayleave census`: one full public scan of each domain of a ranked list, each with its answer.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::CensusRecord;
use service::census::{CensusList, CensusProgress};

use super::{in_force, scan_progress, serve};
use crate::config::ConfigArgs;
use crate::{exit, output, telemetry, wiring};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Begin a run over a list, or go on with one of the same list that was broken off
    Run(RunArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "The list has a domain on each line, or `rank,domain`.\n\
                  The store and the log belong to one process at a time: stop the server first.\n\
                  Exit codes: 0 every domain has its record, 2 the run could not be finished; the same command \
                  goes on with it.")]
struct RunArgs {
    list: PathBuf,
    /// What the list is called
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The day the list is of
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    date: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let What::Run(args) = args.what;
    let config = in_force(&args.config)?;
    telemetry::start(&config.log)?;
    let text = fs::read_to_string(&args.list)
        .with_context(|| format!("{} cannot be read", args.list.display()))?;
    let file = args.list.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = args.name.or(file).unwrap_or_default();
    let names = wiring::policy(&config.network)?.names;
    let list = CensusList::read(&text, &name, args.date.as_deref(), &names);
    if list.passed_over > 0 {
        output::problem(&format!(
            "{} lines name no domain that may be read, or one named before",
            list.passed_over
        ));
    }
    wiring::runtime()?.block_on(async {
        let service = Arc::new(wiring::service(&config)?);
        wiring::open_log(&config, &service).await?;
        serve::know_build(Arc::clone(&service)).await;
        let bar = scan_progress::census(list.frame.size);
        let told = |progress: CensusProgress, record: &CensusRecord| {
            let line = format!("{} {}", record.domain, record.status);
            if bar.is_hidden() {
                output::note(&format!("{} of {}: {line}", progress.done, progress.of));
            } else {
                bar.set_position(progress.done);
                bar.set_message(line);
            }
        };
        let stop = serve::StopSignals::catch()?;
        let done = tokio::select! {
            done = service.census(&list, &told) => Some(done),
            () = stop.told_to_stop() => None,
        };
        service.close_log().await;
        bar.finish_and_clear();
        let Some(done) = done else {
            bail!("broken off; the same command goes on with the run");
        };
        let done = done.context("the run was broken off; the same command goes on with it")?;
        output::line(&format!(
            "run {}{}: {} domains, {} measured now",
            done.run,
            if done.resumed { " (went on)" } else { "" },
            done.progress.of,
            done.progress.measured
        ));
        Ok(exit::GOOD)
    })
}

fn day(text: &str) -> Result<String, String> {
    let moment: Result<contract::Timestamp, _> = format!("{text}T00:00:00Z").parse();
    moment.map(|moment| moment.day()).map_err(|_| "a day as 2026-11-15".to_owned())
}
