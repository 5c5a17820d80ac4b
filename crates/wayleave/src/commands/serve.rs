//! `wayleave serve`: runs the HTTP API and the web pages.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use contract::Clock;
use service::{Service, jobs};
use supervisor::Supervisor;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use web::{App, ServerOptions, WebOptions};

/// How long scans that outlive their request may go on when the server stops. A scan takes 10 s.
const SCAN_DRAIN_TIME: Duration = Duration::from_secs(15);
/// For the deliveries to webhooks that are being sent. What takes longer is sent again after the restart.
const DELIVERY_DRAIN_TIME: Duration = Duration::from_secs(5);
/// For mails that are being sent when the server stops.
const MAIL_DRAIN_TIME: Duration = Duration::from_secs(10);
/// For the last counts of agents.
const COUNTS_TIME: Duration = Duration::from_secs(5);

use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::reload::{CertificateFiles, ConfigSource, Reloader};
use crate::shutdown::{self, StopSignals};
use crate::tls_files::TlsFiles;
use crate::{build_info, exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Creates store.data_dir and the signing keys at the first start; a log whose keys are missing is refused. Runs until Ctrl-C or SIGTERM, then finishes \
                  open requests. Speaks HTTPS with server.tls_cert and server.tls_key, whose files are read again when they \
                  change; otherwise plain HTTP: then put a TLS proxy in front of it and set server.base_url. Run \
                  `wayleave doctor` first to check the configuration.\n\
                  At SIGHUP it reads the configuration again and applies limits.*, log.filter, server.trusted_proxies, \
                  server.tls_cert and server.tls_key; the log names other keys that changed and need a restart. A \
                  configuration that cannot be read changes nothing.\n\n\
                  Exit codes: 0 stopped normally, 2 could not start, 3 stopped because a part of it failed (the disk, or a \
                  thread or task that ended): restart it."
)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// When ready, print one line of JSON to standard output: url, listen, data_dir, version
    #[arg(long)]
    json: bool,
}

/// The line that `--json` prints when the server is ready, with further members.
pub(crate) fn ready_line<const N: usize>(
    config: &Config,
    more: [(&'static str, serde_json::Value); N],
) -> String {
    let mut line = serde_json::json!({
        "url": config.base_url(),
        "listen": config.server.listen,
        "data_dir": config.data_dir(),
        "version": service::VERSION,
    });
    if let Some(members) = line.as_object_mut() {
        members.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    line.to_string()
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let mut config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        let source = ConfigSource::new(args.config.clone(), config.clone())?;
        let listener = bind_listener(&mut config).await?;
        let started = |config: &Config| {
            if args.json {
                output::print_line(&ready_line(config, []));
            }
        };
        let clock = wiring::system_clock();
        serve_until_stopped(&config, clock, Some(source), listener, &started).await
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

/// Serves until a stop signal or a failure, by this clock. `started` is called once everything is ready. `source` is what
/// SIGHUP reloads.
pub(crate) async fn serve_until_stopped(
    config: &Config,
    clock: Arc<dyn Clock>,
    source: Option<ConfigSource>,
    listener: TcpListener,
    started: &dyn Fn(&Config),
) -> Result<u8> {
    let supervisor = Supervisor::default();
    let metrics_listener = bind_metrics_listener(config).await?;
    let certificate = TlsFiles::of(config).map(CertificateFiles::open).transpose()?;
    let tls = certificate.as_ref().map(CertificateFiles::identity);
    let mut running = Running::start(config, clock, &supervisor).await?;
    let options = ServerOptions {
        max_connections: config.server.max_connections,
        tls,
        https_only: config.https_only(),
        ..ServerOptions::default()
    };
    let reloader = Reloader::new(source, certificate, Arc::clone(&running.service), running.app());
    running.jobs.push(supervisor.spawn_task("reload", reloader.run()));
    tracing::info!(
        listen = %config.server.listen,
        base_url = %config.base_url(),
        data_dir = %config.data_dir().display(),
        version = service::VERSION,
        "serving"
    );
    running.jobs.extend(metrics_listener.map(|listener| serve_metrics(listener, &supervisor)));
    // Handlers are installed before the server reports that it is ready.
    let mut stop = StopSignals::catch()?;
    started(config);
    let report = web::serve(
        listener,
        running.app(),
        options,
        shutdown::wait_for_end(&mut stop, &supervisor),
    )
    .await;
    let code = running.stop(&supervisor).await;
    tracing::info!(?report, "stopped");
    Ok(code)
}

/// A service with its HTTP side and its background jobs.
pub(crate) struct Running {
    service: Arc<Service>,
    app: App,
    jobs: Vec<AbortHandle>,
}

impl Running {
    pub(crate) async fn start(
        config: &Config,
        clock: Arc<dyn Clock>,
        supervisor: &Supervisor,
    ) -> Result<Self> {
        let service = Arc::new(wiring::build_service(config, clock, supervisor)?);
        // Nothing is signed before the build is known and in the log.
        tokio::try_join!(wiring::open_log(config, &service), identify_build(&service))?;
        log_build(&service).await;
        let app = web::build_app(
            Arc::clone(&service),
            WebOptions {
                trusted_proxies: config.server.trusted_proxies.clone(),
                max_in_flight: config.server.max_requests,
                limits: wiring::rate_limits(config),
                metrics_elsewhere: config.server.metrics_listen.is_some(),
                free_scans_v1: config.access.free_scans_v1,
                ..WebOptions::default()
            },
        );
        let jobs = start_jobs(&service, supervisor);
        Ok(Self { service, app, jobs })
    }

    pub(crate) fn app(&self) -> App {
        self.app.clone()
    }

    /// Ends what runs, after the last request. Returns the exit code of the process.
    pub(crate) async fn stop(self, supervisor: &Supervisor) -> u8 {
        supervisor.begin_stop();
        // Scans that were started by the form outlive their request.
        let scans = self.service.scanning.finish_watched_scans();
        if tokio::time::timeout(SCAN_DRAIN_TIME, scans).await.is_err() {
            tracing::warn!("scans were still running at the end; they are not stored");
        }
        if let Some(free_keys) = &self.service.free_keys
            && tokio::time::timeout(MAIL_DRAIN_TIME, free_keys.finish_mails()).await.is_err()
        {
            tracing::warn!("mails were still being sent at the end");
        }
        write_last_counts(&self.service).await;
        finish_deliveries(&self.service).await;
        // No more requests: append what is waiting to the log before the store is closed.
        self.service.log.close().await;
        self.jobs.iter().for_each(AbortHandle::abort);
        match supervisor.failure() {
            Some(failure) => {
                output::print_error(&format!(
                    "stopped because a part of the server failed: {failure}"
                ));
                exit::SERVER_FAILED
            }
            None => exit::PASSED,
        }
    }
}

/// Writes what was counted of agents since the last turn of the job.
async fn write_last_counts(service: &Service) {
    match tokio::time::timeout(COUNTS_TIME, service.conduct.close()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the last counts of agents could not be written"),
        Err(_) => tracing::warn!("the last counts of agents could not be written in time"),
    }
}

async fn finish_deliveries(service: &Service) {
    if tokio::time::timeout(DELIVERY_DRAIN_TIME, service.webhooks.close()).await.is_err() {
        tracing::info!("deliveries to webhooks were not answered in time; they are sent again");
    }
}

async fn bind_metrics_listener(config: &Config) -> Result<Option<TcpListener>> {
    let Some(address) = config.server.metrics_listen else { return Ok(None) };
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("server.metrics_listen: cannot listen on {address}"))?;
    Ok(Some(listener))
}

/// Serves the metrics on their own address as long as the server runs.
fn serve_metrics(listener: TcpListener, supervisor: &Supervisor) -> AbortHandle {
    let options = ServerOptions {
        max_connections: 32,
        counts_connections: false,
        ..ServerOptions::default()
    };
    if let Ok(listen) = listener.local_addr() {
        tracing::info!(%listen, "serving metrics");
    }
    supervisor.spawn_task("metrics", async move {
        web::serve(listener, web::metrics_app(), options, std::future::pending()).await;
    })
}

/// Starts the background jobs, each of which must run as long as the server.
fn start_jobs(service: &Arc<Service>, supervisor: &Supervisor) -> Vec<AbortHandle> {
    let shared = || Arc::clone(service);
    let watcher = supervisor.clone();
    tokio::spawn(shutdown::exit_at_deadline(supervisor.clone()));
    vec![
        supervisor.spawn_task("thread-watcher", async move { watcher.watch_threads().await }),
        supervisor.spawn_task("key-changes", jobs::run_key_changes(shared())),
        supervisor.spawn_task("upkeep", jobs::run_upkeep(shared())),
        supervisor.spawn_task("cosigning", jobs::run_cosigning(Arc::clone(&service.log))),
        supervisor.spawn_task("queued-scans", jobs::run_queued_scans(shared())),
        supervisor
            .spawn_task("content-clocks", jobs::run_content_clocks(Arc::clone(&service.clocks))),
        supervisor.spawn_task("agent-feeds", jobs::run_feeds(Arc::clone(&service.visitors))),
        supervisor.spawn_task("conduct", jobs::run_conduct(Arc::clone(&service.conduct))),
        supervisor.spawn_task("control", jobs::run_control(Arc::clone(&service.control))),
        supervisor.spawn_task("accuracy", jobs::run_accuracy(Arc::clone(&service.accuracy))),
        supervisor.spawn_task("webhooks", jobs::run_webhooks(Arc::clone(&service.webhooks))),
        supervisor.spawn_task("pruning", jobs::run_pruning(shared())),
        supervisor.spawn_task("daily-sealing", jobs::run_daily_sealing(shared())),
    ]
}

/// Hashes the running program, so that everything that is signed names its build.
pub(crate) async fn identify_build(service: &Service) -> Result<()> {
    let started = std::time::Instant::now();
    let build = service.builds.identify_running_build(build_info::build_facts()).await;
    let build = build.context("this build cannot be identified")?;
    let (version_id, commit) = (build.version_id(), build.content().source.commit.as_deref());
    let ms = started.elapsed().as_millis();
    tracing::info!(%version_id, commit = commit.unwrap_or("unknown"), ms, "this build");
    Ok(())
}

/// Adds the build to the transparency log. If that fails, it is tried again before the next answer
/// is signed.
pub(crate) async fn log_build(service: &Service) {
    if let Err(error) = service.builds.ensure_logged().await {
        tracing::warn!(%error, "this build could not be added to the log yet; no answer is signed before");
    }
}
