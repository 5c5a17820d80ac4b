//! `wayleave scan`: one scan to the terminal, here or by a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::{Finding, Grade, ScanRecord, Severity, Visibility};
use door::{Door, SystemClock};
use service::{Scanner, SystemIds};

use super::canonical::read;
use super::{in_force, remote, scan_progress};
use crate::config::ConfigArgs;
use crate::output::{Tone, harmless, toned};
use crate::report::baseline::{Baseline, Change, at_or_above};
use crate::report::{self, Look, fixes, sarif};
use crate::{exit, output, telemetry, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 scanned (and at or above --fail-under, with nothing that --fail-on names), \
                  1 unreachable or not so, 2 not scanned.\n\
                  Without --url nothing is kept, and the record is not signed.\n\n\
                  In a build: wayleave scan shop.example --fail-on medium --baseline last.json --sarif out.sarif"
)]
pub(crate) struct Args {
    /// Domain or address to scan
    domain: String,
    /// Ask this server instead of scanning from here
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Exit with 1 when the grade is below this letter
    #[arg(long, value_name = "LETTER", value_parser = letter)]
    fail_under: Option<Grade>,
    /// Exit with 1 when there is a finding of this severity or above: high, medium, low, info
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    fail_on: Option<Severity>,
    /// An earlier scan (--json or --sarif): only findings that are not in it count for --fail-on
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0 to a file; without one, to standard output instead of the
    /// report
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    sarif: Option<PathBuf>,
    /// Write what findings offer to copy into this folder, one file each
    #[arg(long, value_name = "DIR")]
    fixes: Option<PathBuf>,
    /// The whole record as JSON
    #[arg(long)]
    json: bool,
    /// Show every rule with what it gave
    #[arg(long)]
    ledger: bool,
    /// Show everything: the ledger, every path, the commands that repeat each read
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let sarif_is_the_result = args.sarif.as_deref() == Some(Path::new("-"));
    if args.json && sarif_is_the_result {
        bail!("--json and --sarif both go to standard output: give --sarif a file");
    }
    // What is wrong with a file is said before anything is read for it.
    let baseline = args
        .baseline
        .as_deref()
        .map(|file| anyhow::Ok((file, read(file)?)))
        .transpose()
        .context("--baseline")?;
    let runtime = wiring::runtime()?;
    let bytes = match &args.url {
        Some(server) => runtime.block_on(ask(server, &args.domain))?,
        None => serde_json::to_vec(&runtime.block_on(look(&args))?)?,
    };
    let record: ScanRecord = serde_json::from_slice(&bytes).context("the record cannot be read")?;
    let baseline = baseline
        .map(|(file, bytes)| {
            Baseline::read(&bytes, record.domain.as_str())
                .with_context(|| format!("--baseline {}", file.display()))
        })
        .transpose()?;
    // Nothing was judged where nothing answered, so nothing is gone either.
    let reached = record.unreachable != Some(true);
    let change = baseline.as_ref().filter(|_| reached).map(|earlier| earlier.compare(&record));

    if let Some(file) = &args.sarif {
        write_sarif(file, &sarif::log(&record, change.as_ref()))?;
    }
    if let Some(folder) = args.fixes.as_deref().filter(|_| reached) {
        let files = fixes::write(folder, &record)?;
        output::note(&format!("{} files are in {}.", files.len(), folder.display()));
    }
    if args.json {
        output::raw(&bytes);
        output::line("");
    } else if !sarif_is_the_result {
        let (width, colours) = (output::width(), output::colours());
        let look = Look { width, colours, ledger: args.ledger, verbose: args.verbose };
        output::raw(report::text(&record, look).as_bytes());
    }
    if let Some(change) = &change {
        // Beside a result for machines this is only a remark.
        let partly = !record.non_observations.is_empty();
        show_change(change, partly, args.json || sarif_is_the_result);
    }
    let below = args.fail_under.as_ref().is_some_and(|bar| !reaches(record.grade.as_ref(), bar));
    let failing = failing(&record, change.as_ref(), args.fail_on.as_ref());
    if !failing.is_empty() {
        let titles: Vec<String> = failing.iter().map(|f| harmless(&f.title)).collect();
        output::note(&format!("--fail-on: {}.", titles.join("; ")));
    }
    Ok(if !reached || below || !failing.is_empty() { exit::BAD } else { exit::GOOD })
}

/// The findings that `--fail-on` is about: all, or those that are new.
fn failing<'a>(
    record: &'a ScanRecord,
    change: Option<&Change<'a>>,
    least: Option<&Severity>,
) -> Vec<&'a Finding> {
    match (least, change) {
        (None, _) => Vec::new(),
        (Some(least), Some(change)) => at_or_above(change.new.iter().copied(), least),
        (Some(least), None) => at_or_above(&record.findings, least),
    }
}

fn show_change(change: &Change<'_>, partly_measured: bool, as_remark: bool) {
    let say = |text: &str| if as_remark { output::note(text) } else { output::line(text) };
    let (new, gone) = (change.new.len(), change.gone.len());
    say(&format!("\nSince the baseline: {new} new, {gone} gone"));
    for finding in &change.new {
        let line = format!("  new  [{}] {}", finding.severity, harmless(&finding.title));
        say(&if as_remark { line } else { toned(Tone::Bad, &line) });
    }
    for title in &change.gone {
        let line = format!("  gone {}", harmless(title));
        say(&if as_remark { line } else { toned(Tone::Good, &line) });
    }
    if gone > 0 && partly_measured {
        say("  Not all of it was measured this time: what is gone may be what was not seen.");
    }
}

fn write_sarif(file: &Path, log: &sarif::Log) -> Result<()> {
    if file == Path::new("-") {
        return output::json(log);
    }
    let text = serde_json::to_string_pretty(log)?;
    std::fs::write(file, format!("{text}\n"))
        .with_context(|| format!("--sarif {} cannot be written", file.display()))
}

/// Scans from here.
async fn look(args: &Args) -> Result<ScanRecord> {
    let config = in_force(&args.config)?;
    telemetry::start(&config.log)?;
    let clock = Arc::new(SystemClock);
    let door = Door::new(wiring::policy(&config.network)?, clock.clone())?;
    let scanner = Scanner::new(
        &wiring::settings(&config)?,
        door,
        wiring::catalogue(&config)?,
        clock,
        Arc::new(SystemIds),
    );
    let domain = scanner.domain(&args.domain)?;
    let bar = scan_progress::bar(domain.as_str());
    let looked =
        scanner.look(&domain, Visibility::Public, &|step| scan_progress::tell(&bar, &step)).await;
    bar.finish_and_clear();
    let mut record = looked?.record;
    // Nothing is kept, so there is nothing to point to.
    record.links.report = None;
    record.links.raw = None;
    record.links.graph = None;
    Ok(record)
}

/// Asks a server, which tells nothing until it is done.
async fn ask(server: &str, domain: &str) -> Result<Vec<u8>> {
    let body = serde_json::json!({ "domain": domain }).to_string();
    let waiting = scan_progress::waiting(server);
    let answer = remote::post(&format!("{}/api/scan", server.trim_end_matches('/')), body).await;
    waiting.finish_and_clear();
    let (status, bytes) = answer?;
    if status != 200 {
        bail!("the server answered {status}: {}", harmless(&remote::said(&bytes)));
    }
    Ok(bytes)
}

fn letter(text: &str) -> Result<Grade, String> {
    Grade::known(&text.to_ascii_uppercase())
        .ok_or_else(|| format!("expected one of {}", Grade::WORDS.join(", ")))
}

fn severity(text: &str) -> Result<Severity, String> {
    Severity::known(&text.to_ascii_lowercase())
        .ok_or_else(|| format!("expected one of {}", Severity::WORDS.join(", ")))
}

/// Whether a grade is at or above a bar. No grade reaches none.
fn reaches(grade: Option<&Grade>, bar: &Grade) -> bool {
    let place = |grade: &Grade| Grade::WORDS.iter().position(|word| *word == grade.as_str());
    match (grade.and_then(place), place(bar)) {
        (Some(grade), Some(bar)) => grade <= bar,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_reached_by_itself_and_by_better_letters() {
        assert!(reaches(Some(&Grade::A), &Grade::B));
        assert!(reaches(Some(&Grade::B), &Grade::B));
        assert!(!reaches(Some(&Grade::C), &Grade::B));
        assert!(!reaches(None, &Grade::F));
        assert_eq!(letter("b"), Ok(Grade::B));
        assert!(letter("E").is_err());
        assert_eq!(severity("High"), Ok(Severity::High));
        assert!(severity("worst").is_err());
    }
}
