//! One page, six ways to be met with it: what differs between these sites is the treatment alone,
//! so whatever differs between their records comes from it.

use super::{SERVED, pages, plain};
use crate::{
    content::{self, CYCLES},
    http::{Ask, Reply},
    site::{Expect, Site},
};

const AI_REFUSED: Expect = Expect { ai_refused: Some(true), ..SERVED };

pub(super) const SITES: &[Site] = &[
    Site {
        name: "six-open.lab",
        behaviour: "six_open",
        does: "Serves its page to everybody.",
        says: "Everybody is served the same page.",
        text: &CYCLES,
        ..pages(plain)
    },
    Site {
        name: "six-refused.lab",
        behaviour: "six_refused",
        does: "Answers 403 to AI identities.",
        says: "AI identities are refused with 403; the page is there for others.",
        expect: Expect { wall: Some("block"), ..AI_REFUSED },
        text: &CYCLES,
        ..pages(|ask| {
            instead(ask, || {
                Reply::html(403, "<!doctype html>\n<title>No</title><h1>Not for you</h1>\n")
            })
        })
    },
    Site {
        name: "six-challenged.lab",
        behaviour: "six_challenged",
        does: "Gives AI identities a challenge of nobody in particular, with status 200.",
        says: "AI identities are challenged: the 200 is not the page.",
        expect: Expect { wall: Some("challenge"), ..AI_REFUSED },
        text: &CYCLES,
        ..pages(|ask| {
            instead(ask, || {
                Reply::html(
                    200,
                    "<!doctype html>\n<html lang=\"en\"><head><title>One second</title></head>\n\
                     <body><h1>Checking your browser</h1><p>This takes a second.</p>\
                     <script src=\"/challenge-platform/check.js\"></script></body></html>\n",
                )
            })
        })
    },
    Site {
        name: "six-tolled.lab",
        behaviour: "six_tolled",
        does: "Answers 402 with a price to AI identities.",
        says: "AI identities are asked to pay; the page is there for others.",
        expect: Expect { vendor: Some("cloudflare"), wall: Some("payment"), ..AI_REFUSED },
        text: &CYCLES,
        ..pages(|ask| {
            instead(ask, || {
                Reply::text(402, "This page has a price.\n").with("crawler-price", "USD 0.02")
            })
        })
    },
    Site {
        name: "six-answers-all.lab",
        behaviour: "six_answers_all",
        does: "Answers 200 with its page to every path, whether or not there is something.",
        says: "Everybody is served; the site answers everything alike, so no machine file counts.",
        expect: Expect { machine_files_present: Some(0), robots: Some("not_robots"), ..SERVED },
        text: &CYCLES,
        ..pages(content::home)
    },
    Site {
        name: "six-shell.lab",
        behaviour: "six_shell",
        does: "Serves everybody an empty shell that a script would fill with the page.",
        says: "Nobody is refused; without its script the page has no words, for anybody.",
        text: &CYCLES,
        ..pages(|ask| {
            if ask.path != "/" {
                return plain(ask);
            }
            let title = ask.site.text.title;
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

fn instead(ask: &Ask<'_>, wall: fn() -> Reply) -> Reply {
    if ask.is_from_ai() && ask.path == "/" { wall() } else { plain(ask) }
}
