//! What was served as the home page, and the further pages of the site that were read.

use contract::records::{AgentRow, PageResponse, ScanRecord};
use contract::text::record_words::{describe_page_kind, describe_page_source};

use crate::pages::{
    board::short_name,
    status::{Status, capitalise, outcome},
};

/// A fact about the home page, and what the owner can do about it.
pub(super) struct FactRow {
    pub(super) name: &'static str,
    pub(super) text: String,
    /// May quote the site.
    pub(super) quote: String,
    pub(super) advice: &'static str,
}

pub(super) struct FurtherPage {
    pub(super) path: String,
    pub(super) source: String,
    pub(super) browser: Status,
    /// Outcomes of AI crawlers, each once, with the names of those who got it.
    pub(super) crawlers: Vec<(Status, String)>,
    pub(super) text: String,
}

fn fact(name: &'static str, text: impl Into<String>, advice: &'static str) -> FactRow {
    FactRow { name, text: text.into(), quote: String::new(), advice }
}

pub(super) fn facts(record: &ScanRecord) -> Vec<FactRow> {
    let content = &record.content;
    let mut facts = Vec::new();
    match content.page_kind.as_deref() {
        None => facts.push(fact("Kind", "Not known: no page was served.", "")),
        Some(kind) => match describe_page_kind(kind) {
            None => facts.push(fact("Kind", "HTML page", "")),
            Some(words) => {
                let text = format!("{}. {}", capitalise(&words.label), words.meaning);
                facts.push(fact(
                    "Kind",
                    text,
                    "Serve an HTML page at this address and link to the file from it.",
                ));
            }
        },
    }
    facts.push(match (content.words, content.main_words) {
        (None, _) => {
            fact("Words without scripts", "Not measured: no readable page was served.", "")
        }
        (Some(words), Some(main)) => {
            fact("Words without scripts", format!("{words}, {main} of them in the main part"), "")
        }
        (Some(words), None) => fact("Words without scripts", words.to_string(), ""),
    });
    if content.script_shell == Some(true) {
        facts.push(fact(
            "Scripts",
            "The page has almost no text before its scripts run. Most AI crawlers run no scripts.",
            "Render the page on the server or at build time.",
        ));
    }
    if content.prerendered {
        facts.push(fact(
            "Scripts",
            "AI crawlers get the page with its text, and browsers fill it by scripts.",
            "Serve the rendered page to every client.",
        ));
    }
    if content.cut {
        facts.push(fact(
            "Length",
            "The page is longer than what we read. Everything in this report is about the first part.",
            "Agents have limits too. Put what matters first, or split the page.",
        ));
    }
    if let Some(refresh) = &content.refresh {
        let site = if refresh.same_site { "" } else { ", which is another site" };
        facts.push(FactRow {
            quote: refresh.untrusted_target.clone(),
            ..fact(
                "Leads elsewhere",
                format!("After {} s, browsers leave for this address{site}:", refresh.seconds),
                "Redirect on the server with status 301 or 308 instead.",
            )
        });
    }
    facts.push(paywall(record));
    facts
}

fn paywall(record: &ScanRecord) -> FactRow {
    let Some(paywall) = &record.paywall else {
        return fact("Paywall", "Not checked: no page was read.", "");
    };
    let row = match (paywall.declared, paywall.visible) {
        (false, false) => return fact("Paywall", "None found", ""),
        (true, true) => fact(
            "Paywall",
            "Part of the text is for subscribers only. The structured data says so, and the text ends with an invitation to subscribe.",
            "",
        ),
        (true, false) => fact(
            "Paywall",
            "Part of the text is for subscribers only: the structured data says so. This costs no points.",
            "",
        ),
        (false, true) => fact(
            "Paywall",
            "The text ends with an invitation to subscribe. This costs no points.",
            "To tell agents which part is free, add isAccessibleForFree and hasPart to the structured data (schema.org).",
        ),
    };
    FactRow { quote: paywall.marks.join("; "), ..row }
}

pub(super) fn further_pages(record: &ScanRecord) -> Vec<FurtherPage> {
    let rows = &record.agentview.rows;
    record
        .pages
        .iter()
        .map(|page| FurtherPage {
            path: page.path.clone(),
            source: describe_page_source(&page.why_chosen),
            browser: response_status(&page.browser),
            crawlers: group(&page.identities, rows),
            text: page_text(page.browser.words, page.empty, !page.instruction_like.is_empty()),
        })
        .collect()
}

fn response_status(response: &PageResponse) -> Status {
    outcome(&response.cause, response.blocker.as_deref(), response.status)
}

fn group(responses: &[PageResponse], rows: &[AgentRow]) -> Vec<(Status, String)> {
    let mut grouped: Vec<(Status, String)> = Vec::new();
    for response in responses {
        let label = rows.iter().find(|row| row.id == response.id).map(|row| row.label.as_str());
        let name = short_name(label.unwrap_or(&response.id));
        let status = response_status(response);
        match grouped.iter_mut().find(|(known, _)| *known == status) {
            Some((_, names)) => {
                names.push_str(", ");
                names.push_str(name);
            }
            None => grouped.push((status, name.to_owned())),
        }
    }
    grouped
}

fn page_text(words: Option<u32>, empty: Option<bool>, instructs: bool) -> String {
    let facts = [
        words.map(|words| format!("{words} words for the browser")),
        (empty == Some(true)).then(|| "no text without scripts".to_owned()),
        instructs.then(|| "has text that reads like an instruction to machines".to_owned()),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    if facts.is_empty() { "–".to_owned() } else { facts.join("; ") }
}
