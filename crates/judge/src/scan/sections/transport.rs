//! Whether the page is served over valid https.

use contract::records::Severity;

use super::inputs::SectionInputs;
use crate::scan::verdicts::{Verdicts, finding_for_rule, unscored_finding};

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let transport = inputs.transport;
    let evidence = || transport.evidence.clone();
    let rules = inputs.parsed.rules;
    match transport.https {
        None => verdicts.add_not_assessed("transport.https", "No page was served."),
        Some(true) => {
            verdicts.add_passed("transport.https", "The page was served over https.", evidence())
        }
        Some(false) => {
            verdicts.add_failed(
                "transport.https",
                "The page was served over plain http.",
                evidence(),
            );
            verdicts.add_cap(
                "no_https",
                "The home page is served over plain http, without encryption.",
            );
            let mut finding =
                finding_for_rule(rules, "transport.https", "no_https", Severity::High);
            finding.title = "The page is served without encryption".to_owned();
            finding.seen = "After redirects, the home page was served over plain http.".to_owned();
            finding.matters_to = vec!["agents".to_owned(), "readers".to_owned()];
            finding.fix = Some(
                "Get a certificate (free and automatic with ACME), serve the site over https, and redirect http to \
                 https."
                    .to_owned(),
            );
            finding.evidence = evidence();
            verdicts.add_finding(finding);
        }
    }
    judge_certificate(inputs, verdicts);
    match (transport.https, transport.plain_http.as_deref()) {
        (Some(false), _) => verdicts
            .add_not_applicable("transport.plain_http", "The site has no https to redirect to."),
        (_, None) => verdicts.add_not_assessed(
            "transport.plain_http",
            "Plain http was not tested, or the result was not conclusive.",
        ),
        (_, Some("https")) => {
            verdicts.add_passed("transport.plain_http", "http redirects to https.", evidence());
        }
        (_, Some("closed")) => {
            verdicts.add_passed(
                "transport.plain_http",
                "The host does not accept plain http connections.",
                evidence(),
            );
        }
        (_, Some(other)) => {
            verdicts.add_failed(
                "transport.plain_http",
                format!("http does not redirect to https ({other})."),
                evidence(),
            );
            let mut finding =
                finding_for_rule(rules, "transport.plain_http", "plain_http_stays", Severity::Low);
            finding.title = "http does not redirect to https".to_owned();
            finding.seen = if other == "served" {
                "http:// serves a page without a redirect.".to_owned()
            } else {
                "http:// answers, but does not redirect to https://.".to_owned()
            };
            finding.fix = Some(
                "Answer every http:// request with a 301 redirect to the same URL under https://."
                    .to_owned(),
            );
            finding.paste = Some(format!(
                "server {{\n    listen 80;\n    server_name {};\n    return 301 https://$host$request_uri;\n}}",
                inputs.parsed.evidence.host
            ));
            finding.evidence = evidence();
            verdicts.add_finding(finding);
        }
    }
    judge_hsts(inputs, verdicts);
}

fn judge_certificate(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "transport.certificate";
    let transport = inputs.transport;
    let Some(tls) = &transport.tls else {
        if transport.https == Some(false) {
            verdicts.add_not_applicable(RULE, "The site has no https.");
        } else {
            verdicts.add_not_assessed(RULE, "No certificate was seen.");
        }
        return;
    };
    let evidence = transport.evidence.clone();
    if !tls.trusted {
        let errors = tls.errors.join(", ");
        verdicts.add_failed(
            RULE,
            format!("The TLS certificate is invalid: {errors}."),
            evidence.clone(),
        );
        verdicts.add_cap("bad_certificate", format!("The TLS certificate is invalid: {errors}."));
        let mut finding =
            finding_for_rule(inputs.parsed.rules, RULE, "bad_certificate", Severity::High);
        finding.title = "The TLS certificate is invalid".to_owned();
        finding.seen = format!(
            "The certificate is not trusted: {errors}. Issued by {}, valid until {}.",
            tls.issuer.as_deref().unwrap_or("unknown"),
            tls.not_after.map_or("unknown".to_owned(), |at| at.to_string())
        );
        finding.matters_to =
            vec!["agents".to_owned(), "readers".to_owned(), "site_owner".to_owned()];
        finding.fix = Some(
            "Install a certificate for this host name from a public certificate authority, with its full chain, and \
             automate its renewal."
                .to_owned(),
        );
        finding.evidence = evidence;
        verdicts.add_finding(finding);
        return;
    }
    verdicts.add_passed(
        RULE,
        "Chain, host name and validity period are correct.",
        evidence.clone(),
    );
    let soon = inputs.parsed.rules.thresholds.certificate_days;
    if let Some(days) = tls.days_left.filter(|days| (0..soon).contains(days)) {
        let mut finding = unscored_finding("transport", "certificate_ends_soon", Severity::Low);
        finding.title = "The TLS certificate expires soon".to_owned();
        finding.seen = format!("The certificate expires in {days} days.");
        finding.why =
            "After it expires, agents that check certificates cannot read the site.".to_owned();
        finding.fix = Some(
            "Check that automatic renewal works. If it does not, renew the certificate now."
                .to_owned(),
        );
        finding.standard = Some("RFC 5280".to_owned());
        finding.evidence = evidence;
        verdicts.add_finding(finding);
    }
}

fn judge_hsts(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    const RULE: &str = "transport.hsts";
    let transport = inputs.transport;
    let is_trusted = transport.tls.as_ref().is_some_and(|tls| tls.trusted);
    if transport.https != Some(true) || !is_trusted {
        return verdicts
            .add_not_applicable(RULE, "The site has no https with a valid certificate.");
    }
    let evidence = transport.evidence.clone();
    if transport.hsts_max_age.is_some_and(|age| age > 0) {
        return verdicts.add_passed(RULE, "The HSTS header is set.", evidence);
    }
    verdicts.add_failed(
        RULE,
        "The HSTS header is missing or has no positive max-age.",
        evidence.clone(),
    );
    let mut finding = finding_for_rule(inputs.parsed.rules, RULE, "no_hsts", Severity::Low);
    finding.title = match &transport.hsts {
        Some(_) => "HSTS header has no positive max-age",
        None => "HSTS header is missing",
    }
    .to_owned();
    finding.seen = match &transport.hsts {
        Some(field) => format!("Strict-Transport-Security: {field}"),
        None => "The response has no Strict-Transport-Security header.".to_owned(),
    };
    finding.fix = Some("Send this header with every https response.".to_owned());
    finding.paste = Some("Strict-Transport-Security: max-age=31536000".to_owned());
    finding.evidence = evidence;
    verdicts.add_finding(finding);
}
