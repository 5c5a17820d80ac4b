//! Kinds of home pages: catch-all answers, empty shells, unusual character sets, errors.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{self, BAKERY, BOOKSHOP, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, PageExtras, SCHOOL},
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite, NOT_ALLOW},
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "spa.lab",
        behaviour: "spa",
        does: "Answers every path with 200 and the same page, as single-page applications do.",
        says: "The site answers every path alike, so no machine file counts as present.",
        expect: ExpectedRecord {
            machine_files_present: Some(0),
            robots: Some("not_robots"),
            ..SERVED
        },
        text: &SCHOOL,
        ..site_with_pages(content::home)
    },
    LabSite {
        name: "soft-404.lab",
        behaviour: "soft_404",
        does: "Answers unknown paths with 200 and a page that says \"not found\".",
        says: "Missing pages answer 200, so only robots.txt counts as present.",
        text: &BOOKSHOP,
        ..site_with_pages(|request| match plain_site(request) {
            reply if reply.status == 404 => Reply::html(
                200,
                format!(
                    "<!doctype html>\n<html lang=\"en\"><head><title>Not found</title></head>\
                     <body><h1>Not found</h1><p>We looked for {} on every shelf.</p></body></html>\n",
                    request.path.replace(['<', '>', '&'], "")
                ),
            ),
            reply => reply,
        })
    },
    LabSite {
        name: "script-only.lab",
        behaviour: "script_only",
        does: "Serves an empty HTML page that a script would fill.",
        says: "The page has no text without JavaScript, for every identity.",
        text: &GARDEN,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            Reply::html(
                200,
                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
                 <title>Nursery</title></head>\n<body><div id=\"root\"></div>\
                 <script src=\"/assets/app.4f2a.js\" defer></script></body></html>\n",
            )
        })
    },
    LabSite {
        name: "empty-page.lab",
        behaviour: "empty_page",
        does: "Answers 200 with an empty body.",
        says: "The home page answers with an empty body.",
        expect: ExpectedRecord { ai_refused: None, gate: Some("empty"), ..SERVED },
        ..site_with_pages(|request| {
            if request.path == "/" { Reply::html(200, "") } else { plain_site(request) }
        })
    },
    LabSite {
        name: "latin1.lab",
        behaviour: "latin1",
        does: "Serves its page in ISO 8859-1 and declares it.",
        says: "The page uses another character set and is decoded correctly.",
        text: &SCHOOL,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let body = "<p>Crèche, Übungsraum, señal: £30.</p>\n";
            let page = content::page(request.text, PageExtras { body, ..PageExtras::default() })
                .replace("<meta charset=\"utf-8\">", "<meta charset=\"iso-8859-1\">");
            let bytes: Vec<u8> =
                page.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
            Reply::new(200, "text/html; charset=iso-8859-1", bytes)
        })
    },
    LabSite {
        name: "noindex-header.lab",
        behaviour: "noindex_header",
        does: "Asks in a response header not to be indexed or used for AI.",
        says: "The page is served. A response header asks not to index it.",
        text: &CYCLES,
        ..site_with_pages(|request| {
            plain_site(request).with_header("x-robots-tag", "noindex, nosnippet, noai")
        })
    },
    LabSite {
        name: "noindex-meta.lab",
        behaviour: "noindex_meta",
        does: "Asks in a meta element not to be indexed, and reserves text and data mining.",
        says: "The page is served. Meta elements ask not to index it and reserve text and data \
               mining.",
        text: &MUSEUM,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let head = "<meta name=\"robots\" content=\"noindex, noarchive\">\n\
                        <meta name=\"tdm-reservation\" content=\"1\">\n";
            content::home_with(request, PageExtras { head, ..PageExtras::default() })
        })
    },
    LabSite {
        name: "pdf-home.lab",
        behaviour: "pdf_home",
        does: "Serves a PDF as its home page.",
        says: "The home page is served and is not HTML.",
        expect: ExpectedRecord {
            finding: &["not_a_page"],
            read: NOT_ALLOW,
            grade_at_most: Some("C"),
            ..SERVED
        },
        text: &FERRY,
        ..site_with_pages(|request| {
            if request.path == "/" {
                Reply::new(
                    200,
                    "application/pdf",
                    "%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n",
                )
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "error-500.lab",
        behaviour: "error_500",
        does: "Answers every path with 500, for every identity.",
        says: "The site answers with server errors (500), so its pages and files are unknown.",
        expect: ExpectedRecord {
            home_status_browser: Some(500),
            ai_refused: None,
            machine_files_present: Some(0),
            robots: Some("error"),
            ..SERVED
        },
        text: &HOTEL,
        ..site_with_pages(|_| Reply::text(500, "Something broke.\n"))
    },
    LabSite {
        name: "gone.lab",
        behaviour: "gone",
        does: "Answers every path with 410, for every identity.",
        says: "The site says that it is permanently gone (410).",
        expect: ExpectedRecord {
            home_status_browser: Some(410),
            ai_refused: None,
            machine_files_present: Some(0),
            robots: Some("none"),
            ..SERVED
        },
        text: &BAKERY,
        ..site_with_pages(gone)
    },
];

fn gone(_: &SiteRequest<'_>) -> Reply {
    Reply::text(410, "The bakery has closed. Thank you for thirty good years.\n")
}
