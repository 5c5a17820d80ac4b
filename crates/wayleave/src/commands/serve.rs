//! `wayleave serve`: the API and the pages.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use web::{ServerOptions, WebOptions};

use super::in_force;
use crate::config::{Config, ConfigArgs};
use crate::{built, exit, output, telemetry, wiring};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Say on standard output, as one line of JSON, where it serves once it is ready
    #[arg(long)]
    json: bool,
}

/// What `--json` says when everything is ready.
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
    let mut config = in_force(&args.config)?;
    telemetry::start(&config.log)?;
    wiring::runtime()?.block_on(async {
        let listener = bind(&mut config).await?;
        let started = |config: &Config| {
            if args.json {
                output::line(&ready_line(config));
            }
        };
        serve(&config, listener, &started).await
    })
}

/// Taken first, so that a port in use is told before anything is opened or created. Port 0 becomes
/// the port that was picked.
pub(crate) async fn bind(config: &mut Config) -> Result<TcpListener> {
    let listener = TcpListener::bind(config.server.listen)
        .await
        .with_context(|| format!("server.listen: {} cannot be served on", config.server.listen))?;
    config.server.listen = listener.local_addr().context("server.listen")?;
    Ok(listener)
}

/// Serves until it is told to stop. `started` is called once everything is ready.
pub(crate) async fn serve(
    config: &Config,
    listener: TcpListener,
    started: &dyn Fn(&Config),
) -> Result<u8> {
    let service = Arc::new(wiring::service(config)?);
    wiring::open_log(config, &service).await?;
    let app = web::app(
        Arc::clone(&service),
        WebOptions {
            trusted_proxies: config.server.trusted_proxies.clone(),
            max_in_flight: config.server.max_requests,
            limits: wiring::rates(config),
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
    let upkeep = tokio::spawn(service::jobs::upkeep(Arc::clone(&service)));
    let known = tokio::spawn(know_build(Arc::clone(&service)));
    let witnesses = tokio::spawn(service::jobs::witnesses(Arc::clone(&service)));
    let upgrades = tokio::spawn(service::jobs::upgrades(Arc::clone(&service)));
    let clocks = tokio::spawn(service::jobs::clocks(Arc::clone(&service)));
    let sealing = tokio::spawn(service::jobs::sealing(Arc::clone(&service)));
    // Caught before anybody is told that we are ready.
    let stop = StopSignals::catch()?;
    started(config);
    let failed = std::sync::OnceLock::new();
    let until = async {
        tokio::select! {
            () = stop.told_to_stop() => {}
            why = service.log_failed() => {
                tracing::error!(%why, "stopping: the disk failed, and only a new start can tell what it holds");
                let _ = failed.set(why);
            }
        }
    };
    let report = web::serve(listener, app, options, until).await;
    upkeep.abort();
    // Nobody asks any more: what is waiting is sealed before the store is let go.
    service.close_log().await;
    known.abort();
    upgrades.abort();
    clocks.abort();
    sealing.abort();
    witnesses.abort();
    tracing::info!(?report, "stopped");
    match failed.get() {
        Some(why) => anyhow::bail!("{why}"),
        None => Ok(exit::GOOD),
    }
}

/// Says which build this is, once it is known. Nobody waits for it.
pub(crate) async fn know_build(service: Arc<service::Service>) {
    match service.know_build(built::facts()).await {
        Ok(build) => {
            let version_id = build.version_id();
            let commit = build.content().source.commit.as_deref().unwrap_or("unknown");
            match service.log_build(&build).await {
                Ok(entry) => tracing::info!(%version_id, commit, entry, "this build"),
                Err(error) => {
                    tracing::warn!(%error, %version_id, commit, "this build is not in the log");
                }
            }
        }
        Err(error) => tracing::error!(%error, "this build cannot be named"),
    }
}

/// Ctrl-C and SIGTERM, caught from the moment this is made.
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    pub(crate) fn catch() -> Result<Self> {
        let catch = |kind| signal(kind).context("signals cannot be caught");
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
        })
    }

    /// Waits for either.
    pub(crate) async fn told_to_stop(mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        tracing::info!("asked to stop; finishing what is under way");
    }
}
