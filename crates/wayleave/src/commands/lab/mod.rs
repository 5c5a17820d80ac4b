//! `wayleave lab`: lists the sites of the lab, runs it without the service, or changes a running one.

mod clock;
mod control_call;
mod control_file;
mod engine;
mod publish;
mod registration;

use std::path::PathBuf;

use anyhow::{Context, Result};
use lab::{Lab, LabOptions};

pub(super) use control_file::ControlFile;

use crate::shutdown::StopSignals;
use crate::{exit, output, wiring};

/// How often the lab's blockchain gets a block.
pub(crate) const BLOCK_INTERVAL: std::time::Duration = std::time::Duration::from_secs(5);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the test sites: name, behaviour, and what a correct scan reports
    Sites {
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Run the lab and print the configuration that points a service at it; stop with Ctrl-C
    Run {
        /// Port to use for http instead of 80 (0 picks a free one)
        #[arg(long, default_value_t = 0)]
        http_port: u16,
        /// Port to use for https instead of 443 (0 picks a free one)
        #[arg(long, default_value_t = 0)]
        https_port: u16,
        /// Port of the DNS server (0 picks a free one)
        #[arg(long, default_value_t = 0)]
        dns_port: u16,
        /// File to write the lab's certificate authority to (PEM); the key of its AI engine is written beside it
        #[arg(long, default_value = "lab-ca.pem")]
        ca_file: PathBuf,
        /// File to write the configuration to, in addition to standard output
        #[arg(long)]
        config_file: Option<PathBuf>,
        /// Print the configuration as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show or move the clock of a running demo
    Clock(clock::Args),
    /// Publish a proof of control on a site of a running lab
    Publish(publish::PublishArgs),
    /// Remove published proofs of control from a site of a running lab
    Unpublish(publish::UnpublishArgs),
    /// List the published proofs of control of a running lab
    Proofs(publish::ProofsArgs),
    /// Show or change what the registry of a running lab says about a domain
    Registration(registration::Args),
    /// Show or change how the AI engine of a running lab answers
    Engine(engine::Args),
}

pub(crate) fn run(args: Args) -> Result<u8> {
    match args.command {
        Command::Sites { json } => list_sites(json),
        Command::Run { http_port, https_port, dns_port, ca_file, config_file, json } => {
            let options = LabOptions { http_port, https_port, dns_port };
            wiring::runtime()?.block_on(run_lab(options, ca_file, config_file, json))
        }
        Command::Clock(args) => clock::run(&args),
        Command::Publish(args) => publish::publish(args),
        Command::Unpublish(args) => publish::unpublish(args),
        Command::Proofs(args) => publish::list(&args),
        Command::Registration(args) => registration::run(args),
        Command::Engine(args) => engine::run(&args),
    }
}

fn list_sites(json: bool) -> Result<u8> {
    if json {
        output::print_json(&lab::catalogue())?;
        return Ok(exit::PASSED);
    }
    let mut rows =
        vec![vec!["NAME".to_owned(), "BEHAVIOUR".to_owned(), "A CORRECT SCAN REPORTS".to_owned()]];
    rows.extend(
        lab::catalogue().iter().map(|site| {
            vec![site.name.to_owned(), site.behaviour.to_owned(), site.says.to_owned()]
        }),
    );
    output::print_bytes(output::format_table(&rows).as_bytes());
    let mut rows =
        vec![vec!["MCP SERVER".to_owned(), "DOES".to_owned(), "A CORRECT WALK IS".to_owned()]];
    rows.extend(lab::mcp_servers().iter().map(|server| {
        let ends = format!("{} {}", server.state, server.why);
        vec![server.url(), server.does.to_owned(), ends.trim().to_owned()]
    }));
    output::print_bytes(format!("\n{}", output::format_table(&rows)).as_bytes());
    let mut rows = vec![vec!["SITE FOR PROOFS OF CONTROL".to_owned(), "DOES".to_owned()]];
    rows.extend(
        lab::control_proof_sites()
            .iter()
            .map(|site| vec![site.name.to_owned(), site.does.to_owned()]),
    );
    output::print_bytes(format!("\n{}", output::format_table(&rows)).as_bytes());
    Ok(exit::PASSED)
}

async fn run_lab(
    options: LabOptions,
    ca_file: PathBuf,
    config_file: Option<PathBuf>,
    json: bool,
) -> Result<u8> {
    let mut stop = StopSignals::catch()?;
    let lab = Lab::start(options).await.context("cannot start the lab")?;
    lab.calendar().mine_every(BLOCK_INTERVAL);
    let control = ControlFile::write(&lab.start_control()?)?;
    std::fs::write(&ca_file, &lab.network().ca_pem)
        .with_context(|| format!("{} cannot be written", ca_file.display()))?;
    let ca_file = ca_file.canonicalize().unwrap_or(ca_file);
    let key_file = ca_file.with_extension("engine-key");
    std::fs::write(&key_file, &lab.network().engine_key)
        .with_context(|| format!("{} cannot be written", key_file.display()))?;
    let mut toml = lab.network().to_toml(&ca_file);
    toml.push_str(&lab.network().engines_to_toml(&key_file));
    if let Some(file) = config_file {
        std::fs::write(&file, &toml)
            .with_context(|| format!("{} cannot be written", file.display()))?;
    }
    if json {
        output::print_json(&toml.parse::<toml::Table>()?)?;
    } else {
        output::print_bytes(toml.as_bytes());
    }
    output::print_note(&format!(
        "The lab is running with {} sites. Save the lines above to a file and start a service with `wayleave serve --config FILE`. \
         Publish proofs of control with `wayleave lab publish` (if you run several labs: --lab {}). Press Ctrl-C to stop.",
        lab.sites().len(),
        control.path().display()
    ));
    stop.wait_for_stop().await;
    lab.stop().await;
    Ok(exit::PASSED)
}
