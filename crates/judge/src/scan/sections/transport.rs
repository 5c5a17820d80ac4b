//! How the page travels.

use contract::records::Severity;

use super::Readings;
use crate::scan::verdicts::{Verdicts, about, aside};

pub(super) fn judge(read: &Readings<'_>, out: &mut Verdicts) {
    let transport = read.transport;
    let evidence = || transport.evidence.clone();
    let rules = read.look.rules;
    match transport.https {
        None => out.not_assessed("transport.https", "No page came."),
        Some(true) => out.passed("transport.https", "The page came over https.", evidence()),
        Some(false) => {
            out.failed("transport.https", "The page came over plain http.", evidence());
            out.cap("no_https", "It came over plain http in the end.");
            let mut finding = about(rules, "transport.https", "no_https", Severity::High);
            finding.title = "The page is given without encryption".to_owned();
            finding.seen = "The home page was given over http in the end.".to_owned();
            finding.matters_to = vec!["agents".to_owned(), "readers".to_owned()];
            finding.fix = Some(
                "Get a certificate (ACME makes it free and automatic), serve the site over https, and redirect \
                 http to it."
                    .to_owned(),
            );
            finding.evidence = evidence();
            out.find(finding);
        }
    }
    certificate(read, out);
    match (transport.https, transport.plain_http.as_deref()) {
        (Some(false), _) => {
            out.not_applicable("transport.plain_http", "There is no https to lead to.")
        }
        (_, None) => out.not_assessed("transport.plain_http", "Plain http was not read."),
        (_, Some("https")) => {
            out.passed("transport.plain_http", "Plain http leads to https.", evidence());
        }
        (_, Some("closed")) => {
            out.passed("transport.plain_http", "Nothing listens for plain http.", evidence());
        }
        (_, Some(other)) => {
            out.failed(
                "transport.plain_http",
                format!("Plain http does not lead to https ({other})."),
                evidence(),
            );
            let mut finding =
                about(rules, "transport.plain_http", "plain_http_stays", Severity::Low);
            finding.title = "Plain http does not lead to https".to_owned();
            finding.seen = if other == "served" {
                "http:// gives a page without a redirect.".to_owned()
            } else {
                "http:// answers, and not with a redirect to https://.".to_owned()
            };
            finding.fix = Some(
                "Answer every http:// request with 301 to the same address under https://."
                    .to_owned(),
            );
            finding.paste = Some(format!(
                "server {{\n    listen 80;\n    server_name {};\n    return 301 https://$host$request_uri;\n}}",
                read.look.evidence.host
            ));
            finding.evidence = evidence();
            out.find(finding);
        }
    }
    hsts(read, out);
}

fn certificate(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "transport.certificate";
    let transport = read.transport;
    let Some(tls) = &transport.tls else {
        if transport.https == Some(false) {
            out.not_applicable(RULE, "There is no https.");
        } else {
            out.not_assessed(RULE, "No certificate was shown.");
        }
        return;
    };
    let evidence = transport.evidence.clone();
    if !tls.trusted {
        let wrong = tls.errors.join(", ");
        out.failed(RULE, format!("The certificate does not hold: {wrong}."), evidence.clone());
        out.cap("bad_certificate", format!("Wrong with it: {wrong}."));
        let mut finding = about(read.look.rules, RULE, "bad_certificate", Severity::High);
        finding.title = "The certificate does not hold".to_owned();
        finding.seen = format!(
            "The server's certificate was read and is not trusted: {wrong}. Issued by {}, good until {}.",
            tls.issuer.as_deref().unwrap_or("nobody named"),
            tls.not_after.map_or("no known time".to_owned(), |at| at.to_string())
        );
        finding.matters_to =
            vec!["agents".to_owned(), "readers".to_owned(), "site_owner".to_owned()];
        finding.fix = Some(
            "Install a certificate for this very name from a public authority, with its whole chain, and let it \
             be renewed by itself."
                .to_owned(),
        );
        finding.evidence = evidence;
        out.find(finding);
        return;
    }
    out.passed(RULE, "Chain, name and time hold.", evidence.clone());
    let soon = read.look.rules.thresholds.certificate_days;
    if let Some(days) = tls.days_left.filter(|days| (0..soon).contains(days)) {
        let mut finding = aside("transport", "certificate_ends_soon", Severity::Low);
        finding.title = "The certificate ends soon".to_owned();
        finding.seen = format!("It is good for {days} more days.");
        finding.why = "From then on, careful agents stop before they read anything.".to_owned();
        finding.fix = Some("Check that renewal works by itself; if not, renew it now.".to_owned());
        finding.standard = Some("RFC 5280".to_owned());
        finding.evidence = evidence;
        out.find(finding);
    }
}

fn hsts(read: &Readings<'_>, out: &mut Verdicts) {
    const RULE: &str = "transport.hsts";
    let transport = read.transport;
    let holds = transport.tls.as_ref().is_some_and(|tls| tls.trusted);
    if transport.https != Some(true) || !holds {
        return out.not_applicable(RULE, "There is no https that holds.");
    }
    let evidence = transport.evidence.clone();
    if transport.hsts_max_age.is_some_and(|age| age > 0) {
        return out.passed(RULE, "Strict-Transport-Security is set.", evidence);
    }
    out.failed(RULE, "Strict-Transport-Security is not set.", evidence.clone());
    let mut finding = about(read.look.rules, RULE, "no_hsts", Severity::Low);
    finding.title = "Readers are not told to keep to https".to_owned();
    finding.seen = match &transport.hsts {
        Some(field) => format!("Strict-Transport-Security: {field}"),
        None => "The page came without Strict-Transport-Security.".to_owned(),
    };
    finding.fix = Some("Send this header field with every https answer.".to_owned());
    finding.paste = Some("Strict-Transport-Security: max-age=31536000".to_owned());
    finding.evidence = evidence;
    out.find(finding);
}
