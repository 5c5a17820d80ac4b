//! What further pages of the site show: AI crawlers that do not get them, hidden instructions, pages
//! without text. The first two cap the score; no rule gives points for further pages, because which
//! pages are read is chance.

use contract::records::{AgentRow, Finding, PageReading, PageResponse, RowCause, Severity};

use super::inputs::SectionInputs;
use crate::scan::agent_rows::is_served;
use crate::scan::further_pages::{is_hostile, kept_out_of};
use crate::scan::verdicts::{Verdicts, unscored_finding};

/// The cap when AI crawlers get none of the further pages is 100 minus this.
const PAGES_CAP_SPAN: f64 = 30.0;
/// The cap for hidden instructions on a further page. Fewer agents read it than the home page.
const HIDDEN_ON_FURTHER_PAGE: u32 = 75;

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    report_kept_out(inputs, verdicts);
    report_hidden_instructions(inputs, verdicts);
    report_empty_pages(inputs, verdicts);
}

/// Reports AI crawlers that get the home page and not another page that the browser gets.
fn report_kept_out(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let rows = &inputs.view.rows;
    let gets_home = |id: &str| rows.iter().any(|row| row.id == id && is_served(row));
    let mut pages: Vec<String> = Vec::new();
    let mut evidence: Vec<String> = Vec::new();
    let (mut refused, mut requested) = (0_usize, 0_usize);
    for page in inputs.pages.iter().filter(|page| page.browser.cause == RowCause::Served) {
        let kept_out: Vec<(&PageResponse, &AgentRow)> = kept_out_of(page, rows).collect();
        refused += kept_out.len();
        requested += page
            .identities
            .iter()
            .filter(|response| response.reading.is_some() && gets_home(&response.id))
            .count();
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
    let share = refused as f64 / requested.max(1) as f64;
    verdicts.add_cap_at(
        "pages_kept_out",
        (100.0 - PAGES_CAP_SPAN * share).round() as u32,
        format!(
            "AI crawlers that get the home page were kept out in {refused} of {requested} requests for further pages."
        ),
    );
}

/// `(403)`, `(200, a login page)`.
fn describe_response(response: &PageResponse) -> String {
    let status = response.status.map_or("no answer".to_owned(), |status| status.to_string());
    match (&response.cause, response.blocker.as_deref()) {
        (RowCause::PaymentRequired, _) => format!("({status}, asked to pay)"),
        (RowCause::Challenge, _) => format!("({status}, a challenge)"),
        (RowCause::Empty, _) => format!("({status}, empty)"),
        (RowCause::Refused, _) => format!("({status}, refused)"),
        (_, Some(blocker)) => format!("({status}, {})", blocker.replace('_', " ")),
        _ => format!("({status})"),
    }
}

/// Reports instructions to machines that are hidden, or that tell machines to ignore their own.
fn report_hidden_instructions(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let mut excerpts: Vec<String> = Vec::new();
    let mut finding = unscored_finding("content", "page_hidden_instructions", Severity::High);
    for page in inputs.pages {
        for hit in page.instruction_like.iter().filter(|hit| is_hostile(hit)) {
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
    verdicts.add_cap_at(
        "hidden_instructions",
        HIDDEN_ON_FURTHER_PAGE,
        "A page besides the home page gives hidden or overriding instructions to machines.",
    );
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
