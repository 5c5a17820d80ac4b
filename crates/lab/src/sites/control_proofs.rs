//! Sites for proofs of control: one that people claim, sites that show a published proof where it must
//! not count, and names whose TXT records are hard to read. Nobody scans the latter; they are for
//! checks of proofs.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{self, GARDEN, PageExtras},
    http::reply::{Reply, SiteRequest},
    proofs::{ProofKind, escape_html},
    site::{DnsBehaviour, LabSite, PortBehaviour, SiteDns},
};

/// The site of the catalogue that people claim.
pub(super) const OWN_SITES: &[LabSite] = &[LabSite {
    name: "yours.lab",
    behaviour: "yours",
    does: "Is a plain site for people who try how a domain is claimed: `wayleave lab publish` publishes \
           proofs on it.",
    says: "Every identity gets the page.",
    expect: SERVED,
    text: &GARDEN,
    ..site_with_pages(plain_site)
}];

/// A site that shows what is published for it by itself.
const fn site(
    name: &'static str,
    does: &'static str,
    page: fn(&SiteRequest<'_>) -> Reply,
) -> LabSite {
    LabSite {
        name,
        behaviour: "control_proof",
        does,
        says: "Not scanned.",
        https: PortBehaviour::Proofs(page),
        ..site_with_pages(plain_site)
    }
}

/// A site with the usual pages whose names are answered in an unusual way.
const fn name(
    name: &'static str,
    does: &'static str,
    answers: &'static [(&'static str, DnsBehaviour)],
) -> LabSite {
    LabSite {
        name,
        behaviour: "control_proof",
        does,
        says: "Not scanned.",
        dns: SiteDns { answers, texts: &[], signed: false },
        ..site_with_pages(plain_site)
    }
}

pub(super) const SITES: &[LabSite] = &[
    site("proof-browsers-only.lab", "Shows the meta element to browsers only.", |request| {
        match request.is_from_any(&["Chrome/"]) {
            true => home_with_head(request, &meta_elements(request)),
            false => plain_site(request),
        }
    }),
    site("proof-in-comment.lab", "Has the meta element in a comment.", |request| {
        home_with_head(request, &format!("<!-- {} -->", meta_elements(request)))
    }),
    site(
        "proof-in-body.lab",
        "Has the meta element in the body, as visitors can write.",
        |request| match request.path {
            "/" => content::home_with(
                request,
                PageExtras { body: &meta_elements(request), ..PageExtras::default() },
            ),
            _ => plain_site(request),
        },
    ),
    site("proof-in-template.lab", "Has the meta element in a template element.", |request| {
        home_with_head(request, &format!("<template>{}</template>", meta_elements(request)))
    }),
    site("proof-in-noscript.lab", "Has the meta element in a noscript element.", |request| {
        home_with_head(request, &format!("<noscript>{}</noscript>", meta_elements(request)))
    }),
    site("proof-in-script.lab", "Has the meta element in the text of a script.", |request| {
        let script = format!("<script>document.write('{}')</script>", meta_elements(request));
        home_with_head(request, &script)
    }),
    site("proof-in-svg.lab", "Has the meta element in a drawing.", |request| {
        home_with_head(request, &format!("<svg>{}</svg>", meta_elements(request)))
    }),
    site("proof-cached.lab", "Serves page and file from a cache, two hours old.", |request| {
        with_proofs(request).with_header("age", "7200")
    }),
    site("proof-fresh-cache.lab", "Serves page and file from a cache, a minute old.", |request| {
        with_proofs(request).with_header("age", "60")
    }),
    site("proof-search.lab", "Repeats path and query in the head of every page.", |request| {
        let asked = format!("{}?{}", request.path, request.query.unwrap_or_default());
        let words = asked.split(['/', '?', '=', '&', '-', '.']).chain([asked.as_str()]);
        let elements: String = words
            .map(|word| {
                let word = escape_html(word);
                format!("<meta name=\"svc-verification\" content=\"{word}\">\n")
            })
            .collect();
        content::home_with(request, PageExtras { head: &elements, ..PageExtras::default() })
    }),
    site(
        "proof-echo.lab",
        "Answers every path with 200 and repeats the path as text.",
        |request| {
            let words = request.path.replace(['/', '-', '.'], "\n");
            Reply::text(200, format!("{}\n{words}\n", request.path))
        },
    ),
    site("proof-everywhere.lab", "Answers every path with the content of the file.", |request| {
        Reply::text(200, file_lines(request))
    }),
    site("proof-html-file.lab", "Serves the file as an HTML page.", |request| match request.path {
        FILE_PATH => Reply::html(200, file_lines(request)),
        _ => plain_site(request),
    }),
    site("proof-html-text.lab", "Serves an HTML page as a text file.", |request| {
        match request.path {
            FILE_PATH => Reply::text(200, format!("<!doctype html>\n<p>\n{}", file_lines(request))),
            _ => plain_site(request),
        }
    }),
    site(
        "proof-open-redirect.lab",
        "Redirects everything to an address that the query of its own page names, on another host.",
        |request| match request.path {
            "/go" => Reply::redirect(302, format!("https://yours.lab{}", query_of(request))),
            path => Reply::redirect(302, format!("/go?{path}")),
        },
    ),
    site("proof-moved.lab", "Redirects everything to another host.", |request| {
        Reply::redirect(301, format!("https://yours.lab{}", request.path))
    }),
    site("proof-to-subdomain.lab", "Redirects everything to a name below its own.", |request| {
        Reply::redirect(301, format!("https://blog.proof-to-subdomain.lab{}", request.path))
    }),
    site("proof-to-http.lab", "Redirects everything to http.", |request| {
        Reply::redirect(301, format!("http://proof-to-http.lab{}", request.path))
    }),
    site("proof-to-port.lab", "Redirects everything to another port.", |request| {
        Reply::redirect(301, format!("https://proof-to-port.lab:8443{}", request.path))
    }),
    site("proof-to-www.lab", "Redirects everything to its www name.", |request| {
        match request.host.starts_with("www.") {
            true => with_proofs(request),
            false => Reply::redirect(301, format!("https://www.proof-to-www.lab{}", request.path)),
        }
    }),
    site("proof-forbidden.lab", "Answers everything with 403.", |request| Reply {
        status: 403,
        ..with_proofs(request)
    }),
    site("proof-busy.lab", "Answers everything with 429.", |request| Reply {
        status: 429,
        ..with_proofs(request)
    }),
    site("proof-gone.lab", "Answers everything with 410.", |request| Reply {
        status: 410,
        ..with_proofs(request)
    }),
    site("proof-accepted.lab", "Answers everything with 202.", |request| Reply {
        status: 202,
        ..with_proofs(request)
    }),
    name(
        "proof-www-only.lab",
        "Has an address at its www name only.",
        &[("", DnsBehaviour::Empty), ("www", DnsBehaviour::Own)],
    ),
    name(
        "txt-alias.lab",
        "Has a chain of three CNAME records at the name of the TXT record.",
        &[("", DnsBehaviour::Own), (TXT_LABEL, DnsBehaviour::AliasChain(3))],
    ),
    name(
        "txt-servfail.lab",
        "Makes the name server fail (SERVFAIL) for the TXT record.",
        &[("", DnsBehaviour::Own), (TXT_LABEL, DnsBehaviour::ServerFailure)],
    ),
    name(
        "txt-refused.lab",
        "Makes the name server refuse the question for the TXT record.",
        &[("", DnsBehaviour::Own), (TXT_LABEL, DnsBehaviour::Refused)],
    ),
    name(
        "txt-silent.lab",
        "Makes the name server never answer for the TXT record.",
        &[("", DnsBehaviour::Own), (TXT_LABEL, DnsBehaviour::Silent)],
    ),
    name(
        "txt-truncated.lab",
        "Makes the name server truncate the answer for the TXT record, also over TCP.",
        &[("", DnsBehaviour::Own), (TXT_LABEL, DnsBehaviour::Truncated)],
    ),
    name(
        "txt-upper-case.lab",
        "Answers for the TXT record with names in upper case.",
        &[("", DnsBehaviour::Own), (TXT_LABEL, DnsBehaviour::UpperCase)],
    ),
];

const TXT_LABEL: &str = "_svc-challenge";
const FILE_PATH: &str = "/.well-known/svc-challenge.txt";

fn query_of<'a>(request: &SiteRequest<'a>) -> &'a str {
    request.query.unwrap_or("/")
}

fn meta_elements(request: &SiteRequest<'_>) -> String {
    let published = request.published.iter().filter(|proof| proof.kind == ProofKind::Meta);
    published
        .map(|proof| {
            let content = escape_html(&proof.value());
            format!("<meta name=\"{}\" content=\"{content}\">", proof.name)
        })
        .collect()
}

fn file_lines(request: &SiteRequest<'_>) -> String {
    let published = request.published.iter().filter(|proof| proof.kind == ProofKind::File);
    published.map(|proof| proof.value() + "\n").collect()
}

fn home_with_head(request: &SiteRequest<'_>, head: &str) -> Reply {
    match request.path {
        "/" => content::home_with(request, PageExtras { head, ..PageExtras::default() }),
        _ => plain_site(request),
    }
}

/// Page and file as they should be.
fn with_proofs(request: &SiteRequest<'_>) -> Reply {
    let lines = file_lines(request);
    match request.path {
        FILE_PATH if !lines.is_empty() => Reply::text(200, lines),
        _ => home_with_head(request, &meta_elements(request)),
    }
}
