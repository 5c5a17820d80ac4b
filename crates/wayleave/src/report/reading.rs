//! What the page says without scripts, and how the site is reached.

use contract::records::{InstructionLike, ScanRecord, TransportReading};

use super::page::Page;
use super::{count, plain};
use crate::output::Tone;

pub(super) fn content(page: &mut Page, record: &ScanRecord) {
    let content = &record.content;
    page.heading("Content without scripts");
    match (content.words, content.main_words) {
        (Some(words), Some(main)) => {
            page.prose(
                2,
                &format!("{}, {main} of them in the main part.", count(words.into(), "word")),
            );
        }
        (Some(words), None) => page.prose(2, &format!("{}.", count(words.into(), "word"))),
        (None, _) => page.faint(2, "Not measured: no page was served that could be read."),
    }
    if content.script_shell == Some(true) {
        page.toned(
            2,
            Tone::Bad,
            "The page is a shell: its text comes only to readers that run scripts.",
        );
    }
    let told = [
        ("title", &content.untrusted_title),
        ("description", &content.untrusted_description),
        ("language", &content.language),
        ("canonical", &content.canonical),
    ];
    for (label, value) in told {
        if let Some(value) = value {
            page.labelled(2, &format!("{label:<11}"), value);
        }
    }
    if let Some(markdown) = content.markdown {
        let text = if markdown { "Also given as Markdown." } else { "Not given as Markdown." };
        page.prose(2, text);
    }
    if !content.instruction_like.is_empty() {
        page.toned(2, Tone::Doubt, "Text that reads like an instruction to a machine:");
    }
    for found in &content.instruction_like {
        instruction(page, found);
    }
}

fn instruction(page: &mut Page, found: &InstructionLike) {
    let mut where_ = vec![plain(&found.surface)];
    if found.concealed {
        where_.push("people do not see it".to_owned());
    }
    if found.only_ai {
        where_.push(format!("given only to {}", found.identities.join(", ")));
    }
    page.labelled(4, "»", &found.untrusted_excerpt);
    if let Some(decoded) = &found.untrusted_decoded {
        page.labelled(6, "spelt by invisible characters:", decoded);
    }
    page.faint(6, &format!("{} ({})", where_.join(", "), plain(&found.rule)));
}

pub(super) fn transport(page: &mut Page, record: &ScanRecord) {
    let transport = &record.transport;
    page.heading("Transport and caching");
    page.prose(2, &reached(transport));
    if let Some(tls) = &transport.tls {
        let left = match tls.days_left {
            Some(days) if days < 0 => {
                format!(", which ended {} ago", count(days.unsigned_abs(), "day"))
            }
            Some(days) => format!(", good for {}", count(days.unsigned_abs(), "day")),
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
            Some(true) => "; the resolver calls it validated",
            _ => "",
        };
        page.prose(2, &format!("Addresses: {}{validated}.", addresses.join(", ")));
    }
    let caching = &record.caching;
    if let Some(control) = &caching.cache_control {
        page.prose(2, &format!("Cache-Control: {control}"));
    }
    if caching.diverged == Some(true) {
        page.toned(2, Tone::Bad, "A cache serves another page than the site does now.");
    }
}

fn reached(transport: &TransportReading) -> String {
    let mut told = vec![
        match transport.https {
            Some(true) => "https",
            Some(false) => "plain http only",
            None => "https not measured",
        }
        .to_owned(),
    ];
    match transport.plain_http.as_deref() {
        Some("https") => told.push("plain http leads to https".to_owned()),
        Some("served") => told.push("plain http is served as well".to_owned()),
        Some("closed") => told.push("plain http is closed".to_owned()),
        Some(other) => told.push(format!("plain http: {}", plain(other))),
        None => told.push("plain http not measured".to_owned()),
    }
    if let Some(hsts) = &transport.hsts {
        told.push(format!("Strict-Transport-Security {hsts}"));
    }
    if !transport.http_versions.is_empty() {
        told.push(format!("HTTP/{}", transport.http_versions.join(" and HTTP/")));
    }
    if transport.http3_offered == Some(true) {
        told.push("HTTP/3 offered, not tried".to_owned());
    }
    format!("{}.", told.join("; "))
}
