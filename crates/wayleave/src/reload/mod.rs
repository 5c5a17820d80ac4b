//! What a running server takes up without a restart: TLS files when they change, and some keys of the
//! configuration at SIGHUP (`wayleave config --keys` says which).
//!
//! Everything that can fail is prepared first; then all of it is applied. The rate limits and proxies of
//! one request are all from before or all from after ([`web::App::reload`]); daily allowances are read
//! when they are drawn.

mod certificate_files;
mod changes;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use service::Service;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::MissedTickBehavior;
use web::App;

pub(crate) use self::certificate_files::CertificateFiles;
use self::changes::{ConfigChanges, compare_configs};
use crate::config::{Config, ConfigArgs, load_config, own_variables};
use crate::tls_files::TlsFiles;
use crate::{logging, wiring};

/// How often the TLS files are looked at.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);

const RELOADS: &str = "wayleave_reloads_total";

/// Where the configuration comes from, what it was when the server started, and the signal to read it
/// again.
#[derive(Debug)]
pub(crate) struct ConfigSource {
    args: ConfigArgs,
    /// As it was loaded: with port 0, for example, if that is what was configured.
    loaded: Config,
    hangup: Signal,
}

impl ConfigSource {
    /// Catches SIGHUP from now on. Call it early: until then the signal ends the process, and a service
    /// manager may send it as soon as the process exists.
    pub(crate) fn new(args: ConfigArgs, loaded: Config) -> Result<Self> {
        let hangup = signal(SignalKind::hangup()).context("cannot install signal handlers")?;
        Ok(Self { args, loaded, hangup })
    }
}

/// Follows the files and the signal. One task owns it.
pub(crate) struct Reloader {
    /// `None` for a demo: there SIGHUP ends the process, as when its terminal is closed.
    source: Option<ConfigSource>,
    certificate: Option<CertificateFiles>,
    service: Arc<Service>,
    app: App,
}

impl Reloader {
    pub(crate) fn new(
        source: Option<ConfigSource>,
        certificate: Option<CertificateFiles>,
        service: Arc<Service>,
        app: App,
    ) -> Self {
        Self { source, certificate, service, app }
    }

    pub(crate) async fn run(mut self) {
        let mut look = tokio::time::interval(LOOK_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let asked = tokio::select! {
                () = wait_for_hangup(&mut self.source) => true,
                _ = look.tick() => false,
            };
            // Files, and building the router again, are no work for the threads that serve requests.
            let Ok(back) = tokio::task::spawn_blocking(move || {
                if asked {
                    self.reload_config();
                }
                if let Some(certificate) = &mut self.certificate {
                    certificate.look(asked);
                }
                self
            })
            .await
            else {
                // It panicked. The supervisor notices that this task ended.
                return;
            };
            self = back;
        }
    }

    fn reload_config(&mut self) {
        let Some(source) = &mut self.source else { return };
        let prepared = load_config_again(source);
        let changes = match prepared {
            Ok(changes) => changes,
            Err(error) => {
                metrics::counter!(RELOADS, "result" => "refused").increment(1);
                tracing::error!(
                    error = format!("{error:#}"),
                    "the configuration was not reloaded, and nothing of it changed"
                );
                return;
            }
        };
        let ConfigChanges { config, applied, needs_restart } = changes;
        if !needs_restart.is_empty() {
            let keys = needs_restart.join(", ");
            tracing::warn!(keys, "changed in the configuration, but needs a restart");
        }
        if applied.is_empty() {
            metrics::counter!(RELOADS, "result" => "unchanged").increment(1);
            tracing::info!("configuration reloaded: nothing to apply");
            return;
        }
        let settings = match wiring::reloadable_settings(&config) {
            Ok(settings) => settings,
            Err(error) => {
                metrics::counter!(RELOADS, "result" => "refused").increment(1);
                tracing::error!(
                    error = format!("{error:#}"),
                    "the configuration was not reloaded, and nothing of it changed"
                );
                return;
            }
        };
        self.service.reload(settings);
        self.app.reload(&wiring::reloadable_options(&config));
        if let (Some(certificate), Some(files)) = (&mut self.certificate, TlsFiles::of(&config)) {
            certificate.follow(files);
        }
        metrics::counter!(RELOADS, "result" => "applied").increment(1);
        tracing::info!(keys = applied.join(", "), "configuration reloaded and applied");
        wiring::warn_about_limits(&config);
        // Last, because it may hide the lines above.
        if let Err(error) = logging::set_filter(&config.log.filter) {
            tracing::error!(error = format!("{error:#}"), "the log filter could not be replaced");
        }
        source.loaded = config;
    }
}

/// Reads the configuration and compares it with the one in force.
fn load_config_again(source: &ConfigSource) -> Result<ConfigChanges> {
    let loaded = load_config(&source.args, &own_variables()?)?;
    compare_configs(&source.loaded, &loaded)
}

async fn wait_for_hangup(source: &mut Option<ConfigSource>) {
    let received = match source {
        Some(source) => source.hangup.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending::<()>().await;
    }
}
