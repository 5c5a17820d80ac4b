//! `wayleave mcp check`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use contract::Clock;
use contract::records::{McpDriftLevel, McpLockCheck};
use door::SystemClock;
use sarif::RepositoryFile;
use serde_json::{Value, json};
use service::mcp::{DriftPolicy, server_of_lock};

use super::lock::LOCK_FILE;
use super::report::print_check;
use super::source::{LocalSource, SourceArgs};
use crate::commands::canonical::read_file_or_stdin;
use crate::commands::remote;
use crate::commands::scan::write_sarif;
use crate::{output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads the server that the lock names, or the one of --command, and prints one line for each difference. \
                  Without --server the signature of a lock is not checked: there are no keys to check it with.\n\n\
                  Exit codes: 0 the lists are the locked ones, 1 they differ, 2 they cannot be compared (also a bad lock or \
                  wrong usage), 3 not reached, or the server asks for credentials.\n\n\
                  In CI: wayleave mcp check mcp.lock.json --policy prose=block"
)]
pub(super) struct CheckArgs {
    /// The lock; - for standard input
    #[arg(value_name = "FILE", default_value = LOCK_FILE)]
    lock: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
    /// How much each kind of change weighs: prose, added, removed or contract = info, confirm or block, with commas
    #[arg(long, value_name = "KIND=LEVEL,…", value_parser = parse_policy)]
    policy: Option<DriftPolicy>,
    /// Print the whole record as JSON
    #[arg(long)]
    json: bool,
    /// Write the differences as SARIF 2.1.0 to FILE, or with - to standard output instead of the report
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
}

pub(super) fn run(args: CheckArgs) -> Result<u8> {
    let sarif_is_the_result = args.sarif.as_deref() == Some(Path::new("-"));
    if args.json && sarif_is_the_result {
        bail!("--json and --sarif both write to standard output; give --sarif a file");
    }
    let lock = read_file_or_stdin(&args.lock)?;
    let url = server_of_lock(&lock)
        .with_context(|| format!("{} is not a lock that can be used", args.lock.display()))?;
    let (check, bytes) = wiring::runtime()?.block_on(compare(&args, &lock, url.as_deref()))?;
    if args.json {
        output::print_bytes(&bytes);
        output::print_line("");
    } else if !sarif_is_the_result {
        print_check(&check);
    }
    if let Some(file) = &args.sarif {
        // Differences are shown at the lock: it is what must change if they are accepted.
        let shown_at = args.lock.to_str().and_then(|path| RepositoryFile::parse(path).ok());
        write_sarif(file, &sarif::mcp_check_log(&check, shown_at.as_ref()))?;
    }
    Ok(check.exit_code)
}

async fn compare(
    args: &CheckArgs,
    lock: &[u8],
    url: Option<&str>,
) -> Result<(McpLockCheck, Vec<u8>)> {
    let policy = args.policy.clone().unwrap_or_default();
    if let Some(base) = &args.source.server {
        let lock: Value = serde_json::from_slice(lock)?;
        let address = format!("{}/api/v1/mcp/lock/check", base.trim_end_matches('/'));
        let body = json!({ "lock": lock, "policy": policy }).to_string();
        let bytes = remote::post_json(&address, body, &args.source.key).await?;
        let check = serde_json::from_slice(&bytes).context("the service sent no valid record")?;
        return Ok((check, bytes));
    }
    let source = match (&args.source.command, url) {
        (Some(command), _) => LocalSource::Process(command),
        (None, Some(url)) => LocalSource::Address(url),
        (None, None) => {
            bail!("the lock names no address; name the command of the server: --command")
        }
    };
    let read = args.source.read(source).await?;
    let check = read.check(lock, policy, SystemClock.now())?;
    let bytes = serde_json::to_vec(&check)?;
    Ok((check, bytes))
}

fn parse_policy(text: &str) -> Result<DriftPolicy, String> {
    let mut policy = DriftPolicy::default();
    for part in text.split(',') {
        let (kind, level) = part
            .split_once('=')
            .ok_or_else(|| format!("{part:?} is not KIND=LEVEL, such as prose=block"))?;
        let level = McpDriftLevel::from_word(level.trim())
            .ok_or_else(|| format!("a level is one of {}", McpDriftLevel::WORDS.join(", ")))?;
        let weight = match kind.trim() {
            "prose" => &mut policy.prose,
            "added" => &mut policy.added,
            "removed" => &mut policy.removed,
            "contract" => &mut policy.contract,
            _ => return Err("a kind is one of prose, added, removed, contract".to_owned()),
        };
        *weight = level;
    }
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_kinds_and_levels() {
        let policy = parse_policy("prose=block, added=info").unwrap();
        assert_eq!((policy.prose, policy.added), (McpDriftLevel::Block, McpDriftLevel::Info));
        assert_eq!(policy.contract, DriftPolicy::default().contract);
        for bad in ["", "prose", "prose=", "prose=allow", "text=block", "prose=block,"] {
            assert!(parse_policy(bad).is_err(), "{bad}");
        }
    }
}
