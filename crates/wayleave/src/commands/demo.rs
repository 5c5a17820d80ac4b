//! `wayleave demo`: runs the service against the lab.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use lab::{Lab, LabClock, LabNetwork, LabOptions};
use serde_json::json;

use super::config_in_force;
use super::lab::ControlFile;
use super::serve::{bind_listener, ready_line, serve_until_stopped};
use crate::config::{Config, ConfigArgs, EngineEntry, KeyPlace, LimitsConfig};
use crate::{logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Starts the lab and the service in one process, then prints its URL and commands to try. Runs until \
                  Ctrl-C.\n\
                  The limits of a service apply; --no-limits switches them off.\n\
                  The network.* keys are set to the lab, in addition to values you give, and accuracy.engines has the \
                  lab's engines lab-right and lab-wrong besides yours. If store.data_dir is not \
                  set, data goes to a temporary folder and is deleted at the end; if log.filter is not set, only \
                  errors are logged.\n\n\
                  Exit codes: 0 stopped normally, 2 could not start (for example, the port is in use), 3 stopped because a \
                  part of it failed."
)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Switch off the limits per client and per scanned site
    #[arg(long)]
    no_limits: bool,
    /// When ready, print one line of JSON to standard output: url, listen, data_dir, version, lab (a file
    /// for --lab of `wayleave lab clock`, `lab publish` and `lab engine`)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let mut config = config_in_force(&args.config)?;
    // Keep the welcome text readable: log errors only, unless the operator asked for more.
    if config.log == crate::config::LogConfig::default() {
        config.log.filter = "error".to_owned();
    }
    if args.no_limits {
        config.limits.enabled = false;
        config.targets.enabled = false;
    }
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        let listener = bind_listener(&mut config).await?;
        let lab = Lab::start(LabOptions::default()).await.context("cannot start the lab")?;
        let folder = tempfile::Builder::new()
            .prefix(&format!("wayleave-demo-{}-", std::process::id()))
            .tempdir()
            .context("cannot create a temporary folder")?;
        configure_for_lab(&mut config, lab.network(), folder.path())?;
        lab.calendar().mine_every(super::lab::BLOCK_INTERVAL);
        lab.set_brand(wiring::brand(&config)?);
        let clock = Arc::new(LabClock::new(wiring::system_clock()));
        lab.set_clock(Arc::clone(&clock));
        let control = ControlFile::write(&lab.start_control()?)?;
        let started = |config: &Config| {
            output::print_note(&welcome_text(config, lab.sites().len(), control.path()));
            if args.json {
                let more = [("lab", json!(control.path()))];
                output::print_line(&ready_line(config, more));
            }
        };
        let done = serve_until_stopped(&config, clock, None, listener, &started).await;
        lab.stop().await;
        done
    })
}

/// Points the network configuration at the lab, in addition to what the operator set.
fn configure_for_lab(config: &mut Config, lab: &LabNetwork, folder: &Path) -> Result<()> {
    let authority = folder.join("lab-ca.pem");
    let mut pem = lab.ca_pem.clone();
    if let Some(file) = &config.network.extra_ca {
        let extra = std::fs::read_to_string(file)
            .with_context(|| format!("network.extra_ca: {} cannot be read", file.display()))?;
        pem = format!("{pem}\n{extra}");
    }
    std::fs::write(&authority, pem).context("cannot write the lab's certificate authority")?;
    let network = &mut config.network;
    network.resolver = lab.resolver.to_string();
    network.http_port = lab.http_port;
    network.https_port = lab.https_port;
    network.extra_ca = Some(authority);
    for text in &lab.allow_networks {
        network.allow_networks.push(text.parse().context("the lab's network")?);
    }
    network.allow_names.extend(lab.allow_names.iter().cloned());
    let (proof, unset) = (&mut config.proof, crate::config::ProofConfig::default());
    if proof.calendars == unset.calendars {
        proof.calendars = lab.calendars.clone();
    }
    if proof.explorers == unset.explorers {
        proof.explorers = lab.explorers.clone();
    }
    if proof.upgrade_seconds == unset.upgrade_seconds {
        // The lab's chain gets a new block every few seconds.
        proof.upgrade_seconds = 5;
    }
    if config.registry.bootstrap == crate::config::RegistryConfig::default().bootstrap {
        config.registry.bootstrap = lab.rdap_bootstrap.clone();
    }
    add_lab_engines(config, lab, folder)?;
    // What the operator set comes last, and wins.
    let lab_feeds =
        lab::feeds().iter().map(|feed| format!("{}={}", feed.id, lab::feed_url(feed.id)));
    let known = wiring::load_known_agents(config)?;
    let is_known = |entry: &String| {
        entry.split_once('=').is_some_and(|(id, _)| known.feed_index(id).is_some())
    };
    let mut feeds: Vec<String> = lab_feeds.filter(is_known).collect();
    feeds.append(&mut config.agents.feeds);
    config.agents.feeds = feeds;
    if config.store.data_dir.is_none() {
        config.store.data_dir = Some(folder.join("data"));
    }
    Ok(())
}

/// Adds the lab's AI engines to those of the operator, whose names win.
fn add_lab_engines(config: &mut Config, lab: &LabNetwork, folder: &Path) -> Result<()> {
    let key_file = folder.join("lab-engine-key");
    std::fs::write(&key_file, &lab.engine_key)
        .context("cannot write the key of the lab's engine")?;
    let engines = &mut config.accuracy.engines;
    for (name, model) in LabNetwork::ENGINES {
        if engines.iter().any(|entry| entry.name == name) {
            continue;
        }
        engines.push(EngineEntry {
            name: name.to_owned(),
            base_url: lab.engine.clone(),
            model: model.to_owned(),
            key: KeyPlace::File(key_file.clone()),
            key_header: None,
            web_search: false,
            // The lab's authority is one of the network.
            extra_ca: None,
        });
    }
    Ok(())
}

fn welcome_text(config: &Config, sites: usize, control: &Path) -> String {
    let base = config.base_url();
    let data_dir = config.data_dir();
    let LimitsConfig { enabled, scan_per_minute, scan_per_day, .. } = config.limits;
    let limits = if enabled {
        format!(
            "Limits apply as for any service: {scan_per_minute} scans a minute and {scan_per_day} a day. \
             Start it with `wayleave demo --no-limits` to switch them off."
        )
    } else {
        "Limits are switched off.".to_owned()
    };
    format!(
        "\nWayleave is running at {base} against a lab of {sites} test sites (no internet access).\n\
         Data is stored in {}.\n\
         {limits}\n\n\
         Try:\n\
         \x20 curl -s {base}/api/scan -H 'content-type: application/json' -d '{{\"domain\":\"open.lab\"}}'\n\
         \x20 curl -s {base}/api/scan -H 'content-type: application/json' -d '{{\"domain\":\"blocks-ai.lab\"}}'\n\
         \x20 wayleave lab sites          list all test sites and what a correct scan reports\n\
         \x20 wayleave lab clock +31d     move the clock of this demo forward\n\
         \x20 wayleave lab publish yours.lab --txt VALUE     publish a proof of control (also --meta, --file)\n\
         \x20 wayleave lab engine wrong-phone right          change how the AI engine of this demo answers\n\
         \x20 {base}/          scan in a browser\n\
         \x20 {base}/docs      API reference\n\n\
         If you run several labs, add --lab {} to these three.\n\
         Press Ctrl-C to stop.",
        data_dir.display(),
        control.display()
    )
}
