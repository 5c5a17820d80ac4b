//! The building blocks that the sites of all themes share.

use crate::{
    content::{self, BAKERY},
    http::reply::{Reply, SiteRequest},
    site::{
        CertificateKind, DnsBehaviour, ExpectedFailure, ExpectedRecord, HttpsProtocol, LabSite,
        PortBehaviour, SiteDns,
    },
};

/// The site at whose address the trap has an extra port.
pub(crate) const TRAP_PORT_SITE: &str = "redirect-to-port.lab";

const BARE_AND_WWW: SiteDns = SiteDns {
    answers: &[("", DnsBehaviour::Own), ("www", DnsBehaviour::Own)],
    texts: &[],
    signed: false,
};

/// A site with correct pages: https with HTTP/2, and http that redirects to https. The tables
/// override what differs.
pub(crate) const fn site_with_pages(page: fn(&SiteRequest<'_>) -> Reply) -> LabSite {
    LabSite {
        name: "",
        behaviour: "",
        does: "",
        says: "",
        expect: SERVED,
        text: &BAKERY,
        dns: BARE_AND_WWW,
        http: PortBehaviour::Pages(redirect_to_https),
        https: PortBehaviour::Pages(page),
        certificate: CertificateKind::Good,
        protocol: HttpsProtocol::Http2,
    }
}

/// Every identity gets the page; robots.txt allows everything; there is no other machine file.
pub(super) const SERVED: ExpectedRecord = ExpectedRecord {
    reachable: true,
    home_status_browser: Some(200),
    ai_refused: Some(false),
    machine_files_present: Some(1),
    robots: Some("allows_all"),
    failure: None,
    tls_error: None,
    vendor: None,
    wall: None,
    split: None,
    variation: None,
    gate: None,
    paywall: None,
    finding: &[],
    no_finding: &[],
    files: &[],
    read: &[],
    cite: &[],
    grade_at_most: None,
    grade_at_least: None,
};

/// Nothing can be read, for one of these reasons.
pub(super) const fn expect_failure(
    kind: &'static str,
    reasons: &'static [&'static str],
) -> ExpectedRecord {
    ExpectedRecord {
        reachable: false,
        home_status_browser: None,
        ai_refused: None,
        machine_files_present: None,
        robots: None,
        failure: Some(ExpectedFailure { kind, reasons }),
        ..SERVED
    }
}

/// The site answers, but its home page cannot be read, for one of these reasons.
pub(super) const fn expect_home_failure(
    kind: &'static str,
    reasons: &'static [&'static str],
) -> ExpectedRecord {
    ExpectedRecord {
        reachable: false,
        home_status_browser: None,
        ai_refused: None,
        failure: Some(ExpectedFailure { kind, reasons }),
        ..SERVED
    }
}

/// The home page starts, but its body is cut for one of these reasons.
pub(super) const fn expect_cut_body(
    kind: &'static str,
    reasons: &'static [&'static str],
) -> ExpectedRecord {
    ExpectedRecord { failure: Some(ExpectedFailure { kind, reasons }), ..SERVED }
}

/// What nearly every site does on its http port.
pub(super) fn redirect_to_https(request: &SiteRequest<'_>) -> Reply {
    let query = request.query.map(|query| format!("?{query}")).unwrap_or_default();
    Reply::redirect(301, format!("https://{}{}{query}", request.host, request.path))
}

/// A home page, a page with directions, a robots.txt that allows everything, and 404 for the rest.
pub(super) fn plain_site(request: &SiteRequest<'_>) -> Reply {
    with_robots(request, "User-agent: *\nAllow: /\n")
}

/// The same with this robots.txt.
pub(super) fn with_robots(request: &SiteRequest<'_>, robots: &str) -> Reply {
    match request.path {
        "/" => content::home(request),
        "/robots.txt" => Reply::text(200, robots.to_owned()),
        "/visit" => visit_page(request),
        _ => content::not_found(request),
    }
}

fn visit_page(request: &SiteRequest<'_>) -> Reply {
    let text = request.text;
    Reply::html(
        200,
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><title>Find us</title></head>\n<body>\
             <h1>Find us</h1><p>{}, {} {}. We are open {}.</p></body></html>\n",
            text.street, text.town, text.postcode, text.hours
        ),
    )
}
