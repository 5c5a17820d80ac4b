//! `wayleave canonical`: prints the canonical form (RFC 8785) of a JSON file, for auditors.

use std::io::Read;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{exit, output};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints the exact bytes that are hashed and signed, without a line feed at the end. A signed \
                  document's `sha256` is over its members without `sha256` and `signature`.\n\n\
                  Exit codes: 0 printed, 2 the file cannot be read or is not strict JSON."
)]
pub(crate) struct Args {
    /// JSON file; `-` reads standard input
    file: PathBuf,
    /// Print the SHA-256 of the canonical form instead
    #[arg(long)]
    sha256: bool,
    /// Print an object with the canonical text and its SHA-256
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let bytes = read_file_or_stdin(&args.file)?;
    let value = proof::canonical::parse_strict(&bytes)
        .with_context(|| format!("{} has no canonical form", args.file.display()))?;
    let canonical = proof::canonical::value_to_vec(&value)?;
    let digest = proof::sha256(&canonical).to_string();
    if args.json {
        let text = String::from_utf8_lossy(&canonical);
        output::print_json(&serde_json::json!({ "canonical": text, "sha256": digest }))?;
    } else if args.sha256 {
        output::print_line(&digest);
    } else {
        // No line feed: these are exactly the bytes that are hashed.
        output::print_bytes(&canonical);
    }
    Ok(exit::PASSED)
}

/// The bytes of a file, or of standard input for `-`.
pub(super) fn read_file_or_stdin(file: &std::path::Path) -> Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
        return Ok(bytes);
    }
    std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
}
