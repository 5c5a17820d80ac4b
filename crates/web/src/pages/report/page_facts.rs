//! What was served as the home page, and the further pages of the site that were read.

use contract::records::{
    AgentRow, ContentReading, PageReading, PageResponse, PaywallReading, ScanRecord,
};
use contract::text::record_words::{describe_page_kind, describe_page_source, explain_outcome};

use super::identities::cause_class;
use super::table::{capitalise, render_entry};
use crate::pages::html::Html;

pub(super) fn render_page_facts(main: &mut Html, record: &ScanRecord) {
    main.raw("<h2>The home page</h2>\n<dl>\n");
    render_kind(main, &record.content);
    render_words(main, &record.content);
    if record.content.cut {
        render_fact(
            main,
            "Length",
            "The page is longer than what we read. Everything in this report is about the first part.",
            Some("Agents have limits too. Put what matters first, or split the page."),
        );
    }
    if record.content.prerendered {
        render_fact(
            main,
            "Scripts",
            "AI crawlers get the page with its text, and browsers fill it by scripts.",
            Some("Serve the rendered page to every client."),
        );
    }
    if let Some(refresh) = &record.content.refresh {
        main.raw("<dt>Leads elsewhere</dt><dd>After ").text(refresh.seconds);
        main.raw(" s, browsers leave for <code>").text(&refresh.untrusted_target).raw("</code>");
        main.raw(if refresh.same_site { ". " } else { ", which is another site. " });
        main.raw(
            "<b>What to do:</b> Redirect on the server with status 301 or 308 instead.</dd>\n",
        );
    }
    render_paywall(main, record.paywall.as_ref());
    main.raw("</dl>\n");
    render_further_pages(main, record);
}

fn render_kind(main: &mut Html, content: &ContentReading) {
    let Some(kind) = content.page_kind.as_deref() else {
        render_fact(main, "Kind", "Not known: no page was served.", None);
        return;
    };
    match describe_page_kind(kind) {
        None => render_entry(main, "Kind", "HTML page"),
        Some(words) => {
            main.raw("<dt>Kind</dt><dd><b class=\"maybe\">").text(capitalise(&words.label));
            main.raw(".</b> ").text(words.meaning);
            render_advice(main, words.advice);
            main.raw("</dd>\n");
        }
    }
}

fn render_words(main: &mut Html, content: &ContentReading) {
    let Some(words) = content.words else {
        render_entry(main, "Words without scripts", "not measured: no readable page was served");
        return;
    };
    match content.main_words {
        Some(within) => render_entry(
            main,
            "Words without scripts",
            format_args!("{words}, {within} of them in the main part"),
        ),
        None => render_entry(main, "Words without scripts", words),
    }
    if content.script_shell == Some(true) {
        render_fact(
            main,
            "Scripts",
            "The page has almost no text before its scripts run. Most AI crawlers run no scripts.",
            Some("Render the page on the server or at build time."),
        );
    }
}

fn render_paywall(main: &mut Html, paywall: Option<&PaywallReading>) {
    let Some(paywall) = paywall else {
        render_entry(main, "Paywall", "not checked: no page was read");
        return;
    };
    let (meaning, advice) = match (paywall.declared, paywall.visible) {
        (false, false) => return render_entry(main, "Paywall", "none found"),
        (true, true) => (
            "Part of the text is for subscribers only. The structured data says so, and the text ends with an invitation to subscribe.",
            None,
        ),
        (true, false) => (
            "Part of the text is for subscribers only: the structured data says so. This costs no points.",
            None,
        ),
        (false, true) => (
            "The text ends with an invitation to subscribe. This costs no points.",
            Some(
                "To tell agents which part is free, add isAccessibleForFree and hasPart to the structured data (schema.org).",
            ),
        ),
    };
    main.raw("<dt>Paywall</dt><dd>").text(meaning);
    if !paywall.marks.is_empty() {
        main.raw(" <span class=\"soft\">Signs: ").text(paywall.marks.join("; ")).raw(".</span>");
    }
    render_advice(main, advice);
    main.raw("</dd>\n");
}

fn render_further_pages(main: &mut Html, record: &ScanRecord) {
    main.raw("<h2>Further pages</h2>\n");
    if record.pages.is_empty() {
        main.raw("<p class=\"soft\">No further page of the site was found or read.</p>\n");
        return;
    }
    main.raw(
        "<p>Each client requested each page once, so their texts are not compared. Only crawlers \
         that robots.txt lets read a page requested it.</p>\n<div class=\"wide\"><table>\n\
         <thead><tr><th>Page</th><th>Browser</th><th>AI crawlers</th><th>Text</th></tr></thead>\n\
         <tbody>\n",
    );
    for page in &record.pages {
        main.raw("<tr><td><code>").text(&page.path).raw("</code><br><span class=\"soft\">");
        main.text(describe_page_source(&page.why_chosen)).raw("</span></td><td>");
        render_responses(main, &[(&page.browser, "")]);
        main.raw("</td><td>");
        let named: Vec<(&PageResponse, &str)> = page
            .identities
            .iter()
            .map(|response| (response, short_name(&record.agentview.rows, &response.id)))
            .collect();
        render_responses(main, &named);
        main.raw("</td><td>").text(describe_page_text(page)).raw("</td></tr>\n");
    }
    main.raw("</tbody></table></div>\n");
}

/// Outcomes, each once, with the names of those who got it.
fn render_responses(main: &mut Html, responses: &[(&PageResponse, &str)]) {
    if responses.is_empty() {
        main.raw("–");
        return;
    }
    let outcome = |response: &PageResponse| {
        let words = explain_outcome(&response.cause, response.blocker.as_deref());
        let status = response.status.map(|status| format!(" ({status})")).unwrap_or_default();
        format!("{}{status}", capitalise(&words.label))
    };
    let mut grouped: Vec<(String, &PageResponse, Vec<&str>)> = Vec::new();
    for (response, name) in responses {
        let words = outcome(response);
        match grouped.iter_mut().find(|(known, _, _)| *known == words) {
            Some((_, _, names)) => names.push(name),
            None => grouped.push((words, response, vec![name])),
        }
    }
    for (at, (words, response, names)) in grouped.iter().enumerate() {
        if at > 0 {
            main.raw("<br>");
        }
        main.raw("<span class=\"").raw(cause_class(&response.cause)).raw("\">").text(words);
        main.raw("</span>");
        let names = names.join(", ");
        if !names.is_empty() {
            main.raw(": ").text(names);
        }
    }
}

fn describe_page_text(page: &PageReading) -> String {
    let mut facts = Vec::new();
    if let Some(words) = page.browser.words {
        facts.push(format!("{words} words for the browser"));
    }
    if page.empty == Some(true) {
        facts.push("no text without scripts".to_owned());
    }
    if !page.instruction_like.is_empty() {
        facts.push("has text that reads like an instruction to machines".to_owned());
    }
    if facts.is_empty() { "–".to_owned() } else { facts.join("; ") }
}

/// The name before the brackets of a label, or the id.
fn short_name<'a>(rows: &'a [AgentRow], id: &'a str) -> &'a str {
    let row = rows.iter().find(|row| row.id == id);
    row.and_then(|row| row.label.split(" (").next()).unwrap_or(id)
}

fn render_fact(main: &mut Html, name: &'static str, text: &str, advice: Option<&str>) {
    main.raw("<dt>").raw(name).raw("</dt><dd>").text(text);
    render_advice(main, advice);
    main.raw("</dd>\n");
}

fn render_advice(main: &mut Html, advice: Option<&str>) {
    if let Some(advice) = advice {
        main.raw(" <b>What to do:</b> ").text(advice);
    }
}
