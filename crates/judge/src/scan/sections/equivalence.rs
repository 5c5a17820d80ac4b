//! Whether AI crawlers get the same text as the browser.

use contract::records::{AgentRow, EquivalenceVerdict, Severity};

use super::inputs::SectionInputs;
use crate::scan::agent_rows::{browser_row, is_ai, is_served, reading_ids};
use crate::scan::convert::saturating_u32;
use crate::scan::verdicts::{RuleOutcome, Verdicts, finding_for_rule};

const RULE: &str = "equivalence.same_text";

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let rows = &inputs.view.rows;
    let served: Vec<&AgentRow> = rows.iter().filter(|row| is_ai(row) && is_served(row)).collect();
    let browser_row = browser_row(rows).filter(|row| is_served(row));
    let Some(browser_row) = browser_row else {
        return verdicts.add_not_assessed(RULE, "The browser did not get the page.");
    };
    if served.is_empty() {
        return verdicts.add_not_assessed(RULE, "No AI crawler got a page to compare.");
    }
    if browser_row.words.is_none_or(|words| words == 0) {
        return verdicts.add_not_assessed(RULE, "The browser's page has no text to compare with.");
    }
    let verdict = |row: &&&AgentRow, verdict: EquivalenceVerdict| row.equivalence == verdict;
    if served.iter().any(|row| verdict(&row, EquivalenceVerdict::NotDeterministic)) {
        return verdicts.add_not_assessed(
            RULE,
            "Two browser requests already get different texts, so the page changes by itself and crawlers cannot be \
             compared.",
        );
    }
    let measured: Vec<&AgentRow> = served
        .into_iter()
        .filter(|row| row.equivalence != EquivalenceVerdict::Unmeasured)
        .collect();
    if measured.is_empty() {
        return verdicts.add_not_assessed(RULE, "No AI crawler's page could be compared.");
    }
    let other: Vec<&AgentRow> = measured
        .iter()
        .copied()
        .filter(|row| row.equivalence != EquivalenceVerdict::Equivalent)
        .collect();
    let evidence = reading_ids(std::iter::once(browser_row).chain(measured.iter().copied()));
    let got = measured.len() - other.len();
    verdicts.add_ruling(
        RULE,
        RuleOutcome::Share { got: saturating_u32(got), of: saturating_u32(measured.len()) },
        format!("{got} of {} AI crawlers get the same text as the browser.", measured.len()),
        evidence,
    );
    if other.is_empty() {
        return;
    }
    if other.len() == measured.len() {
        verdicts.add_cap(
            "other_text",
            match measured.len() {
                1 => {
                    "The only AI crawler that gets the page gets a different text than the browser."
                        .to_owned()
                }
                n => format!(
                    "All {n} AI crawlers that get the page get a different text than the browser."
                ),
            },
        );
    }
    let all = |verdict: EquivalenceVerdict| other.iter().all(|row| row.equivalence == verdict);
    let title = if all(EquivalenceVerdict::Reduced) {
        "AI crawlers get only part of the page"
    } else if all(EquivalenceVerdict::Augmented) {
        "AI crawlers get more text than the browser"
    } else {
        "AI crawlers get a different text than the browser"
    };
    let mut finding = finding_for_rule(inputs.parsed.rules, RULE, "other_text", Severity::High);
    finding.title = title.to_owned();
    finding.matters_to = vec!["agents".to_owned(), "readers".to_owned(), "site_owner".to_owned()];
    finding.seen = format!(
        "The browser got {} words ({}). {}.",
        browser_row.words.unwrap_or(0),
        match inputs.view.self_similarity.map(|alike| percent(alike.get())) {
            Some(alike) => format!("two browser requests: {alike} similar"),
            None => "no second browser request to compare".to_owned(),
        },
        other.iter().map(|row| describe_row(row)).collect::<Vec<_>>().join("; ")
    );
    finding.fix = Some(
        "Serve the same text to every client. If you want to offer a shorter version for agents, publish it separately \
         (as Markdown through the Accept header, or in llms.txt) and leave the page unchanged. If you did not \
         configure this, check for a plug-in or CDN feature that rewrites pages for bots."
            .to_owned(),
    );
    finding.evidence = reading_ids(std::iter::once(browser_row).chain(other));
    verdicts.add_finding(finding);
}

fn describe_row(row: &AgentRow) -> String {
    let alike = row.similarity.map(|alike| percent(alike.get())).unwrap_or_default();
    format!("{}: {} words, {alike} similar, {}", row.label, row.words.unwrap_or(0), row.equivalence)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
