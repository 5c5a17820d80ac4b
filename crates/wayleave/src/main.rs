//! Wayleave: tells agents what way they have at a domain, and shows the evidence.
//!
//! The one binary: configuration, wiring and commands. No logic of its own.

mod built;
mod commands;
mod config;
mod output;
mod report;
mod telemetry;
mod wiring;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exit codes that scripts can rely on.
pub(crate) mod exit {
    /// What was asked for holds.
    pub(crate) const GOOD: u8 = 0;
    /// It was looked at, and does not hold (a tampered file, a grade under the bar, a bad set-up).
    pub(crate) const BAD: u8 = 1;
    /// It could not be looked at (wrong usage, unreadable file, no network).
    pub(crate) const FAILED: u8 = 2;
}

#[derive(Debug, Parser)]
#[command(
    name = "wayleave",
    version,
    about = "Tells agents what way they have at a domain, and shows the evidence",
    after_help = "Exit codes: 0 it holds, 1 it was looked at and does not hold, 2 it could not be looked at."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API and the pages, with the store in the data directory
    Serve(commands::serve::Args),
    /// The same against the lab: ready to try, without the internet
    Demo(commands::demo::Args),
    /// The lab: a small internet on loopback
    Lab(commands::lab::Args),
    /// Scan one domain and show what agents get there
    Scan(commands::scan::Args),
    /// Say what way an agent has at a domain: a decision for each action, with reasons
    Resolve(commands::resolve::Args),
    /// Ask whether an agent may do something now, before it does
    Preflight(commands::preflight::Args),
    /// Check files that we signed: digest, signature, key, inclusion
    Verify(commands::verify::Args),
    /// Judge a kept scan again, and say whether the same record comes out
    Replay(commands::replay::Args),
    /// Say what a robots.txt allows an agent, and which line decides
    Robots(commands::robots::Args),
    /// Write a JSON file in its canonical form (RFC 8785)
    Canonical(commands::canonical::Args),
    /// The transparency log: check it, write it as files, follow another one
    Log(commands::log::Args),
    /// Cosign the logs of others (C2SP tlog-witness)
    Witness(commands::witness::Args),
    /// Signing keys: list them, or replace one
    Key(commands::key::Args),
    /// Licences: make one, list them, end one
    Licence(commands::licence::Args),
    /// Measure every domain of a ranked list
    Census(commands::census::Args),
    /// Stop free scans, or let them go on
    Scans(commands::scans::Args),
    /// Show the configuration that is in force
    Config(commands::config::Args),
    /// Look for what is wrong with this set-up
    Doctor(commands::doctor::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Serve(args) => commands::serve::run(args),
        Command::Demo(args) => commands::demo::run(args),
        Command::Lab(args) => commands::lab::run(args),
        Command::Scan(args) => commands::scan::run(args),
        Command::Resolve(args) => commands::resolve::run(args),
        Command::Preflight(args) => commands::preflight::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Replay(args) => commands::replay::run(args),
        Command::Robots(args) => commands::robots::run(args),
        Command::Canonical(args) => commands::canonical::run(args),
        Command::Log(args) => commands::log::run(args),
        Command::Witness(args) => commands::witness::run(args),
        Command::Key(args) => commands::key::run(args),
        Command::Licence(args) => commands::licence::run(args),
        Command::Census(args) => commands::census::run(args),
        Command::Scans(args) => commands::scans::run(args),
        Command::Config(args) => commands::config::run(args),
        Command::Doctor(args) => commands::doctor::run(args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            output::problem(&format!("{error:#}"));
            ExitCode::from(exit::FAILED)
        }
    }
}
