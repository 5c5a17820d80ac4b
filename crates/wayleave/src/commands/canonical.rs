//! `wayleave canonical`: RFC 8785 on its own, for auditors.

use std::io::Read;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{exit, output};

#[derive(Debug, clap::Args)]
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
    let bytes = read(&args.file)?;
    let value = proof::canonical::parse_strict(&bytes)
        .with_context(|| format!("{} cannot be written canonically", args.file.display()))?;
    let canonical = proof::canonical::value_to_vec(&value)?;
    let digest = proof::sha256(&canonical).to_string();
    if args.json {
        let text = String::from_utf8_lossy(&canonical);
        output::json(&serde_json::json!({ "canonical": text, "sha256": digest }))?;
    } else if args.sha256 {
        output::line(&digest);
    } else {
        // No line feed: these are the very bytes that are hashed.
        output::raw(&canonical);
    }
    Ok(exit::GOOD)
}

/// The bytes of a file, or of standard input for `-`.
pub(super) fn read(file: &std::path::Path) -> Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
        return Ok(bytes);
    }
    std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))
}
