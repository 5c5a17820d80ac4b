//! What was served as the home page, and the further pages that were read.

use contract::records::{
    AgentRow, ContentReading, PageReading, PageResponse, PaywallReading, ScanRecord,
};
use contract::text::record_words::{describe_page_kind, describe_page_source, explain_outcome};

use super::count_of;
use super::page::{Cell, Page};
use crate::output::Tone;

/// What the page is, if it is not an ordinary HTML page that was read to its end.
pub(super) fn write_page_kind(page: &mut Page, content: &ContentReading) {
    if let Some(words) = content.page_kind.as_deref().and_then(describe_page_kind) {
        page.toned(
            2,
            Tone::Warning,
            &format!("Served as the page: {}. {}", words.label, words.meaning),
        );
        write_advice(page, words.advice);
    }
    if content.cut {
        page.toned(
            2,
            Tone::Warning,
            "The page is longer than what we read. Everything in this report is about the first part.",
        );
        write_advice(
            page,
            Some("Agents have limits too. Put what matters first, or split the page."),
        );
    }
    if content.prerendered {
        page.prose(2, "AI crawlers get the page with its text; browsers fill it by scripts.");
        write_advice(page, Some("Serve the rendered page to every client."));
    }
    if let Some(refresh) = &content.refresh {
        let other = if refresh.same_site { "" } else { ", which is another site" };
        page.prose(
            2,
            &format!(
                "After {} s, browsers leave for {}{other}.",
                refresh.seconds, refresh.untrusted_target
            ),
        );
        write_advice(page, Some("Redirect on the server with status 301 or 308 instead."));
    }
}

pub(super) fn write_paywall(page: &mut Page, paywall: Option<&PaywallReading>) {
    let Some(paywall) = paywall.filter(|paywall| paywall.declared || paywall.visible) else {
        return;
    };
    let how = match (paywall.declared, paywall.visible) {
        (true, true) => {
            "The structured data says so, and the text ends with an invitation to subscribe."
        }
        (true, false) => "The structured data says so.",
        _ => "The text ends with an invitation to subscribe.",
    };
    page.prose(
        2,
        &format!("Paywall: part of the text is for subscribers only. {how} This costs no points."),
    );
    if !paywall.marks.is_empty() {
        page.faint(4, &format!("Signs: {}.", paywall.marks.join("; ")));
    }
    if !paywall.declared {
        write_advice(
            page,
            Some(
                "To tell agents which part is free, add isAccessibleForFree and hasPart to the structured data (schema.org).",
            ),
        );
    }
}

fn write_advice(page: &mut Page, advice: Option<&str>) {
    if let Some(advice) = advice {
        page.labelled(4, "fix", advice);
    }
}

pub(super) fn write_further_pages(page: &mut Page, record: &ScanRecord) {
    if record.pages.is_empty() {
        return;
    }
    page.heading("Further pages (each client requested each page once)");
    for further in &record.pages {
        write_further_page(page, further, &record.agentview.rows);
    }
}

fn write_further_page(page: &mut Page, further: &PageReading, rows: &[AgentRow]) {
    page.table(
        2,
        &[vec![
            Cell::toned(Tone::Strong, &further.path),
            Cell::toned(Tone::Faint, describe_page_source(&further.why_chosen)),
        ]],
    );
    let responses = std::iter::once(&further.browser).chain(&further.identities);
    let mut outcomes: Vec<(String, Vec<&str>)> = Vec::new();
    for response in responses {
        let outcome = describe_response(response);
        let name = short_name(rows, &response.id);
        match outcomes.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, names)) => names.push(name),
            None => outcomes.push((outcome, vec![name])),
        }
    }
    for (outcome, names) in outcomes {
        page.labelled(4, &format!("{outcome}:"), &names.join(", "));
    }
    if further.empty == Some(true) {
        page.toned(4, Tone::Warning, "The page has no text without scripts.");
    }
    if !further.instruction_like.is_empty() {
        let found = count_of(further.instruction_like.len() as u64, "passage");
        page.toned(4, Tone::Warning, &format!("{found} that look like instructions to machines"));
    }
}

/// `refused (403)`, `login page (200)`.
fn describe_response(response: &PageResponse) -> String {
    let words = explain_outcome(&response.cause, response.blocker.as_deref());
    let status = response.status.map(|status| format!(" ({status})")).unwrap_or_default();
    format!("{}{status}", words.label)
}

/// The name before the brackets of a label, or the id.
pub(super) fn short_name<'a>(rows: &'a [AgentRow], id: &'a str) -> &'a str {
    let row = rows.iter().find(|row| row.id == id);
    row.and_then(|row| row.label.split(" (").next()).unwrap_or(id)
}
