//! The same page with six different treatments of AI identities. The sites differ only in the
//! treatment, so any difference between their records comes from it.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{self, CYCLES},
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite},
};

const AI_REFUSED: ExpectedRecord = ExpectedRecord { ai_refused: Some(true), ..SERVED };

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "six-open.lab",
        behaviour: "six_open",
        does: "Serves its page to every identity.",
        says: "Every identity gets the same page.",
        text: &CYCLES,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "six-refused.lab",
        behaviour: "six_refused",
        does: "Answers AI identities with 403.",
        says: "AI identities are refused with 403. All others get the page.",
        expect: ExpectedRecord { wall: Some("block"), ..AI_REFUSED },
        text: &CYCLES,
        ..site_with_pages(|request| {
            wall_for_ai(request, || {
                Reply::html(403, "<!doctype html>\n<title>No</title><h1>Not for you</h1>\n")
            })
        })
    },
    LabSite {
        name: "six-challenged.lab",
        behaviour: "six_challenged",
        does: "Answers AI identities with a challenge of no known vendor and status 200.",
        says: "AI identities get a challenge, not the page, although the status is 200.",
        expect: ExpectedRecord { wall: Some("challenge"), ..AI_REFUSED },
        text: &CYCLES,
        ..site_with_pages(|request| {
            wall_for_ai(request, || {
                Reply::html(
                    200,
                    "<!doctype html>\n<html lang=\"en\"><head><title>One second</title></head>\n\
                     <body><h1>Checking your browser</h1><p>This takes a second.</p>\
                     <script src=\"/challenge-platform/check.js\"></script></body></html>\n",
                )
            })
        })
    },
    LabSite {
        name: "six-tolled.lab",
        behaviour: "six_tolled",
        does: "Answers AI identities with 402 and a price.",
        says: "AI identities are asked to pay. All others get the page.",
        expect: ExpectedRecord { vendor: Some("cloudflare"), wall: Some("payment"), ..AI_REFUSED },
        text: &CYCLES,
        ..site_with_pages(|request| {
            wall_for_ai(request, || {
                Reply::text(402, "This page has a price.\n")
                    .with_header("crawler-price", "USD 0.02")
            })
        })
    },
    LabSite {
        name: "six-answers-all.lab",
        behaviour: "six_answers_all",
        does: "Answers every path with 200 and its page, whether or not the path exists.",
        says: "Every identity gets the page. The site answers every path alike, so no machine file \
               counts.",
        expect: ExpectedRecord {
            machine_files_present: Some(0),
            robots: Some("not_robots"),
            ..SERVED
        },
        text: &CYCLES,
        ..site_with_pages(content::home)
    },
    LabSite {
        name: "six-shell.lab",
        behaviour: "six_shell",
        does: "Serves every identity an empty HTML page that a script would fill.",
        says: "No identity is refused. The page has no text without JavaScript, for every \
               identity.",
        text: &CYCLES,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let title = request.text.title;
            Reply::html(
                200,
                format!(
                    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
                     <title>{title}</title><link rel=\"stylesheet\" href=\"/app.css\"></head>\n\
                     <body><noscript>You need to enable JavaScript to run this app.</noscript>\
                     <div id=\"root\"></div><script type=\"module\" src=\"/app.js\"></script>\
                     </body></html>\n"
                ),
            )
        })
    },
];

fn wall_for_ai(request: &SiteRequest<'_>, wall: fn() -> Reply) -> Reply {
    if request.is_from_ai() && request.path == "/" { wall() } else { plain_site(request) }
}
