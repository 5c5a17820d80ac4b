//! `wayleave verify`: verifies signed documents without trusting the service.

mod evidence_file;
mod explanation;
mod log_copy;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use contract::{Brand, Clock};
use door::SystemClock;
use proof::verify::{CheckOutcome, Conclusion, Verdict};
use proof::{KeyPolicy, Verifier};
use serde_json::Value;

use self::evidence_file::EvidenceFile;
use self::explanation::{Explanation, VerifierInputs};
use super::canonical::read_file_or_stdin;
use crate::output::{Tone, colour_for_terminal};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Recomputes digest and signature of each document and prints every check (ok, failed or not checked), \
                  what they prove, and what they do not. A document is accepted only if every check passed, so give --keys: without published keys it cannot \
                  be known who signed.\n\
                  Evidence (/r/ID.raw.json) is not signed: give it together with its record (/r/ID.json), which states \
                  its digest.\n\n\
                  Exit codes: 0 every file is accepted, 1 at least one is refused or not (fully) checked, 2 a file, \
                  key directory or log could not be read."
)]
pub(crate) struct Args {
    /// Signed documents; `-` reads standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Published keys: a key directory file, or the URL of a service
    #[arg(long, value_name = "FILE|URL")]
    keys: Option<String>,
    /// Key rotation record, if --keys is a file
    #[arg(long, value_name = "FILE")]
    rotation: Option<PathBuf>,
    /// Also check the documents against a log: the folder of an exported log, or the URL of a
    /// service
    #[arg(long, value_name = "DIR|URL")]
    log: Option<String>,
    /// Brand the documents are signed under
    #[arg(long, default_value = Brand::DEFAULT)]
    brand: String,
    /// Print the verdicts as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let brand = Brand::new(&args.brand).context("--brand")?;
    let policy = load_key_policy(&args, &brand)?.at(SystemClock.now());
    let documents =
        args.files.iter().map(|file| read_file_or_stdin(file)).collect::<Result<Vec<_>>>()?;
    let log = match &args.log {
        Some(location) => Some(log_copy::read_log(location, &documents, policy.clone(), &brand)?),
        None => None,
    };
    let inputs = VerifierInputs { keys: args.keys.is_some(), log: args.log.is_some() };
    // Answers of one batch of the log share a head, which is verified once.
    let mut verifier = Verifier::new(&policy, &brand);
    let mut verdicts = Vec::new();
    let mut evidence_files = Vec::new();
    for (file, document) in args.files.iter().zip(&documents) {
        if let Some(evidence) = EvidenceFile::recognise(document) {
            let mut others = args.files.iter().zip(&documents);
            let record = others.find(|(_, other)| evidence.is_of(other)).map(|(file, _)| file);
            evidence_files.push((file, evidence, record));
            continue;
        }
        let mut verdict = verifier.verify(document);
        if let Some(log) = &log {
            verdict.check_against_log(document, log, &brand);
        }
        verdicts.push((file, verdict));
    }
    if args.json {
        let signed = verdicts.iter().map(|(file, verdict)| {
            let Explanation { proven, unproven } = Explanation::of(verdict, inputs);
            serde_json::json!({
                "file": file.display().to_string(),
                "conclusion": verdict.conclusion(),
                "verdict": verdict,
                "proven": proven,
                "unproven": unproven,
            })
        });
        let evidence = evidence_files.iter().map(|(file, evidence, record)| {
            serde_json::json!({
                "file": file.display().to_string(),
                "evidence_sha256": evidence.sha256,
                "record": record.map(|record| record.display().to_string()),
            })
        });
        let list: Vec<Value> = signed.chain(evidence).collect();
        output::print_json(&list)?;
    } else {
        for (file, verdict) in &verdicts {
            print_verdict(file, verdict, &brand);
            print_explanation(&Explanation::of(verdict, inputs));
        }
        for (file, evidence, record) in &evidence_files {
            print_evidence(file, evidence, record.map(PathBuf::as_path));
        }
    }
    let all = verdicts.iter().all(|(_, verdict)| verdict.accepted())
        && evidence_files.iter().all(|(_, _, record)| record.is_some());
    Ok(if all { exit::PASSED } else { exit::CHECK_FAILED })
}

/// Loads the published keys, from files or from a service.
fn load_key_policy(args: &Args, brand: &Brand) -> Result<KeyPolicy> {
    let Some(keys) = &args.keys else { return Ok(KeyPolicy::without_directory()) };
    let parse = |bytes: &[u8], what: &str| {
        proof::canonical::parse_strict(bytes).with_context(|| format!("{what} is not valid"))
    };
    let (directory, rotation) = if keys.starts_with("http://") || keys.starts_with("https://") {
        let base = keys.trim_end_matches('/').trim_end_matches(service::KEY_DIRECTORY_PATH);
        let (directory, rotation) = wiring::runtime()?.block_on(async {
            let directory =
                super::remote::get_ok(&format!("{base}{}", service::KEY_DIRECTORY_PATH)).await?;
            let rotation =
                super::remote::get_ok(&format!("{base}{}", service::KEY_ROTATION_PATH)).await?;
            anyhow::Ok((directory, rotation))
        })?;
        (directory, Some(rotation))
    } else {
        (
            read_file_or_stdin(Path::new(keys))?,
            args.rotation.as_deref().map(read_file_or_stdin).transpose()?,
        )
    };
    let directory = parse(&directory, "the key directory")?;
    let rotation = rotation.map(|bytes| parse(&bytes, "the rotation record")).transpose()?;
    Ok(KeyPolicy::from_directory(&directory, rotation.as_ref(), brand)?)
}

/// What the evidence is to be held against, and whether that was done.
fn print_evidence(file: &Path, evidence: &EvidenceFile, record: Option<&Path>) {
    let (tone, word) = match record {
        Some(_) => (Tone::Good, "belongs to its record"),
        None => (Tone::Warning, "not checked: give its record too"),
    };
    let word = colour_for_terminal(tone, word);
    output::print_line(&format!("{}: {word} (evidence, not signed)", file.display()));
    output::print_line(&format!("  sha256 {}", evidence.sha256));
    output::print_line(&match record {
        Some(record) => format!(
            "  {} states this digest as evidence_sha256. The evidence is as good as that record's signature (above).",
            record.display()
        ),
        None => format!(
            "  The record of the scan of {} (/r/ID.json) states its digest as evidence_sha256: \
             give both files. `wayleave replay` computes the record from the evidence.",
            output::sanitize_for_terminal(&evidence.domain)
        ),
    });
}

fn print_explanation(told: &Explanation) {
    output::print_line(if told.proven.is_empty() { "  Proven: nothing." } else { "  Proven:" });
    for line in &told.proven {
        output::print_line(&format!("    - {line}"));
    }
    output::print_line("  Not proven:");
    for line in &told.unproven {
        output::print_line(&format!("    - {line}"));
    }
}

fn print_verdict(file: &Path, verdict: &Verdict, brand: &Brand) {
    let (tone, word) = match verdict.conclusion() {
        Conclusion::Accepted => (Tone::Good, "accepted"),
        Conclusion::Incomplete => (Tone::Warning, "not fully checked"),
        Conclusion::Refused => (Tone::Bad, "refused"),
    };
    let kind = verdict.kind.as_deref().unwrap_or("no kind");
    output::print_line(&format!(
        "{}: {} ({})",
        file.display(),
        colour_for_terminal(tone, word),
        output::sanitize_for_terminal(kind)
    ));
    for check in &verdict.checks {
        let tone = match check.ok {
            CheckOutcome::Passed => Tone::Good,
            CheckOutcome::Failed => Tone::Bad,
            CheckOutcome::NotChecked => Tone::Warning,
        };
        output::print_line(&format!(
            "  {}  {}: {}",
            colour_for_terminal(tone, &format!("{:<11}", check.ok.to_string())),
            check.name,
            output::sanitize_for_terminal(&check.detail)
        ));
    }
    // A document of another brand fails at its kind, and the reader may not know brands.
    let other = verdict.kind.as_deref().and_then(|kind| kind.split_once('-')).map(|(name, _)| name);
    let other = other.filter(|name| *name != brand.as_str()).and_then(|name| Brand::new(name).ok());
    if let Some(other) = other {
        let other = other.as_str();
        output::print_line(&format!(
            "  Its kind begins with `{other}`. If that is the brand of the service, use --brand {other}."
        ));
    }
}
