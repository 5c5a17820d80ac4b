//! `wayleave scan`: one scan to the terminal, here or by a server.

use std::io::IsTerminal;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::{AgentRow, Grade, RowCause, ScanRecord, Visibility};
use door::{Door, SystemClock};
use indicatif::{ProgressBar, ProgressStyle};
use service::{Scanner, SystemIds};

use super::{in_force, remote};
use crate::config::ConfigArgs;
use crate::output::{Tone, harmless, toned};
use crate::{exit, output, telemetry, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 scanned (and at or above --fail-under), 1 unreachable or below it, \
                        2 not scanned.\nWithout --url nothing is kept, and the record is not signed."
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
    /// The whole record as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let runtime = wiring::runtime()?;
    let bytes = match &args.url {
        Some(server) => runtime.block_on(ask(server, &args.domain))?,
        None => serde_json::to_vec(&runtime.block_on(look(&args))?)?,
    };
    let record: ScanRecord = serde_json::from_slice(&bytes).context("the record cannot be read")?;
    if args.json {
        output::raw(&bytes);
        output::line("");
    } else {
        show(&record);
    }
    let below = args.fail_under.as_ref().is_some_and(|bar| !reaches(record.grade.as_ref(), bar));
    Ok(if record.unreachable == Some(true) || below { exit::BAD } else { exit::GOOD })
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
    let bar = progress(&domain.to_string());
    let looked = scanner
        .look(&domain, Visibility::Public, &|step| {
            bar.set_length(step.of as u64);
            bar.set_position(step.done as u64);
        })
        .await;
    bar.finish_and_clear();
    let mut record = looked?.record;
    // Nothing is kept, so there is nothing to point to.
    record.links.report = None;
    record.links.raw = None;
    Ok(record)
}

/// A bar on a terminal, nothing in a pipe.
fn progress(domain: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {bar:24} {pos}/{len} reads")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style).with_message(format!("Scanning {domain}"))
}

async fn ask(server: &str, domain: &str) -> Result<Vec<u8>> {
    let body = serde_json::json!({ "domain": domain }).to_string();
    let (status, bytes) =
        remote::post(&format!("{}/api/scan", server.trim_end_matches('/')), body).await?;
    if status != 200 {
        let said: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let sentence = said.get("error").and_then(|e| e.as_str()).unwrap_or("no explanation");
        bail!("the server answered {status}: {}", harmless(sentence));
    }
    Ok(bytes)
}

fn letter(text: &str) -> Result<Grade, String> {
    Grade::known(&text.to_ascii_uppercase())
        .ok_or_else(|| format!("expected one of {}", Grade::WORDS.join(", ")))
}

/// Whether a grade is at or above a bar. No grade reaches none.
fn reaches(grade: Option<&Grade>, bar: &Grade) -> bool {
    let place = |grade: &Grade| Grade::WORDS.iter().position(|word| *word == grade.as_str());
    match (grade.and_then(place), place(bar)) {
        (Some(grade), Some(bar)) => grade <= bar,
        _ => false,
    }
}

fn show(record: &ScanRecord) {
    let domain = &record.domain;
    if record.unreachable == Some(true) {
        output::line(&format!("{domain}: {}", toned(Tone::Bad, "nothing answered")));
        for unseen in record.non_observations.iter().take(3) {
            output::line(&format!(
                "  {} {}: {}",
                unseen.what,
                harmless(&unseen.path),
                harmless(&unseen.why)
            ));
        }
        return;
    }
    let grade = record.grade.as_ref().map_or("no grade", Grade::as_str);
    let overall = record.overall.map(|points| format!(" ({points} of 100)")).unwrap_or_default();
    output::line(&format!(
        "{domain}: {grade}{overall}, from {} of {} sections",
        record.confidence.sections_scored.n, record.confidence.sections_scored.of
    ));
    output::line(&toned(
        Tone::Faint,
        &format!("  not scored: {}", record.grade_detail.unscored.join(", ")),
    ));

    output::line("\nHome page");
    let rows: Vec<Vec<String>> = record.agentview.rows.iter().map(row).collect();
    output::raw(output::table(&rows).as_bytes());

    output::line("\nMachine files");
    let rows: Vec<Vec<String>> = record
        .checks
        .iter()
        .map(|check| {
            let status = check.status.map_or("-".to_owned(), |status| status.to_string());
            let why = check.why.as_deref().map(harmless).unwrap_or_default();
            vec![format!("  {}", harmless(&check.path)), status, check.verdict.to_string(), why]
        })
        .collect();
    output::raw(output::table(&rows).as_bytes());

    if !record.findings.is_empty() {
        output::line("\nFindings");
    }
    for finding in &record.findings {
        output::line(&format!("  [{}] {}", finding.severity, harmless(&finding.title)));
        output::line(&toned(Tone::Faint, &format!("      {}", harmless(&finding.seen))));
    }
    if let Some(report) = &record.links.report {
        output::line(&format!("\n{}", harmless(report)));
    }
}

fn row(row: &AgentRow) -> Vec<String> {
    let word = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let mark = if row.cause == RowCause::Served { " " } else { "!" };
    vec![
        format!("{mark} {}", row.label),
        word(row.status.map(|status| status.to_string())),
        word(row.words.map(|words| format!("{words} word{}", if words == 1 { "" } else { "s" }))),
        word(row.similarity.map(|alike| format!("{:.0} % alike", alike.get() * 100.0))),
        row.cause.to_string(),
    ]
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
    }
}
