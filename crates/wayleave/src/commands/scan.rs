//! `wayleave scan`: scans one domain, from here or by a server, and prints the report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::{Finding, Grade, ScanRecord, Severity, Visibility};
use contract::{Clock, Timestamp};
use door::SystemClock;
use sarif::RepositoryFile;

use super::canonical::read_file_or_stdin;
use super::remote::{self, KeyArg};
use super::report_age::{ReplyTimes, ReportAge};
use super::{config_in_force, scan_progress};
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::report::baseline::{Baseline, BaselineComparison, at_or_above};
use crate::report::{self, ReportStyle, fixes};
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints grade, section scores, what each identity received, the site's declared policy, and findings with \
                  fixes. Without --url the scan runs from here: nothing is stored and the record is not signed.\n\n\
                  With --url the server may return a report of the last two minutes instead of scanning again. Its age \
                  is then printed, and --fail-under and --fail-on do not accept a report from before this command (or \
                  --since). --fresh waits for a new scan.\n\n\
                  Exit codes: 0 scanned and passed --fail-under and --fail-on, 1 did not pass, 2 could not be scanned: \
                  the site did not answer, or the report is too old. Then --sarif and --fixes write nothing.\n\n\
                  In CI: wayleave scan shop.example --fail-on medium --baseline last.json --sarif out.sarif"
)]
pub(crate) struct Args {
    /// Domain or URL to scan
    domain: String,
    /// Ask the Wayleave server at this URL instead of scanning from here
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    key: KeyArg,
    /// With --url: if the server has a report of the last two minutes, wait and scan again
    #[arg(long, requires = "url")]
    fresh: bool,
    /// With --url: the start of the build; --fail-under and --fail-on do not accept an older report
    /// (RFC 3339, by the clock of this machine) [default: the start of this command]
    #[arg(long, value_name = "TIME", requires = "url", value_parser = parse_time)]
    since: Option<Timestamp>,
    /// Exit with 1 if the grade is below this letter: A, B, C, D, F
    #[arg(long, value_name = "LETTER", value_parser = parse_grade)]
    fail_under: Option<Grade>,
    /// Exit with 1 if there is a finding of this severity or above: high, medium, low, info
    #[arg(long, value_name = "SEVERITY", value_parser = parse_severity)]
    fail_on: Option<Severity>,
    /// Output of an earlier scan (--json or --sarif); --fail-on then counts only new findings
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0 to FILE, or to standard output instead of the report if no
    /// FILE is given
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    sarif: Option<PathBuf>,
    /// File of your repository that the SARIF results are shown at, as a path from its root
    /// [default: a robots.txt or index.html found here, or robots.txt]. Give it so that the alerts stay in
    /// one place: if you add a robots.txt later, the default changes and code hosts open new alerts
    #[arg(long, value_name = "PATH", value_parser = RepositoryFile::parse, requires = "sarif")]
    sarif_file: Option<RepositoryFile>,
    /// Write the ready-made texts of the findings into this folder, one file each
    #[arg(long, value_name = "DIR")]
    fixes: Option<PathBuf>,
    /// Print the whole record as JSON
    #[arg(long)]
    json: bool,
    /// Also print the score ledger: every rule with its points
    #[arg(long)]
    ledger: bool,
    /// Print everything: the ledger, all paths, and commands to repeat each request
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let sarif_is_the_result = args.sarif.as_deref() == Some(Path::new("-"));
    if args.json && sarif_is_the_result {
        bail!("--json and --sarif both write to standard output; give --sarif a file");
    }
    // Report a bad file before scanning.
    let baseline = args
        .baseline
        .as_deref()
        .map(|file| anyhow::Ok((file, read_file_or_stdin(file)?)))
        .transpose()
        .context("--baseline")?;
    let started = SystemClock.now();
    let runtime = wiring::runtime()?;
    let ScanResult { record, bytes, earlier } = match &args.url {
        Some(server) => runtime.block_on(scan_by_server(server, &args))?,
        None => {
            let record = runtime.block_on(scan_from_here(&args))?;
            let bytes = serde_json::to_vec(&record)?;
            ScanResult { record, bytes, earlier: None }
        }
    };
    let baseline = baseline
        .map(|(file, bytes)| {
            Baseline::parse(&bytes, record.domain.as_str())
                .with_context(|| format!("--baseline {}", file.display()))
        })
        .transpose()?;
    // If the site did not answer nothing was judged, so findings cannot be called gone.
    let reached = record.unreachable != Some(true);
    let change = baseline.as_ref().filter(|_| reached).map(|earlier| earlier.compare(&record));

    if args.json {
        output::print_bytes(&bytes);
        output::print_line("");
    } else if !sarif_is_the_result {
        let (width, colours) = (output::report_width(), output::has_colours());
        let style = ReportStyle { width, colours, ledger: args.ledger, verbose: args.verbose };
        output::print_bytes(report::render_text(&record, style).as_bytes());
    }
    if let Some(change) = &change {
        // Standard output is for the machine-readable result, so this goes to standard error.
        let partly_measured = !record.non_observations.is_empty();
        print_comparison(change, partly_measured, args.json || sarif_is_the_result);
    }
    let is_build = args.fail_under.is_some() || args.fail_on.is_some();
    let since = args.since.or(is_build.then_some(started));
    if let Some(why) = why_unchecked(&record, earlier.as_ref(), since) {
        output::print_note(&why);
        if args.sarif.is_some() || args.fixes.is_some() {
            output::print_note("--sarif and --fixes wrote nothing.");
        }
        return Ok(exit::COULD_NOT_CHECK);
    }
    if let Some(file) = &args.sarif {
        let shown_at = args.sarif_file.clone();
        let exists = |file: &str| Path::new(file).is_file();
        let shown_at = shown_at.unwrap_or_else(|| RepositoryFile::first_usual(exists));
        let known = change.as_ref().map(|change| &change.known);
        write_sarif(file, &sarif::site_log(&record, known, &shown_at))?;
    }
    if let Some(folder) = &args.fixes {
        let files = fixes::write_fixes(folder, &record)?;
        output::print_note(&format!("Wrote {} files to {}.", files.len(), folder.display()));
    }
    let missed = args.fail_under.as_ref().and_then(|bar| why_below(&record, bar));
    if let Some(why) = &missed {
        output::print_note(why);
    }
    let failing = failing_findings(&record, change.as_ref(), args.fail_on.as_ref());
    if !failing.is_empty() {
        let titles: Vec<String> = failing.iter().map(|f| sanitize_for_terminal(&f.title)).collect();
        output::print_note(&format!("Failed by --fail-on: {}.", titles.join("; ")));
    }
    Ok(if missed.is_some() || !failing.is_empty() { exit::CHECK_FAILED } else { exit::PASSED })
}

/// What a scan gave.
struct ScanResult {
    record: ScanRecord,
    /// The record as it was received.
    bytes: Vec<u8>,
    /// The age of the report if the server did not scan again.
    earlier: Option<ReportAge>,
}

/// Why the record says nothing about the site as it is now; `None` if it does. `since` is the start of the
/// build, if there is one.
fn why_unchecked(
    record: &ScanRecord,
    earlier: Option<&ReportAge>,
    since: Option<Timestamp>,
) -> Option<String> {
    if record.unreachable == Some(true) {
        return Some("Nothing was checked: the site did not answer.".to_owned());
    }
    let since = since.filter(|since| earlier.is_some_and(|age| age.is_before(*since)))?;
    Some(format!(
        "Nothing was checked: the report is from {} (the server's clock), before {}. Use --fresh to wait for a new \
         scan, or --since with the start of your build.",
        record.scanned_at,
        since.whole_seconds()
    ))
}

/// Why the record does not pass `--fail-under`; `None` if it does.
fn why_below(record: &ScanRecord, bar: &Grade) -> Option<String> {
    if is_at_or_above(record.grade.as_ref(), bar) {
        return None;
    }
    let Some(grade) = &record.grade else {
        return Some(format!("Failed by --fail-under {bar}: too little was measured for a grade."));
    };
    let points = record.overall.map(|points| format!(" ({points} of 100 points)"));
    let cap = record.grade_detail.cap_reason.as_deref().map(sanitize_for_terminal);
    let cap = cap.map(|why| format!(" The score is capped: {why}"));
    Some(format!(
        "Failed by --fail-under {bar}: the grade is {grade}{}.{}",
        points.unwrap_or_default(),
        cap.unwrap_or_default()
    ))
}

/// The findings that `--fail-on` counts: all, or with a baseline only the new ones.
fn failing_findings<'a>(
    record: &'a ScanRecord,
    change: Option<&BaselineComparison<'a>>,
    least: Option<&Severity>,
) -> Vec<&'a Finding> {
    match (least, change) {
        (None, _) => Vec::new(),
        (Some(least), Some(change)) => at_or_above(change.new.iter().copied(), least),
        (Some(least), None) => at_or_above(&record.findings, least),
    }
}

fn print_comparison(change: &BaselineComparison<'_>, partly_measured: bool, to_stderr: bool) {
    let say =
        |text: &str| if to_stderr { output::print_note(text) } else { output::print_line(text) };
    let (new, gone) = (change.new.len(), change.gone.len());
    say(&format!("\nCompared with the baseline: {new} new, {gone} gone"));
    for finding in &change.new {
        let line =
            format!("  new  [{}] {}", finding.severity, sanitize_for_terminal(&finding.title));
        say(&if to_stderr { line } else { colour_for_terminal(Tone::Bad, &line) });
    }
    for title in &change.gone {
        let line = format!("  gone {}", sanitize_for_terminal(title));
        say(&if to_stderr { line } else { colour_for_terminal(Tone::Good, &line) });
    }
    if gone > 0 && partly_measured {
        say("  Some reads failed this time, so findings listed as gone may still exist.");
    }
}

pub(crate) fn write_sarif(file: &Path, log: &sarif::SarifLog) -> Result<()> {
    if file == Path::new("-") {
        return output::print_json(log);
    }
    let text = serde_json::to_string_pretty(log)?;
    std::fs::write(file, format!("{text}\n"))
        .with_context(|| format!("--sarif {} cannot be written", file.display()))
}

/// Scans the site from here.
async fn scan_from_here(args: &Args) -> Result<ScanRecord> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    let scanner = wiring::build_scanner(&config, Arc::new(SystemClock))?;
    let domain = scanner.parse_domain(&args.domain)?;
    let bar = scan_progress::scan_bar(domain.as_str());
    let scanned = scanner
        .scan(&domain, Visibility::Public, None, &|step| scan_progress::show_step(&bar, &step))
        .await;
    bar.finish_and_clear();
    let mut record = scanned?.record;
    // Nothing is stored, so these links would lead nowhere.
    record.links.report = None;
    record.links.raw = None;
    record.links.graph = None;
    Ok(record)
}

/// Asks a server for the scan. It sends no progress, so a spinner is shown.
async fn scan_by_server(server: &str, args: &Args) -> Result<ScanResult> {
    let body = serde_json::json!({ "domain": args.domain }).to_string();
    let address = format!("{}/api/scan", server.trim_end_matches('/'));
    for attempt in 1..=MAX_SCAN_REQUESTS {
        let waiting = scan_progress::waiting_spinner(server);
        let requested_at = SystemClock.now();
        let answer = remote::post_json(&address, body.clone(), &args.key).await;
        let reply = ReplyTimes { requested_at, received_at: SystemClock.now() };
        waiting.finish_and_clear();
        let bytes = answer?;
        let record: ScanRecord =
            serde_json::from_slice(&bytes).context("the server sent no valid record")?;
        if record.cached != Some(true) {
            return Ok(ScanResult { record, bytes, earlier: None });
        }
        let age = ReportAge::of(&record, reply);
        let (old, wait) = (age.describe(), age.wait());
        if !args.fresh {
            output::print_note(&format!(
                "The server did not scan again: this is its report of {}, {old}. --fresh waits about {} s for a new \
                 scan.",
                record.scanned_at,
                wait.as_secs()
            ));
            return Ok(ScanResult { record, bytes, earlier: Some(age) });
        }
        if attempt < MAX_SCAN_REQUESTS {
            output::print_note(&format!(
                "The server has a report that is {old}. Waiting {} s for a new scan.",
                wait.as_secs()
            ));
            tokio::time::sleep(wait).await;
        }
    }
    bail!("the server returned an earlier report {MAX_SCAN_REQUESTS} times instead of a new scan")
}

/// How often `--fresh` asks. Others may have the site scanned, too.
const MAX_SCAN_REQUESTS: usize = 3;

fn parse_time(text: &str) -> Result<Timestamp, String> {
    Timestamp::from_rfc3339(text).map_err(|_| {
        "expected a time such as 2026-11-15T02:56:20Z or 2026-11-15T03:56:20+01:00".to_owned()
    })
}

fn parse_grade(text: &str) -> Result<Grade, String> {
    Grade::from_word(&text.to_ascii_uppercase())
        .ok_or_else(|| format!("expected one of {}", Grade::WORDS.join(", ")))
}

fn parse_severity(text: &str) -> Result<Severity, String> {
    Severity::from_word(&text.to_ascii_lowercase())
        .ok_or_else(|| format!("expected one of {}", Severity::WORDS.join(", ")))
}

/// Whether a grade is at or above a bar. A record without a grade never is.
fn is_at_or_above(grade: Option<&Grade>, bar: &Grade) -> bool {
    let rank = |grade: &Grade| Grade::WORDS.iter().position(|word| *word == grade.as_str());
    match (grade.and_then(rank), rank(bar)) {
        (Some(grade), Some(bar)) => grade <= bar,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_reached_by_itself_and_by_better_letters() {
        assert!(is_at_or_above(Some(&Grade::A), &Grade::B));
        assert!(is_at_or_above(Some(&Grade::B), &Grade::B));
        assert!(!is_at_or_above(Some(&Grade::C), &Grade::B));
        assert!(!is_at_or_above(None, &Grade::F));
        assert_eq!(parse_grade("b"), Ok(Grade::B));
        assert!(parse_grade("E").is_err());
        assert_eq!(parse_severity("High"), Ok(Severity::High));
        assert!(parse_severity("worst").is_err());
    }

    #[test]
    fn the_start_of_a_build_may_have_an_offset() {
        let time = parse_time("2026-11-15T03:56:20+01:00").map(|time| time.to_string());
        assert_eq!(time.as_deref(), Ok("2026-11-15T02:56:20Z"));
        assert!(parse_time("yesterday").unwrap_err().contains("such as 2026-11-15"));
    }
}
