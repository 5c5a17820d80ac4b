//! Wayleave: check how a website treats AI agents, and get signed, evidence-backed answers before
//! acting.
//!
//! The binary: configuration, wiring and commands. The logic is in the other crates.

mod access_logs;
mod audit;
mod build_info;
mod commands;
mod config;
mod logging;
mod output;
mod reload;
mod report;
mod shutdown;
mod tls_files;
mod wiring;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

/// Making an answer takes thousands of short allocations, on several threads; with the allocator of the system they
/// take a third of its time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Exit codes that scripts can rely on.
pub(crate) mod exit {
    /// The check passed, or the command did its work.
    pub(crate) const PASSED: u8 = 0;
    /// It was checked and failed (a tampered file, a grade below `--fail-under`, a bad installation).
    pub(crate) const CHECK_FAILED: u8 = 1;
    /// It could not be checked (wrong usage, unreadable file, no network).
    pub(crate) const COULD_NOT_CHECK: u8 = 2;
    /// A running server stopped because a part of it failed. A restart may help.
    pub(crate) const SERVER_FAILED: u8 = 3;
    /// A second Ctrl-C ended a server that was stopping.
    pub(crate) const INTERRUPTED: u8 = 130;
}

#[derive(Debug, Parser)]
#[command(
    name = "wayleave",
    version,
    about = "Check how a website treats AI agents, and get signed, evidence-backed answers before acting",
    after_help = "Exit codes: 0 passed, 1 checked and failed, 2 could not be checked.\n\
                  Run `wayleave COMMAND --help` for the options of a command."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the HTTP API and the web pages
    Serve(commands::serve::Args),
    /// Run the service against the built-in lab of test sites; needs no internet
    #[cfg(feature = "demo")]
    Demo(commands::demo::Args),
    /// List or run the lab: test sites with their own DNS and TLS on loopback
    #[cfg(feature = "demo")]
    Lab(commands::lab::Args),
    /// Scan one domain and report how it treats AI agents
    Scan(commands::scan::Args),
    /// Decide what agents may do at a domain: one decision per action, with reasons
    Resolve(commands::resolve::Args),
    /// Show what the registry says about a domain: registrar, dates, status
    Domain(commands::domain::Args),
    /// Check whether an agent may take one action at a URL or domain now
    Preflight(commands::preflight::Args),
    /// Scan an MCP server, lock what it lists, or compare it with a lock
    Mcp(commands::mcp::Args),
    /// Check whether a visitor of a site is the agent that it claims to be
    Visitor(commands::visitor::Args),
    /// Count how agents behaved on your site, from its access logs
    Conduct(commands::conduct::Args),
    /// List the known agents, and the lists of their addresses
    Agents(commands::agents::Args),
    /// Verify signed documents: digest, signature, key, inclusion in the log
    Verify(commands::verify::Args),
    /// Recompute the record of a stored scan from its evidence, and compare
    Replay(commands::replay::Args),
    /// Check what a robots.txt file allows an agent, and which line decides
    Robots(commands::robots::Args),
    /// Print a JSON file in canonical form (RFC 8785)
    Canonical(commands::canonical::Args),
    /// Check everything that is stored, and report every fault
    Fsck(commands::fsck::Args),
    /// Export or monitor a transparency log
    Log(commands::log::Args),
    /// Run a witness that cosigns other services' logs (C2SP tlog-witness)
    Witness(commands::witness::Args),
    /// Delete a stored report
    Report(commands::report::Args),
    /// Copy the data directory into a backup, also while a server is running
    Backup(commands::backup::Args),
    /// Put a backup into service
    Restore(commands::restore::Args),
    /// List or rotate signing keys, or mark one as compromised
    Key(commands::key::Args),
    /// Create, list, rotate or revoke licences
    Licence(commands::licence::Args),
    /// Show what operators and licence holders did
    Audit(commands::audit::Args),
    /// List, check or end claims of control over domains, and incidents
    Control(commands::control::Args),
    /// Ask AI engines about a business and compare, or show what a server recorded
    Accuracy(commands::accuracy::Args),
    /// Check a value (telephone, address, hours, …) against what a business publishes
    FieldCheck(commands::field_check::Args),
    /// Add, list or delete webhooks of a licence
    Webhook(commands::webhook::Args),
    /// Scan every domain of a ranked list
    Census(commands::census::Args),
    /// Pause or resume free scans, or show whether they are paused
    Scans(commands::scans::Args),
    /// Print the effective configuration, or list every key
    Config(commands::config::Args),
    /// Check this installation for problems
    Doctor(commands::doctor::Args),
    /// Print a completion script for a shell
    Completions(commands::completions::Args),
    /// Write the manual pages of all commands into a folder
    Man(commands::man::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(args) => commands::serve::run(args),
        #[cfg(feature = "demo")]
        Command::Demo(args) => commands::demo::run(args),
        #[cfg(feature = "demo")]
        Command::Lab(args) => commands::lab::run(args),
        Command::Scan(args) => commands::scan::run(args),
        Command::Resolve(args) => commands::resolve::run(args),
        Command::Domain(args) => commands::domain::run(args),
        Command::Mcp(args) => commands::mcp::run(args),
        Command::Visitor(args) => commands::visitor::run(args),
        Command::Conduct(args) => commands::conduct::run(args),
        Command::Agents(args) => commands::agents::run(args),
        Command::Preflight(args) => commands::preflight::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Replay(args) => commands::replay::run(args),
        Command::Robots(args) => commands::robots::run(args),
        Command::Canonical(args) => commands::canonical::run(args),
        Command::Fsck(args) => commands::fsck::run(args),
        Command::Log(args) => commands::log::run(args),
        Command::Witness(args) => commands::witness::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Backup(args) => commands::backup::run(args),
        Command::Restore(args) => commands::restore::run(args),
        Command::Key(args) => commands::key::run(args),
        Command::Licence(args) => commands::licence::run(args),
        Command::Audit(args) => commands::audit::run(args),
        Command::Control(args) => commands::control::run(args),
        Command::Accuracy(args) => commands::accuracy::run(args),
        Command::FieldCheck(args) => commands::field_check::run(args),
        Command::Webhook(args) => commands::webhook::run(args),
        Command::Census(args) => commands::census::run(args),
        Command::Scans(args) => commands::scans::run(args),
        Command::Config(args) => commands::config::run(args),
        Command::Doctor(args) => commands::doctor::run(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    };
    let code = result.unwrap_or_else(|error| {
        output::print_error(&format!("{error:#}"));
        exit::COULD_NOT_CHECK
    });
    logging::flush();
    ExitCode::from(code)
}
