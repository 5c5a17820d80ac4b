//! The content of the page without JavaScript, and transport and caching.

use contract::records::{InstructionLikeText, ScanRecord, TransportReading};
use contract::text::record_words::spaced;

use super::count_of;
use super::page::Page;
use super::pages;
use crate::output::Tone;

pub(super) fn write_content(page: &mut Page, record: &ScanRecord) {
    let content = &record.content;
    page.heading("Content without scripts");
    pages::write_page_kind(page, content);
    match (content.words, content.main_words) {
        (Some(words), Some(main)) => {
            page.prose(
                2,
                &format!("{}, {main} of them in the main content.", count_of(words.into(), "word")),
            );
        }
        (Some(words), None) => page.prose(2, &format!("{}.", count_of(words.into(), "word"))),
        (None, _) => page.faint(2, "Not measured: no readable page was served."),
    }
    if content.script_shell == Some(true) {
        page.toned(
            2,
            Tone::Bad,
            "The page is a script shell: its text appears only if scripts run.",
        );
    }
    let facts = [
        ("title", &content.untrusted_title),
        ("description", &content.untrusted_description),
        ("language", &content.language),
        ("canonical", &content.canonical),
    ];
    for (label, value) in facts {
        if let Some(value) = value {
            page.labelled(2, &format!("{label:<11}"), value);
        }
    }
    if let Some(markdown) = content.markdown {
        let text =
            if markdown { "Also available as Markdown." } else { "Not available as Markdown." };
        page.prose(2, text);
    }
    pages::write_paywall(page, record.paywall.as_ref());
    if !content.instruction_like.is_empty() {
        page.toned(2, Tone::Warning, "Text that looks like an instruction to AI agents:");
    }
    for found in &content.instruction_like {
        write_instruction(page, found);
    }
}

fn write_instruction(page: &mut Page, found: &InstructionLikeText) {
    let mut surface = vec![spaced(&found.surface)];
    if found.concealed {
        surface.push("hidden from people".to_owned());
    }
    if found.only_ai {
        surface.push(format!("served only to {}", found.identities.join(", ")));
    }
    page.labelled(4, "»", &found.untrusted_excerpt);
    if let Some(decoded) = &found.untrusted_decoded {
        page.labelled(6, "decoded from invisible characters:", decoded);
    }
    page.faint(6, &format!("{} ({})", surface.join(", "), spaced(&found.rule)));
}

pub(super) fn write_transport(page: &mut Page, record: &ScanRecord) {
    let transport = &record.transport;
    page.heading("Transport and caching");
    page.prose(2, &describe_https(transport));
    if let Some(tls) = &transport.tls {
        let left = match tls.days_left {
            Some(days) if days < 0 => {
                format!(", expired {} ago", count_of(days.unsigned_abs(), "day"))
            }
            Some(days) => format!(", valid for another {}", count_of(days.unsigned_abs(), "day")),
            None => String::new(),
        };
        let issuer = tls.issuer.as_ref().map(|issuer| format!(" by {issuer}")).unwrap_or_default();
        let word = if tls.trusted { "trusted" } else { "not trusted" };
        let text = format!("{}, certificate {word}{issuer}{left}.", tls.version);
        match tls.trusted {
            true => page.prose(2, &text),
            false => page.toned(2, Tone::Bad, &text),
        }
        if !tls.errors.is_empty() {
            page.toned(2, Tone::Bad, &format!("Certificate: {}.", tls.errors.join(", ")));
        }
    }
    let dns = &transport.dns;
    let addresses: Vec<&str> = dns.a.iter().chain(&dns.aaaa).map(String::as_str).collect();
    if !addresses.is_empty() {
        let validated = match dns.dnssec_validated {
            Some(true) => "; DNSSEC validated by the resolver",
            _ => "",
        };
        page.prose(2, &format!("Addresses: {}{validated}.", addresses.join(", ")));
    }
    let caching = &record.caching;
    if let Some(control) = &caching.cache_control {
        page.prose(2, &format!("Cache-Control: {control}"));
    }
    if caching.diverged == Some(true) {
        page.toned(2, Tone::Bad, "A cache serves a different page than the origin.");
    }
}

fn describe_https(transport: &TransportReading) -> String {
    let mut facts = vec![
        match transport.https {
            Some(true) => "https",
            Some(false) => "plain http only",
            None => "https not measured",
        }
        .to_owned(),
    ];
    match transport.plain_http.as_deref() {
        Some("https") => facts.push("plain http redirects to https".to_owned()),
        Some("served") => facts.push("plain http is also served".to_owned()),
        Some("closed") => facts.push("plain http is closed".to_owned()),
        Some(other) => facts.push(format!("plain http: {}", spaced(other))),
        None => facts.push("plain http not measured".to_owned()),
    }
    if let Some(hsts) = &transport.hsts {
        facts.push(format!("Strict-Transport-Security {hsts}"));
    }
    if !transport.http_versions.is_empty() {
        facts.push(format!("HTTP/{}", transport.http_versions.join(" and HTTP/")));
    }
    if transport.http3_offered == Some(true) {
        facts.push("HTTP/3 offered (not tested)".to_owned());
    }
    format!("{}.", facts.join("; "))
}
