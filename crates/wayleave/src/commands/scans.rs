//! `wayleave scans`: the switch for free scans.

use anyhow::Result;
use contract::Clock;
use door::SystemClock;
use serde_json::json;

use super::in_force;
use crate::config::ConfigArgs;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on the data directory (store.data_dir), also while a server runs on \
                        it; a running server knows of a change at once. Scans with a licence key \
                        go on whatever this says, and so do reports of the last two minutes."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Stop free scans (503 `scans_paused`), until they are resumed
    Pause(Common),
    /// Let free scans go on
    Resume(Common),
    /// Say how it is
    Status(Common),
}

#[derive(Debug, clap::Args)]
struct Common {
    #[command(flatten)]
    config: ConfigArgs,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let (common, to) = match args.command {
        Command::Pause(common) => (common, Some(true)),
        Command::Resume(common) => (common, Some(false)),
        Command::Status(common) => (common, None),
    };
    let config = in_force(&common.config)?;
    let desk = wiring::desk(&config)?;
    let switch = wiring::runtime()?.block_on(async {
        if let Some(on) = to {
            service::pause_scans(desk.switches(), on, SystemClock.now()).await?;
        }
        service::scans_paused(desk.switches()).await
    })?;
    let by_switch = switch.as_ref().is_some_and(|switch| switch.on);
    let by_configuration = config.limits.scans_paused;
    let since = switch.map(|switch| switch.changed_at);
    if common.json {
        output::json(&json!({
            "paused": by_switch || by_configuration,
            "by_switch": by_switch,
            "by_configuration": by_configuration,
            "switched_at": since,
        }))?;
    } else {
        let since = since.map_or(String::new(), |at| format!(" since {at}"));
        output::line(&match (by_switch, by_configuration) {
            (true, _) => format!("Free scans are paused{since}."),
            (false, true) => "Free scans are paused by limits.scans_paused.".to_owned(),
            (false, false) => "Free scans are on.".to_owned(),
        });
    }
    Ok(exit::GOOD)
}
