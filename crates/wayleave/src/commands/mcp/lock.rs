//! `wayleave mcp lock`.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use contract::Clock;
use contract::records::{McpLock, McpScanState};
use door::SystemClock;
use serde_json::Value;

use super::scan::NOT_READ;
use super::source::{LocalSource, SourceArgs};
use crate::commands::remote;
use crate::output::sanitize_for_terminal;
use crate::{exit, output, wiring};

pub(super) const LOCK_FILE: &str = "mcp.lock.json";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The lock has a digest of each item that the server lists. Review the server (wayleave mcp scan), commit the \
                  lock, and compare with it before you connect (wayleave mcp check). With --server the lock is signed by \
                  the service; without it is not signed.\n\n\
                  The file is replaced as a whole, and only by the lock of a server that was read completely.\n\n\
                  Exit codes: 0 written, 2 wrong usage, or the server was not read completely, 3 not reached, not an MCP \
                  server, or it asks for credentials."
)]
pub(super) struct LockArgs {
    /// Address of the server, such as https://example.com/mcp
    #[arg(value_name = "URL", required_unless_present = "command", conflicts_with = "command")]
    url: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
    /// With --server: read the MCP server now, also if the service has a scan of the last 15 minutes
    #[arg(long, requires = "server")]
    live: bool,
    /// File to write; - for standard output
    #[arg(long, short, value_name = "FILE", default_value = LOCK_FILE)]
    output: PathBuf,
}

pub(super) fn run(args: LockArgs) -> Result<u8> {
    let lock = match wiring::runtime()?.block_on(make(&args))? {
        Made::Lock(lock) => lock,
        Made::NotRead(why) => {
            output::print_note(&format!("No lock was written: {}", sanitize_for_terminal(&why)));
            return Ok(NOT_READ);
        }
    };
    let text = format!("{}\n", serde_json::to_string_pretty(&lock)?);
    if args.output == Path::new("-") {
        output::print_bytes(text.as_bytes());
        return Ok(exit::PASSED);
    }
    replace_file(&args.output, text.as_bytes())
        .with_context(|| format!("{} cannot be written", args.output.display()))?;
    let count = lock.get("count").and_then(Value::as_u64).unwrap_or_default();
    let signed = if lock.get("signature").is_some() { "signed" } else { "not signed" };
    output::print_note(&format!(
        "Wrote {}: {count} tools, {signed}. Commit it.",
        args.output.display()
    ));
    Ok(exit::PASSED)
}

enum Made {
    /// As it was signed, if it was: every member is kept.
    Lock(Value),
    NotRead(String),
}

async fn make(args: &LockArgs) -> Result<Made> {
    let url = args.url.as_deref().unwrap_or_default();
    if let Some(base) = &args.source.server {
        let address = SourceArgs::service_address(base, "lock", url, args.live)?;
        let bytes = remote::get_json(&address, &args.source.key).await?;
        serde_json::from_slice::<McpLock>(&bytes).context("the service sent no valid lock")?;
        return Ok(Made::Lock(serde_json::from_slice(&bytes)?));
    }
    let source = match &args.source.command {
        Some(command) => LocalSource::Process(command),
        None => LocalSource::Address(url),
    };
    let read = args.source.read(source).await?;
    if !matches!(read.scan.state, McpScanState::Observed | McpScanState::Incomplete) {
        let why = read.scan.why.unwrap_or_else(|| format!("the state is {}", read.scan.state));
        return Ok(Made::NotRead(why));
    }
    Ok(Made::Lock(serde_json::to_value(read.lock(SystemClock.now())?)?))
}

/// Writes the new content beside the file and then renames it, so that the file is never half written.
fn replace_file(file: &Path, content: &[u8]) -> std::io::Result<()> {
    let name = file.file_name().ok_or(std::io::ErrorKind::IsADirectory)?.to_string_lossy();
    let beside = file.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = File::create_new(&beside).and_then(|mut new| {
        new.write_all(content)?;
        new.sync_all()?;
        fs::rename(&beside, file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(LOCK_FILE);
        replace_file(&file, b"one").unwrap();
        replace_file(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(replace_file(&taken, b"three").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
