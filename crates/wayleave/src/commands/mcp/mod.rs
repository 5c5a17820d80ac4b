//! `wayleave mcp`: scans an MCP server, locks what it lists, and compares it with a lock; or is one.

mod check;
mod lock;
mod process;
mod report;
mod scan;
mod serve;
mod source;
mod words;

use anyhow::Result;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Read what a server lists, and say what each rule found in it
    Scan(scan::ScanArgs),
    /// Write the lock of what a server lists, to be committed
    Lock(lock::LockArgs),
    /// Compare a server with a lock
    Check(check::CheckArgs),
    /// Offer the tools of Wayleave to a desktop client
    Serve(serve::ServeArgs),
}

pub(crate) fn run(args: Args) -> Result<u8> {
    match args.command {
        Command::Scan(args) => scan::run(args),
        Command::Lock(args) => lock::run(args),
        Command::Check(args) => check::run(args),
        Command::Serve(args) => serve::run(args),
    }
}
