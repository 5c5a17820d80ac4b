//! `wayleave mcp serve`: the tools for a desktop client, over standard input and output.

mod bridge;
mod line_reader;
mod message;
mod standard_streams;
mod tool_server;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use store::StoreError;
use supervisor::Supervisor;

use self::bridge::serve_lines;
use self::standard_streams::{Output, read_input};
use self::tool_server::ToolServer;
use crate::commands::config_in_force;
use crate::commands::remote::KeyArg;
use crate::commands::serve::Running;
use crate::config::{Config, ConfigArgs};
use crate::shutdown::{self, StopSignals};
use crate::{exit, logging, wiring};

/// Data folders that are tried if none is configured: each client starts a process of its own, and a store belongs
/// to one process.
const MAX_CLIENTS: u32 = 8;

#[derive(Debug, clap::Args)]
#[command(after_help = "For the configuration of a desktop client:\n\n\
                  \x20 {\"mcpServers\": {\"wayleave\": {\"command\": \"wayleave\", \"args\": [\"mcp\", \"serve\", \"--stdio\"]}}}\n\n\
                  Without --server this process reads the sites itself and signs with keys of its own, as `wayleave serve` \
                  does with the same configuration; answers lead to pages of server.base_url. If store.data_dir is not set, \
                  data and keys are in $XDG_DATA_HOME/wayleave/mcp (or ~/.local/share/wayleave/mcp), and in mcp-2 and so on \
                  for further clients at the same time. With --server a running service answers, and nothing is stored here.\n\
                  Log lines go to standard error. Over HTTP the same tools are at /mcp of `wayleave serve`.\n\n\
                  Exit codes: 0 the client ended the session, 2 could not start, 3 stopped because a part of it failed.")]
pub(crate) struct ServeArgs {
    /// Read messages from standard input and write answers to standard output, one per line
    #[arg(long, required = true)]
    stdio: bool,
    /// Pass the messages on to the Wayleave service at this URL instead of answering them here
    #[arg(long, value_name = "BASE")]
    server: Option<String>,
    #[command(flatten)]
    key: KeyArg,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(super) fn run(args: ServeArgs) -> Result<u8> {
    let mut config = config_in_force(&args.config)?;
    // Many clients show what a server writes to standard error as problems.
    if config.log == crate::config::LogConfig::default() {
        config.log.filter = "warn".to_owned();
    }
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        match &args.server {
            Some(server) => pass_on(server, args.key.clone()).await,
            None => answer_here(config).await,
        }
    })
}

async fn pass_on(server: &str, key: KeyArg) -> Result<u8> {
    let base = server.trim_end_matches('/');
    let url = if base.ends_with("/mcp") { base.to_owned() } else { format!("{base}/mcp") };
    url::Url::parse(&url).with_context(|| format!("--server: {server} is not a URL"))?;
    let mut stop = StopSignals::catch()?;
    let tools = ToolServer::Remote { url, key };
    let output = Output::start()?;
    serve_lines(read_input()?, output.sender(), tools, stop.wait_for_stop()).await;
    output.finish().await;
    Ok(exit::PASSED)
}

async fn answer_here(config: Config) -> Result<u8> {
    let supervisor = Supervisor::default();
    let (config, running) = start(config, &supervisor).await?;
    tracing::info!(data_dir = %config.data_dir().display(), "answering on standard input and output");
    let mut stop = StopSignals::catch()?;
    let tools = ToolServer::Local(running.app());
    let output = Output::start()?;
    let end = shutdown::wait_for_end(&mut stop, &supervisor);
    serve_lines(read_input()?, output.sender(), tools, end).await;
    let code = running.stop(&supervisor).await;
    output.finish().await;
    Ok(code)
}

/// Starts the service in the configured folder, or in the first of our own folders that no other process uses.
async fn start(config: Config, supervisor: &Supervisor) -> Result<(Config, Running)> {
    if config.store.data_dir.is_some() {
        let running = Running::start(&config, wiring::system_clock(), supervisor).await;
        let running = running.map_err(|error| explain_in_use(error, &config))?;
        return Ok((config, running));
    }
    let base = data_home()?;
    for client in 1..=MAX_CLIENTS {
        let name = if client == 1 { "mcp".to_owned() } else { format!("mcp-{client}") };
        let mut config = config.clone();
        config.store.data_dir = Some(base.join(name));
        match Running::start(&config, wiring::system_clock(), supervisor).await {
            Ok(running) => return Ok((config, running)),
            Err(error) if is_in_use(&error) => {}
            Err(error) => return Err(error),
        }
    }
    bail!("{MAX_CLIENTS} processes already use the folders in {}", base.display());
}

fn data_home() -> Result<PathBuf> {
    let from =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = from("XDG_DATA_HOME").or_else(|| Some(from("HOME")?.join(".local/share")));
    let home = home.context("there is no home folder (HOME): set store.data_dir")?;
    Ok(home.join("wayleave"))
}

fn is_in_use(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::InUse { .. }))
}

fn explain_in_use(error: anyhow::Error, config: &Config) -> anyhow::Error {
    if !is_in_use(&error) {
        return error;
    }
    error.context(format!(
        "another process uses {}: set another store.data_dir, or pass messages on to a running service with \
         --server {}",
        config.data_dir().display(),
        config.base_url()
    ))
}
