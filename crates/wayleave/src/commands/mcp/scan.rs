//! `wayleave mcp scan`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use contract::records::{McpScan, McpScanState, McpTier};
use sarif::RepositoryFile;

use super::report::print_scan;
use super::source::{LocalSource, SourceArgs};
use crate::commands::remote;
use crate::commands::scan::write_sarif;
use crate::{exit, output, wiring};

/// Nothing could be said about the server: it did not answer, is no MCP server or asks for credentials.
pub(super) const NOT_READ: u8 = 3;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Only lists are read: no tool is called, no prompt or resource is fetched, no credential is sent. \
                  Without --server nothing is signed or stored.\n\n\
                  Exit codes: 0 no finding of --fail-on, 1 such a finding, 2 wrong usage, or only a part could be read, \
                  3 not reached, not an MCP server, or it asks for credentials (then --sarif writes nothing).\n\n\
                  In CI: wayleave mcp scan --command 'node server.js' --sarif mcp.sarif"
)]
pub(super) struct ScanArgs {
    /// Address of the server, such as https://example.com/mcp
    #[arg(value_name = "URL", required_unless_present = "command", conflicts_with = "command")]
    url: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
    /// With --server: read the MCP server now, also if the service has a scan of the last 15 minutes
    #[arg(long, requires = "server")]
    live: bool,
    /// Exit with 1 for findings of this tier: hard, or soft for all
    #[arg(long, value_name = "TIER", default_value = "hard", value_parser = parse_tier)]
    fail_on: McpTier,
    /// Print the whole record as JSON
    #[arg(long)]
    json: bool,
    /// Write the findings as SARIF 2.1.0 to FILE, or with - to standard output instead of the report
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// File of your repository that the SARIF results are shown at, such as mcp.lock.json; code hosts show no
    /// results at addresses
    #[arg(long, value_name = "PATH", value_parser = RepositoryFile::parse, requires = "sarif")]
    sarif_file: Option<RepositoryFile>,
}

pub(super) fn run(args: ScanArgs) -> Result<u8> {
    let sarif_is_the_result = args.sarif.as_deref() == Some(Path::new("-"));
    if args.json && sarif_is_the_result {
        bail!("--json and --sarif both write to standard output; give --sarif a file");
    }
    let (scan, bytes) = wiring::runtime()?.block_on(read(&args))?;
    if args.json {
        output::print_bytes(&bytes);
        output::print_line("");
    } else if !sarif_is_the_result {
        print_scan(&scan);
    }
    if !matches!(scan.state, McpScanState::Observed | McpScanState::Incomplete) {
        let why = scan.why.as_deref().unwrap_or("no reason is recorded");
        output::print_note(&format!(
            "The server was not read ({}): {}",
            scan.state,
            output::sanitize_for_terminal(why)
        ));
        return Ok(NOT_READ);
    }
    if let Some(file) = &args.sarif {
        write_sarif(file, &sarif::mcp_log(&scan, args.sarif_file.as_ref()))?;
    }
    let counts = |tier: &McpTier| args.fail_on == McpTier::Soft || *tier != McpTier::Soft;
    if scan.findings.iter().any(|finding| counts(&finding.tier)) {
        return Ok(exit::CHECK_FAILED);
    }
    if scan.state == McpScanState::Incomplete {
        output::print_note(
            "Only a part of the lists could be read, so the server is not called clean.",
        );
        return Ok(exit::COULD_NOT_CHECK);
    }
    Ok(exit::PASSED)
}

async fn read(args: &ScanArgs) -> Result<(McpScan, Vec<u8>)> {
    let url = args.url.as_deref().unwrap_or_default();
    if let Some(base) = &args.source.server {
        let address = SourceArgs::service_address(base, "scan", url, args.live)?;
        let bytes = remote::get_json(&address, &args.source.key).await?;
        let scan = serde_json::from_slice(&bytes).context("the service sent no valid record")?;
        return Ok((scan, bytes));
    }
    let source = match &args.source.command {
        Some(command) => LocalSource::Process(command),
        None => LocalSource::Address(url),
    };
    let scan = args.source.read(source).await?.scan;
    let bytes = serde_json::to_vec(&scan)?;
    Ok((scan, bytes))
}

fn parse_tier(text: &str) -> Result<McpTier, String> {
    McpTier::from_word(text).ok_or_else(|| format!("expected one of {}", McpTier::WORDS.join(", ")))
}
