//! `wayleave scans`: pauses and resumes free scans (those without a licence).

use anyhow::Result;
use contract::Clock;
use door::SystemClock;
use serde_json::json;

use super::config_in_force;
use crate::config::ConfigArgs;
use crate::{audit, exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on store.data_dir, also while a server is running; changes take effect at once. While paused, \
                  scans with a licence key still run, and results of the last two minutes are still \
                  returned.\n\n\
                  Exit codes: 0 done, 2 the store could not be read or changed."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Refuse free scans with 503 `scans_paused` until they are resumed
    Pause(CommonArgs),
    /// Allow free scans again
    Resume(CommonArgs),
    /// Show whether free scans are paused
    Status(CommonArgs),
}

#[derive(Debug, clap::Args)]
struct CommonArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Print the status as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let (common, pause) = match args.command {
        Command::Pause(common) => (common, Some(true)),
        Command::Resume(common) => (common, Some(false)),
        Command::Status(common) => (common, None),
    };
    let config = config_in_force(&common.config)?;
    let admin = wiring::open_admin(&config)?;
    let switch = wiring::runtime()?.block_on(async {
        if let Some(on) = pause {
            service::pause_scans(admin.switches(), on, SystemClock.now()).await?;
            let name = if on { "scans.pause" } else { "scans.resume" };
            audit::record(admin.audit(), name, "free scans", json!({})).await?;
        }
        anyhow::Ok(service::scans_paused(admin.switches()).await?)
    })?;
    let by_switch = switch.as_ref().is_some_and(|switch| switch.on);
    let by_configuration = config.limits.scans_paused;
    let since = switch.map(|switch| switch.changed_at);
    if common.json {
        output::print_json(&json!({
            "paused": by_switch || by_configuration,
            "by_switch": by_switch,
            "by_configuration": by_configuration,
            "switched_at": since,
        }))?;
    } else {
        let since = since.map_or(String::new(), |at| format!(" since {at}"));
        output::print_line(&match (by_switch, by_configuration) {
            (true, _) => format!("Free scans are paused{since}."),
            (false, true) => {
                "Free scans are paused by the configuration (limits.scans_paused).".to_owned()
            }
            (false, false) => "Free scans are running.".to_owned(),
        });
    }
    Ok(exit::PASSED)
}
