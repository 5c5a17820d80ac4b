//! `wayleave census`: one full public scan of every domain in a ranked list, and an answer for each.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::CensusRecord;
use service::scanning::census::{CensusList, CensusProgress};
use store::StoreError;
use supervisor::Supervisor;

use super::{config_in_force, scan_progress, serve};
use crate::config::{Config, ConfigArgs};
use crate::shutdown::StopSignals;
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: CensusCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CensusCommand {
    /// Start a run over a list, or continue an interrupted run over the same list
    Run(RunArgs),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Scans each domain once and stores the results; the server then publishes them at \
                  /api/census/records.\n\
                  Only one process can use the store and the log: stop the server first.\n\n\
                  Exit codes: 0 every domain has a record, 2 the run was not finished. To continue an unfinished run, \
                  run the same command again."
)]
struct RunArgs {
    /// Text file with one domain per line, or `rank,domain`
    list: PathBuf,
    /// Name of the list, as published [default: the file name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Date of the list, as published
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    date: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let CensusCommand::Run(args) = args.command;
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    let text = fs::read_to_string(&args.list)
        .with_context(|| format!("{} cannot be read", args.list.display()))?;
    let file = args.list.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = args.name.or(file).unwrap_or_default();
    let names = wiring::network_policy(&config.network)?.names;
    let list = CensusList::parse(&text, &name, args.date.as_deref(), &names);
    if list.skipped_lines > 0 {
        output::print_error(&format!(
            "skipped {} lines: not a domain that can be scanned, or a duplicate",
            list.skipped_lines
        ));
    }
    wiring::runtime()?.block_on(async {
        let service =
            wiring::build_service(&config, wiring::system_clock(), &Supervisor::default())
                .map_err(|error| explain_in_use(error, &config))?;
        let service = Arc::new(service);
        wiring::open_log(&config, &service).await?;
        serve::identify_build(&service).await?;
        serve::log_build(&service).await;
        let bar = scan_progress::census_bar(list.frame.size);
        let show_progress = |progress: CensusProgress, record: &CensusRecord| {
            let line = format!("{} {}", record.domain, record.status);
            if bar.is_hidden() {
                output::print_note(&format!("{} of {}: {line}", progress.done, progress.total));
            } else {
                bar.set_position(progress.done);
                bar.set_message(line);
            }
        };
        let mut stop = StopSignals::catch()?;
        let done = tokio::select! {
            done = service.census.run_census(&list, &show_progress) => Some(done),
            () = stop.wait_for_stop() => None,
        };
        service.log.close().await;
        bar.finish_and_clear();
        let Some(done) = done else {
            bail!("interrupted; run the same command again to continue");
        };
        let done = done.context("the run stopped; run the same command again to continue")?;
        output::print_line(&format!(
            "run {}{}: {} domains, {} scanned now",
            done.run,
            if done.resumed { " (continued)" } else { "" },
            done.progress.total,
            done.progress.measured
        ));
        Ok(exit::PASSED)
    })
}

/// Says what to do if a server has the store.
fn explain_in_use(error: anyhow::Error, config: &Config) -> anyhow::Error {
    if !matches!(error.downcast_ref(), Some(StoreError::InUse { .. })) {
        return error;
    }
    error.context(format!(
        "a server is running on the store in {}: stop it, run this command, and start it again",
        config.data_dir().display()
    ))
}

fn parse_day(text: &str) -> Result<String, String> {
    let moment: Result<contract::Timestamp, _> = format!("{text}T00:00:00Z").parse();
    moment.map(|moment| moment.day()).map_err(|_| "expected a date such as 2026-11-15".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_server_is_to_be_stopped() {
        let in_use = StoreError::InUse { place: "data".to_owned() };
        let error = anyhow::Error::new(in_use).context("cannot open the store in data");
        let text = format!("{:#}", explain_in_use(error, &Config::default()));
        assert!(text.contains("stop it, run this command"), "{text}");
        assert!(text.ends_with("data is in use by another process"), "{text}");
        let other = explain_in_use(anyhow::Error::new(StoreError::Full), &Config::default());
        assert_eq!(format!("{other:#}"), StoreError::Full.to_string());
    }
}
