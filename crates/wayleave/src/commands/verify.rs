//! `wayleave verify`: checking us without trusting us.

mod log_copy;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use contract::Brand;
use proof::verify::{Conclusion, Outcome, Verdict};
use proof::{KeyPolicy, verify_document};
use serde_json::Value;

use super::canonical::read;
use crate::output::{Tone, toned};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every file is accepted, 1 one is not, 2 one could not be looked at."
)]
pub(crate) struct Args {
    /// Signed documents; `-` reads standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The key directory: a file, or the address of a service (its well-known paths are read)
    #[arg(long, value_name = "FILE|URL")]
    keys: Option<String>,
    /// The rotation record, when the directory is a file
    #[arg(long, value_name = "FILE")]
    rotation: Option<PathBuf>,
    /// A log to hold the documents against: the folder of an exported one, or the address of a
    /// service
    #[arg(long, value_name = "DIR|URL")]
    log: Option<String>,
    /// The brand the documents are signed under
    #[arg(long, default_value = Brand::DEFAULT)]
    brand: String,
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let brand = Brand::new(&args.brand).context("--brand")?;
    let policy = policy(&args, &brand)?;
    let documents = args.files.iter().map(|file| read(file)).collect::<Result<Vec<_>>>()?;
    let log = match &args.log {
        Some(place) => Some(log_copy::read(place, &documents, policy.clone(), &brand)?),
        None => None,
    };
    let mut verdicts = Vec::new();
    for (file, document) in args.files.iter().zip(&documents) {
        let mut verdict = verify_document(document, &policy, &brand);
        if let Some(log) = &log {
            verdict.hold_against(document, log, &brand);
        }
        verdicts.push((file, verdict));
    }
    if args.json {
        let list: Vec<Value> = verdicts
            .iter()
            .map(|(file, verdict)| {
                serde_json::json!({
                    "file": file.display().to_string(),
                    "conclusion": verdict.conclusion(),
                    "verdict": verdict,
                })
            })
            .collect();
        output::json(&list)?;
    } else {
        for (file, verdict) in &verdicts {
            show(file, verdict);
        }
    }
    let all = verdicts.iter().all(|(_, verdict)| verdict.accepted());
    Ok(if all { exit::GOOD } else { exit::BAD })
}

/// The published keys: from files, or from the service itself.
fn policy(args: &Args, brand: &Brand) -> Result<KeyPolicy> {
    let Some(keys) = &args.keys else { return Ok(KeyPolicy::without_directory()) };
    let parse = |bytes: &[u8], what: &str| {
        proof::canonical::parse_strict(bytes).with_context(|| format!("{what} is not valid"))
    };
    let (directory, rotation) = if keys.starts_with("http://") || keys.starts_with("https://") {
        let base = keys.trim_end_matches('/').trim_end_matches(service::KEY_DIRECTORY_PATH);
        let (directory, rotation) = wiring::runtime()?.block_on(async {
            let directory =
                super::remote::get(&format!("{base}{}", service::KEY_DIRECTORY_PATH)).await?;
            let rotation =
                super::remote::get(&format!("{base}{}", service::KEY_ROTATION_PATH)).await?;
            anyhow::Ok((directory, rotation))
        })?;
        (directory, Some(rotation))
    } else {
        (read(Path::new(keys))?, args.rotation.as_deref().map(read).transpose()?)
    };
    let directory = parse(&directory, "the key directory")?;
    let rotation = rotation.map(|bytes| parse(&bytes, "the rotation record")).transpose()?;
    Ok(KeyPolicy::from_directory(&directory, rotation.as_ref(), brand)?)
}

fn show(file: &Path, verdict: &Verdict) {
    let (tone, word) = match verdict.conclusion() {
        Conclusion::Accepted => (Tone::Good, "accepted"),
        Conclusion::Incomplete => (Tone::Doubt, "not fully checked"),
        Conclusion::Refused => (Tone::Bad, "refused"),
    };
    let kind = verdict.kind.as_deref().unwrap_or("no kind");
    output::line(&format!(
        "{}: {} ({})",
        file.display(),
        toned(tone, word),
        output::harmless(kind)
    ));
    for check in &verdict.checks {
        let tone = match check.ok {
            Outcome::Passed => Tone::Good,
            Outcome::Failed => Tone::Bad,
            Outcome::NotChecked => Tone::Doubt,
        };
        output::line(&format!(
            "  {}  {}: {}",
            toned(tone, &format!("{:<11}", check.ok.to_string())),
            check.name,
            output::harmless(&check.detail)
        ));
    }
}
