//! `wayleave demo`: the service against the lab.

use std::path::Path;

use anyhow::{Context, Result};
use lab::{Lab, LabNetwork, LabOptions};

use super::in_force;
use super::serve::{bind, ready_line, serve};
use crate::config::{Config, ConfigArgs};
use crate::{output, telemetry, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The network keys are pointed at the lab, adding to what you give. Without \
                        store.data_dir the store is temporary; without log.filter only errors are logged."
)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Say on standard output, as one line of JSON, where it serves once it is ready
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let mut config = in_force(&args.config)?;
    // A demo shows its own words first; what goes wrong is still logged.
    if config.log == crate::config::Log::default() {
        config.log.filter = "error".to_owned();
    }
    telemetry::start(&config.log)?;
    wiring::runtime()?.block_on(async {
        let listener = bind(&mut config).await?;
        let lab = Lab::start(LabOptions::default()).await.context("the lab cannot be started")?;
        let folder = tempfile::Builder::new()
            .prefix(&format!("wayleave-demo-{}-", std::process::id()))
            .tempdir()
            .context("no temporary folder can be made")?;
        point_at(&mut config, lab.network(), folder.path())?;
        lab.calendar().mine_every(super::lab::BLOCK_EVERY);
        let started = |config: &Config| {
            output::note(&welcome(config, lab.sites().len()));
            if args.json {
                output::line(&ready_line(config));
            }
        };
        let done = serve(&config, listener, &started).await;
        lab.stop().await;
        done
    })
}

/// Points the network at the lab, adding to whatever the operator gave.
fn point_at(config: &mut Config, lab: &LabNetwork, folder: &Path) -> Result<()> {
    let authority = folder.join("lab-ca.pem");
    let mut pem = lab.ca_pem.clone();
    if let Some(given) = &config.network.extra_ca {
        let given = std::fs::read_to_string(given)
            .with_context(|| format!("network.extra_ca: {} cannot be read", given.display()))?;
        pem = format!("{pem}\n{given}");
    }
    std::fs::write(&authority, pem).context("the lab's certificate cannot be written")?;
    let network = &mut config.network;
    network.resolver = lab.resolver.to_string();
    network.http_port = lab.http_port;
    network.https_port = lab.https_port;
    network.extra_ca = Some(authority);
    for text in &lab.allow_networks {
        network.allow_networks.push(text.parse().context("the lab's network")?);
    }
    network.allow_names.extend(lab.allow_names.iter().cloned());
    if config.proof == crate::config::Proof::default() {
        config.proof.calendars = lab.calendars.clone();
        config.proof.explorers = lab.explorers.clone();
        // A block of the lab comes every few seconds.
        config.proof.upgrade_seconds = 5;
    }
    if config.store.data_dir.is_none() {
        config.store.data_dir = Some(folder.join("data"));
    }
    Ok(())
}

fn welcome(config: &Config, sites: usize) -> String {
    let base = config.base_url();
    let kept = config.data_dir();
    format!(
        "\nWayleave is running at {base} against a lab of {sites} sites (no internet is used).\n\
         The store is in {}.\n\n\
         Try:\n\
         \x20 curl -s {base}/api/scan -H 'content-type: application/json' -d '{{\"domain\":\"open.lab\"}}'\n\
         \x20 curl -s {base}/api/scan -H 'content-type: application/json' -d '{{\"domain\":\"blocks-ai.lab\"}}'\n\
         \x20 wayleave lab sites          every site, and what a right record says of it\n\
         \x20 {base}/          the same in a browser\n\
         \x20 {base}/docs      every endpoint\n\n\
         Ctrl-C stops it.",
        kept.display()
    )
}
