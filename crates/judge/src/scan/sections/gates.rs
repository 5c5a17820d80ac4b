//! Reports pages that stand in for the content, and crawlers that are kept waiting.

use contract::records::{AgentRow, Finding, RowCause, Severity};

use super::inputs::SectionInputs;
use crate::scan::agent_rows::{browser_row, is_ai, is_measured, is_served, reading_ids};
use crate::scan::stalls::analyse_stalls;
use crate::scan::verdicts::{Verdicts, unscored_finding};

/// The texts about one kind of gate.
struct GateTexts {
    kind: &'static str,
    /// For everybody: the title.
    title: &'static str,
    /// For some: "AI search crawlers …".
    title_for_some: &'static str,
    fix: &'static str,
}

const GATES: [GateTexts; 8] = [
    GateTexts {
        kind: "login",
        title: "The home page is a login page",
        title_for_some: "get a login page instead of the page",
        fix: "If agents should know what the site is, serve a public home page with a description and a link to the \
              login. If everything is for members, nothing needs to change.",
    },
    GateTexts {
        kind: "region",
        title: "The home page says that the site is not available in the visitor's country",
        title_for_some: "are told that the site is not available in their country",
        fix: "Most AI crawlers connect from the United States. Exempt verified crawlers from the country rule of your \
              CDN, or serve the public pages in all countries. Answer 451 if the law requires the block.",
    },
    GateTexts {
        kind: "age",
        title: "The home page is an age gate without content",
        title_for_some: "get an age gate instead of the page",
        fix: "Send the content with the page and show the age question over it, or give the question its own address \
              and keep the pages that need no age check open.",
    },
    GateTexts {
        kind: "consent",
        title: "The home page shows only a request for consent",
        title_for_some: "get a request for consent instead of the page",
        fix: "Send the content with the page and show the request over it. Crawlers cannot consent; they need no \
              cookies either.",
    },
    GateTexts {
        kind: "parked",
        title: "The domain is parked",
        title_for_some: "get the page of a parked domain",
        fix: "If the domain should have a site, connect it to your hosting in the DNS settings of your registrar.",
    },
    GateTexts {
        kind: "maintenance",
        title: "The home page is a maintenance or coming-soon notice",
        title_for_some: "get a maintenance notice instead of the page",
        fix: "While the site is down, answer with status 503 and a Retry-After header, so that agents come back and do \
              not store the notice as the page. Before opening, publish at least name, purpose and contact.",
    },
    GateTexts {
        kind: "placeholder",
        title: "The home page is a placeholder of the server or host",
        title_for_some: "get a placeholder page of the server or host",
        fix: "Upload or publish the site, and check that this host name points to it in the configuration of the web \
              server.",
    },
    GateTexts {
        kind: "empty",
        title: "The home page is empty",
        title_for_some: "get an empty page",
        fix: "Check why the server sends no content: a rule for these user agents, an error in a template, or a page \
              that only a script fills.",
    },
];

fn texts(kind: Option<&str>) -> Option<&'static GateTexts> {
    GATES.iter().find(|texts| Some(texts.kind) == kind)
}

/// Whether a page that stands in for the content was served to this identity.
pub(super) fn is_gated(row: &AgentRow) -> bool {
    matches!(row.cause, RowCause::Gated | RowCause::Empty)
        || (row.cause == RowCause::ServerError && row.blocker.as_deref() == Some("maintenance"))
}

/// Reports a gate that the browser gets too. Returns whether every client that was measured gets it,
/// so that no other finding is needed.
pub(super) fn report_gate_for_everybody(
    inputs: &SectionInputs<'_>,
    verdicts: &mut Verdicts,
) -> bool {
    let rows = &inputs.view.rows;
    let Some(browser) = browser_row(rows).filter(|row| is_gated(row)) else { return false };
    let Some(texts) = texts(browser.blocker.as_deref()) else { return false };
    let asked: Vec<&AgentRow> = rows.iter().filter(|row| is_measured(row)).collect();
    let gated: Vec<&AgentRow> = asked.iter().copied().filter(|row| is_gated(row)).collect();
    let ai_served = asked.iter().filter(|row| is_ai(row) && is_served(row)).count();
    let everybody = gated.len() == asked.len();
    let severity = if ai_served == 0 { Severity::High } else { Severity::Medium };
    let mut finding = unscored_finding("reach", &format!("gate:{}", texts.kind), severity);
    finding.title = if ai_served == 0 {
        texts.title.to_owned()
    } else {
        format!("The browser gets a page that stands in for the content ({})", texts.kind)
    };
    finding.seen = format!(
        "{} of {} clients got it, {}. Signs: {}.",
        gated.len(),
        asked.len(),
        if everybody { "including the browser" } else { "among them the browser" },
        browser.blocker_marks.join("; ")
    );
    finding.why = "Agents get this page instead of the content, so there is nothing for them to read. Without a page \
                   for the browser there is nothing to compare, so the site has no grade."
        .to_owned();
    finding.fix = Some(texts.fix.to_owned());
    finding.evidence = reading_ids(gated);
    verdicts.add_finding(finding);
    everybody || ai_served > 0
}

/// The end of the title and the fix, if all these rows got the same kind of gate or were kept waiting.
pub(super) fn describe_gated(rows: &[&AgentRow]) -> Option<(&'static str, &'static str)> {
    let first = rows.first()?;
    if rows.iter().all(|row| row.cause == RowCause::Stalled) {
        return Some(("are kept waiting", STALLED_FIX));
    }
    if !rows.iter().all(|row| matches!(row.cause, RowCause::Gated | RowCause::Empty)) {
        return None;
    }
    let texts = texts(first.blocker.as_deref())?;
    if rows.iter().all(|row| row.blocker == first.blocker) {
        return Some((texts.title_for_some, texts.fix));
    }
    Some((
        "get pages that stand in for the content",
        "Find the rule that gives these user agents another page: first in your CDN's settings, then in the web server \
         and in plug-ins.",
    ))
}

const STALLED_FIX: &str = "If this is not intended, look for a rule that delays these user agents (a tarpit, a queue, \
    a rate limiter that holds requests) in your CDN, web server and plug-ins. If you want to keep them out, disallow \
    them in robots.txt and answer 403 at once: that costs you less.";

/// Reports crawlers that are kept waiting while the browser is served.
pub(super) fn report_stalls(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let rows = &inputs.view.rows;
    let analysis = analyse_stalls(inputs.parsed.evidence, rows);
    if analysis.is_empty() {
        return;
    }
    let kept =
        |row: &&AgentRow| analysis.stalled.contains(&row.id) || analysis.slow.contains(&row.id);
    let waiting: Vec<&AgentRow> = rows.iter().filter(kept).collect();
    let asked = rows.iter().filter(|row| is_ai(row) && row.reading.is_some()).count();
    let severe = analysis.stalled.len() * 2 >= asked;
    let severity = if severe { Severity::High } else { Severity::Medium };
    let mut finding: Finding = unscored_finding("reach", "ai_stalled", severity);
    finding.title = "AI crawlers are kept waiting while the browser is served".to_owned();
    let answers: Vec<String> = waiting
        .iter()
        .map(|row| {
            let seconds = f64::from(row.ms.unwrap_or(0)) / 1000.0;
            let end =
                if is_served(row) { "until the page came" } else { "without a complete answer" };
            format!("{} waited {seconds:.1} s {end}", row.label)
        })
        .collect();
    finding.seen = format!(
        "Browser and control client were served within {:.1} s. {} of {asked} AI crawlers waited: {}. We sent these \
         requests from our own network under the crawlers' names.",
        f64::from(analysis.served_in_ms) / 1000.0,
        waiting.len(),
        answers.join("; ")
    );
    finding.why = "Agents give up after a few seconds, so a delay keeps them out like a refusal, but without telling \
                   them or their users why."
        .to_owned();
    finding.fix = Some(STALLED_FIX.to_owned());
    finding.evidence = reading_ids(browser_row(rows).into_iter().chain(waiting));
    verdicts.add_finding(finding);
}
