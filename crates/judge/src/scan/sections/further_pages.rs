//! What further pages of the site show: AI crawlers that do not get them, hidden instructions, pages
//! without text. None of it costs points.

use contract::records::{
    AgentRow, Finding, InstructionLikeText, PageReading, PageResponse, RowCause, Severity,
};

use super::inputs::SectionInputs;
use crate::scan::agent_rows::is_served;
use crate::scan::verdicts::{Verdicts, unscored_finding};

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    report_kept_out(inputs, verdicts);
    report_hidden_instructions(inputs, verdicts);
    report_empty_pages(inputs, verdicts);
}

/// Whether the response keeps the identity out on purpose. Errors and rate limits may be chance, and a
/// page was requested only once.
fn is_kept_out(response: &PageResponse) -> bool {
    matches!(
        response.cause,
        RowCause::Refused
            | RowCause::Challenge
            | RowCause::PaymentRequired
            | RowCause::Gated
            | RowCause::Empty
    )
}

/// Reports AI crawlers that get the home page and not another page that the browser gets.
fn report_kept_out(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let gets_home = |id: &str| -> Option<&AgentRow> {
        inputs.view.rows.iter().find(|row| row.id == id && is_served(row))
    };
    let mut pages: Vec<String> = Vec::new();
    let mut evidence: Vec<String> = Vec::new();
    for page in inputs.pages.iter().filter(|page| page.browser.cause == RowCause::Served) {
        let kept_out: Vec<(&PageResponse, &AgentRow)> = page
            .identities
            .iter()
            .filter(|response| is_kept_out(response))
            .filter_map(|response| Some((response, gets_home(&response.id)?)))
            .collect();
        if kept_out.is_empty() {
            continue;
        }
        let answers: Vec<String> = kept_out
            .iter()
            .map(|(response, row)| format!("{} {}", row.label, describe_response(response)))
            .collect();
        pages.push(format!("{}: {}", page.path, answers.join(", ")));
        evidence.extend(page.browser.reading.clone());
        evidence.extend(kept_out.iter().filter_map(|(response, _)| response.reading.clone()));
    }
    if pages.is_empty() {
        return;
    }
    let mut finding = unscored_finding("reach", "page_kept_out", Severity::Medium);
    finding.title = match pages.len() {
        1 => "AI crawlers that get the home page do not get another page".to_owned(),
        count => format!("AI crawlers that get the home page do not get {count} other pages"),
    };
    finding.seen = format!(
        "The browser got each of these pages, and robots.txt allows these crawlers to read them. They did not get \
         them: {}.",
        pages.join("; ")
    );
    finding.why = "Agents that find these pages through the home page, the sitemap or llms.txt cannot read them, \
                   although nothing tells them so."
        .to_owned();
    finding.fix = Some(
        "If this is not intended, find the rule for these paths in your CDN's bot settings, in the web server or in \
         plug-ins. If it is intended, disallow the paths for these crawlers in robots.txt."
            .to_owned(),
    );
    finding.standard = Some("RFC 9309".to_owned());
    finding.evidence = evidence;
    verdicts.add_finding(finding);
}

/// `(403)`, `(200, a login page)`.
fn describe_response(response: &PageResponse) -> String {
    let status = response.status.map_or("no answer".to_owned(), |status| status.to_string());
    match (&response.cause, response.blocker.as_deref()) {
        (RowCause::PaymentRequired, _) => format!("({status}, asked to pay)"),
        (RowCause::Challenge, _) => format!("({status}, a challenge)"),
        (RowCause::Empty, _) => format!("({status}, empty)"),
        (_, Some(blocker)) => format!("({status}, {})", blocker.replace('_', " ")),
        _ => format!("({status})"),
    }
}

/// Reports instructions to machines that are hidden, or that tell machines to ignore their own.
fn report_hidden_instructions(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let is_hostile = |hit: &&InstructionLikeText| hit.concealed || hit.rule == "override";
    let mut excerpts: Vec<String> = Vec::new();
    let mut finding = unscored_finding("content", "page_hidden_instructions", Severity::High);
    for page in inputs.pages {
        for hit in page.instruction_like.iter().filter(is_hostile) {
            excerpts.push(format!("{}: “{}” ({})", page.path, hit.untrusted_excerpt, hit.surface));
            add_evidence(&mut finding, &hit.evidence);
        }
    }
    if excerpts.is_empty() {
        return;
    }
    excerpts.truncate(5);
    finding.title = "A further page gives hidden or overriding instructions to machines".to_owned();
    finding.seen = format!("{}.", excerpts.join("; "));
    finding.why = "Agents that follow such text act for the page and not for their user. Careful agents distrust the \
                   whole site."
        .to_owned();
    finding.fix = Some(
        "Remove the text. If you did not put it there, the page may have been tampered with, or the text came from a \
         plug-in, an advertisement or a comment field."
            .to_owned(),
    );
    verdicts.add_finding(finding);
}

fn add_evidence(finding: &mut Finding, ids: &[String]) {
    for id in ids {
        if !finding.evidence.contains(id) {
            finding.evidence.push(id.clone());
        }
    }
}

/// Reports pages that have no text before scripts run.
fn report_empty_pages(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let empty: Vec<&PageReading> =
        inputs.pages.iter().filter(|page| page.empty == Some(true)).collect();
    if empty.is_empty() {
        return;
    }
    let paths: Vec<&str> = empty.iter().map(|page| page.path.as_str()).collect();
    let mut finding = unscored_finding("content", "page_empty", Severity::Low);
    finding.title = "A further page has no text without scripts".to_owned();
    finding.seen =
        format!("Without running scripts, these pages have no text: {}.", paths.join(", "));
    finding.why = "Most AI crawlers run no scripts, so they cannot read these pages.".to_owned();
    finding.fix = Some(
        "Render these pages on the server or at build time, so that their HTML contains the text."
            .to_owned(),
    );
    finding.evidence = empty
        .iter()
        .flat_map(|page| std::iter::once(&page.browser).chain(&page.identities))
        .filter(|response| response.cause == RowCause::Served)
        .filter_map(|response| response.reading.clone())
        .collect();
    verdicts.add_finding(finding);
}
