//! What kind of page a home page is: answers to everything, empty shells, odd character sets.

use super::{SERVED, pages, plain};
use crate::{
    content::{self, BAKERY, BOOKSHOP, CYCLES, Extra, FERRY, GARDEN, HOTEL, MUSEUM, SCHOOL},
    http::{Ask, Reply},
    site::{Expect, Site},
};

pub(super) const SITES: &[Site] = &[
    Site {
        name: "spa.lab",
        behaviour: "spa",
        does: "Answers 200 with the same page to every path, as single-page applications do.",
        says: "The site answers everything alike, so no machine file counts as present.",
        expect: Expect { machine_files_present: Some(0), robots: Some("not_robots"), ..SERVED },
        text: &SCHOOL,
        ..pages(content::home)
    },
    Site {
        name: "soft-404.lab",
        behaviour: "soft_404",
        does: "Answers 200 with a page that says \"not found\" to every path it does not know.",
        says: "Missing pages answer 200, so only robots.txt counts as present.",
        text: &BOOKSHOP,
        ..pages(|ask| match plain(ask) {
            reply if reply.status == 404 => Reply::html(
                200,
                format!(
                    "<!doctype html>\n<html lang=\"en\"><head><title>Not found</title></head>\
                     <body><h1>Not found</h1><p>We looked for {} on every shelf.</p></body></html>\n",
                    ask.path.replace(['<', '>', '&'], "")
                ),
            ),
            reply => reply,
        })
    },
    Site {
        name: "script-only.lab",
        behaviour: "script_only",
        does: "Serves an empty shell that a script would fill.",
        says: "The page has no words without its script, for anybody.",
        text: &GARDEN,
        ..pages(|ask| {
            if ask.path != "/" {
                return plain(ask);
            }
            Reply::html(
                200,
                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
                 <title>Nursery</title></head>\n<body><div id=\"root\"></div>\
                 <script src=\"/assets/app.4f2a.js\" defer></script></body></html>\n",
            )
        })
    },
    Site {
        name: "empty-page.lab",
        behaviour: "empty_page",
        does: "Answers 200 with no body.",
        says: "The home page answers and holds nothing.",
        ..pages(|ask| if ask.path == "/" { Reply::html(200, "") } else { plain(ask) })
    },
    Site {
        name: "latin1.lab",
        behaviour: "latin1",
        does: "Serves its page in ISO 8859-1 and says so.",
        says: "The page is in another character set and reads as it should.",
        text: &SCHOOL,
        ..pages(|ask| {
            if ask.path != "/" {
                return plain(ask);
            }
            let body = "<p>Crèche, Übungsraum, señal: £30.</p>\n";
            let page = content::page(ask.site.text, Extra { body, ..Extra::default() })
                .replace("<meta charset=\"utf-8\">", "<meta charset=\"iso-8859-1\">");
            let bytes: Vec<u8> =
                page.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
            Reply::new(200, "text/html; charset=iso-8859-1", bytes)
        })
    },
    Site {
        name: "noindex-header.lab",
        behaviour: "noindex_header",
        does: "Asks in a response header not to be indexed or used for AI.",
        says: "The page is served and asks, in a header, not to be indexed.",
        text: &CYCLES,
        ..pages(|ask| plain(ask).with("x-robots-tag", "noindex, nosnippet, noai"))
    },
    Site {
        name: "noindex-meta.lab",
        behaviour: "noindex_meta",
        does: "Asks in a meta element not to be indexed, and reserves text mining.",
        says: "The page is served and asks, in its head, not to be indexed or mined.",
        text: &MUSEUM,
        ..pages(|ask| {
            if ask.path != "/" {
                return plain(ask);
            }
            let head = "<meta name=\"robots\" content=\"noindex, noarchive\">\n\
                        <meta name=\"tdm-reservation\" content=\"1\">\n";
            content::home_with(ask, Extra { head, ..Extra::default() })
        })
    },
    Site {
        name: "pdf-home.lab",
        behaviour: "pdf_home",
        does: "Serves a PDF as its home page.",
        says: "The home page is served and is no HTML.",
        text: &FERRY,
        ..pages(|ask| {
            if ask.path == "/" {
                Reply::new(
                    200,
                    "application/pdf",
                    "%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n",
                )
            } else {
                plain(ask)
            }
        })
    },
    Site {
        name: "error-500.lab",
        behaviour: "error_500",
        does: "Answers 500 to everybody on every path.",
        says: "The site answers and is broken; nothing is known of its pages and files.",
        expect: Expect {
            home_status_browser: Some(500),
            ai_refused: None,
            machine_files_present: Some(0),
            robots: Some("error"),
            ..SERVED
        },
        text: &HOTEL,
        ..pages(|_| Reply::text(500, "Something broke.\n"))
    },
    Site {
        name: "gone.lab",
        behaviour: "gone",
        does: "Answers 410 to everybody on every path.",
        says: "The site says that it is gone for good.",
        expect: Expect {
            home_status_browser: Some(410),
            ai_refused: None,
            machine_files_present: Some(0),
            robots: Some("none"),
            ..SERVED
        },
        text: &BAKERY,
        ..pages(gone)
    },
];

fn gone(_: &Ask<'_>) -> Reply {
    Reply::text(410, "The bakery has closed. Thank you for thirty good years.\n")
}
