//! `wayleave serve`: runs the HTTP API and the web pages.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use web::{ServerOptions, WebOptions};

use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::{build_info, exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Creates store.data_dir and the signing keys at the first start. Runs until Ctrl-C or SIGTERM, then finishes \
                  open requests. Speaks plain HTTP: put a TLS proxy in front of it and set server.base_url. Run \
                  `wayleave doctor` first to check the configuration.\n\n\
                  Exit codes: 0 stopped normally, 2 could not start, or stopped because the disk failed."
)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// When ready, print one line of JSON to standard output: url, listen, data_dir, version
    #[arg(long)]
    json: bool,
}

/// The line that `--json` prints when the server is ready.
pub(crate) fn ready_line(config: &Config) -> String {
    serde_json::json!({
        "url": config.base_url(),
        "listen": config.server.listen,
        "data_dir": config.data_dir(),
        "version": service::VERSION,
    })
    .to_string()
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let mut config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        let listener = bind_listener(&mut config).await?;
        let started = |config: &Config| {
            if args.json {
                output::print_line(&ready_line(config));
            }
        };
        serve_until_stopped(&config, listener, &started).await
    })
}

/// Binds the port. This comes first, so that a port in use is reported before anything is created.
/// Port 0 in the configuration is replaced by the port that was picked.
pub(crate) async fn bind_listener(config: &mut Config) -> Result<TcpListener> {
    let listener = TcpListener::bind(config.server.listen)
        .await
        .with_context(|| format!("server.listen: cannot listen on {}", config.server.listen))?;
    config.server.listen = listener.local_addr().context("server.listen")?;
    Ok(listener)
}

/// Serves until a stop signal or a disk failure. `started` is called once everything is ready.
pub(crate) async fn serve_until_stopped(
    config: &Config,
    listener: TcpListener,
    started: &dyn Fn(&Config),
) -> Result<u8> {
    let service = Arc::new(wiring::build_service(config)?);
    wiring::open_log(config, &service).await?;
    let app = web::build_app(
        Arc::clone(&service),
        WebOptions {
            trusted_proxies: config.server.trusted_proxies.clone(),
            max_in_flight: config.server.max_requests,
            limits: wiring::rate_limits(config),
            ..WebOptions::default()
        },
    );
    let options = ServerOptions {
        max_connections: config.server.max_connections,
        ..ServerOptions::default()
    };
    tracing::info!(
        listen = %config.server.listen,
        base_url = %config.base_url(),
        data_dir = %config.data_dir().display(),
        version = service::VERSION,
        "serving"
    );
    let upkeep = tokio::spawn(service::jobs::run_upkeep(Arc::clone(&service)));
    let build_task = tokio::spawn(register_build(Arc::clone(&service)));
    let witnesses = tokio::spawn(service::jobs::run_cosigning(Arc::clone(&service.log)));
    let upgrades = tokio::spawn(service::jobs::run_queued_scans(Arc::clone(&service)));
    let clocks = tokio::spawn(service::jobs::run_content_clocks(Arc::clone(&service.clocks)));
    let pruning = tokio::spawn(service::jobs::run_pruning(Arc::clone(&service)));
    let sealing = tokio::spawn(service::jobs::run_daily_sealing(Arc::clone(&service)));
    // Handlers are installed before the server reports that it is ready.
    let stop = StopSignals::catch()?;
    started(config);
    let failed = std::sync::OnceLock::new();
    let until = async {
        tokio::select! {
            () = stop.wait_for_stop() => {}
            why = service.log.wait_for_fatal_failure() => {
                tracing::error!(%why, "stopping: the disk failed. Only a restart can determine what was stored");
                let _ = failed.set(why);
            }
        }
    };
    let report = web::serve(listener, app, options, until).await;
    upkeep.abort();
    // No more requests: append what is waiting to the log before the store is closed.
    service.log.close().await;
    build_task.abort();
    upgrades.abort();
    clocks.abort();
    sealing.abort();
    pruning.abort();
    witnesses.abort();
    tracing::info!(?report, "stopped");
    match failed.get() {
        Some(why) => anyhow::bail!("{why}"),
        None => Ok(exit::PASSED),
    }
}

/// Identifies this build and appends it to the transparency log. Runs in the background.
pub(crate) async fn register_build(service: Arc<service::Service>) {
    match service.builds.identify_running_build(build_info::build_facts()).await {
        Ok(build) => {
            let version_id = build.version_id();
            let commit = build.content().source.commit.as_deref().unwrap_or("unknown");
            match service.builds.seal_running_build(&build).await {
                Ok(entry) => tracing::info!(%version_id, commit, entry, "this build"),
                Err(error) => {
                    tracing::warn!(%error, %version_id, commit, "this build could not be added to the log");
                }
            }
        }
        Err(error) => tracing::error!(%error, "this build cannot be identified"),
    }
}

/// Ctrl-C and SIGTERM, caught from the moment this is created.
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    pub(crate) fn catch() -> Result<Self> {
        let catch = |kind| signal(kind).context("cannot install signal handlers");
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
        })
    }

    /// Waits for either signal.
    pub(crate) async fn wait_for_stop(mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        tracing::info!("stop requested; finishing open requests");
    }
}
