//! `wayleave lab`: what the lab holds, and the lab alone.

use std::path::PathBuf;

use anyhow::{Context, Result};
use lab::{Lab, LabOptions};

use super::serve::StopSignals;
use crate::{exit, output, wiring};

/// How often the lab's chain gets a block, where nobody mines by hand.
pub(crate) const BLOCK_EVERY: std::time::Duration = std::time::Duration::from_secs(5);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the sites: name, behaviour, and what a right record says of each
    Sites {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Run the lab alone and print the configuration that points a service at it
    Run {
        /// Port that stands for 80 (0 picks a free one)
        #[arg(long, default_value_t = 0)]
        http_port: u16,
        /// Port that stands for 443 (0 picks a free one)
        #[arg(long, default_value_t = 0)]
        https_port: u16,
        /// Port of the name server (0 picks a free one)
        #[arg(long, default_value_t = 0)]
        dns_port: u16,
        /// Where to write the lab's certificate authority
        #[arg(long, default_value = "lab-ca.pem")]
        ca_file: PathBuf,
        /// Where to write the configuration, besides standard output
        #[arg(long)]
        config_file: Option<PathBuf>,
        /// Print the configuration as JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: Args) -> Result<u8> {
    match args.command {
        Command::Sites { json } => sites(json),
        Command::Run { http_port, https_port, dns_port, ca_file, config_file, json } => {
            let options = LabOptions { http_port, https_port, dns_port };
            wiring::runtime()?.block_on(alone(options, ca_file, config_file, json))
        }
    }
}

fn sites(json: bool) -> Result<u8> {
    if json {
        output::json(&lab::catalogue())?;
        return Ok(exit::GOOD);
    }
    let mut rows =
        vec![vec!["NAME".to_owned(), "BEHAVIOUR".to_owned(), "A RIGHT RECORD SAYS".to_owned()]];
    rows.extend(
        lab::catalogue().iter().map(|site| {
            vec![site.name.to_owned(), site.behaviour.to_owned(), site.says.to_owned()]
        }),
    );
    output::raw(output::table(&rows).as_bytes());
    Ok(exit::GOOD)
}

async fn alone(
    options: LabOptions,
    ca_file: PathBuf,
    config_file: Option<PathBuf>,
    json: bool,
) -> Result<u8> {
    let stop = StopSignals::catch()?;
    let lab = Lab::start(options).await.context("the lab cannot be started")?;
    lab.calendar().mine_every(BLOCK_EVERY);
    std::fs::write(&ca_file, &lab.network().ca_pem)
        .with_context(|| format!("{} cannot be written", ca_file.display()))?;
    let ca_file = ca_file.canonicalize().unwrap_or(ca_file);
    let toml = lab.network().to_toml(&ca_file);
    if let Some(file) = config_file {
        std::fs::write(&file, &toml)
            .with_context(|| format!("{} cannot be written", file.display()))?;
    }
    if json {
        output::json(&toml.parse::<toml::Table>()?)?;
    } else {
        output::raw(toml.as_bytes());
    }
    output::note(&format!(
        "The lab runs with {} sites. Put the lines above into a file and start a service with --config FILE. Ctrl-C stops it.",
        lab.sites().len()
    ));
    stop.told_to_stop().await;
    lab.stop().await;
    Ok(exit::GOOD)
}
