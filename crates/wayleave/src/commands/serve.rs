//! `wayleave serve`: the API and the pages.

use std::sync::Arc;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use web::{ServerOptions, WebOptions};

use super::in_force;
use crate::config::{Config, ConfigArgs};
use crate::{exit, telemetry, wiring};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let mut config = in_force(&args.config)?;
    telemetry::start(&config.log)?;
    wiring::runtime()?.block_on(async {
        let listener = bind(&mut config).await?;
        serve(&config, listener, &|_| {}).await
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
    let app = web::app(
        Arc::clone(&service),
        WebOptions {
            trusted_proxies: config.server.trusted_proxies.clone(),
            max_in_flight: config.server.max_requests,
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
    started(config);
    let report = web::serve(listener, app, options, told_to_stop()).await;
    upkeep.abort();
    tracing::info!(?report, "stopped");
    Ok(exit::GOOD)
}

/// Waits for Ctrl-C or SIGTERM.
async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let interrupt = tokio::signal::ctrl_c();
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _ = interrupt.await;
        }
    }
    tracing::info!("asked to stop; finishing what is under way");
}
