//! Pages that want proof of a human before they show anything.

use super::{SERVED, pages, plain};
use crate::{
    content::{BOOKSHOP, CYCLES, FERRY, MUSEUM},
    http::{Ask, Reply},
    site::{Expect, Site},
};

const AI_REFUSED: Expect = Expect { ai_refused: Some(true), ..SERVED };

pub(super) const SITES: &[Site] = &[
    Site {
        name: "challenge-200.lab",
        behaviour: "challenge_200",
        does: "Gives AI identities a challenge page with status 200.",
        says: "AI identities are challenged: the 200 is not the page.",
        expect: Expect { vendor: Some("cloudflare"), wall: Some("challenge"), ..AI_REFUSED },
        text: &FERRY,
        ..pages(|ask| challenged(ask, 200))
    },
    Site {
        name: "challenge-503.lab",
        behaviour: "challenge_503",
        does: "Gives AI identities a challenge page with status 503.",
        says: "AI identities are challenged; the site is not down.",
        expect: Expect { vendor: Some("cloudflare"), wall: Some("challenge"), ..AI_REFUSED },
        text: &CYCLES,
        ..pages(|ask| challenged(ask, 503))
    },
    Site {
        name: "captcha.lab",
        behaviour: "captcha",
        does: "Gives AI identities a form with a puzzle, status 403.",
        says: "AI identities are asked to solve a puzzle and get no page.",
        expect: Expect { wall: Some("captcha"), ..AI_REFUSED },
        text: &MUSEUM,
        ..pages(captcha)
    },
    Site {
        name: "challenges-all.lab",
        behaviour: "challenges_all",
        does: "Gives everybody, browsers included, a challenge page with status 200.",
        says: "Everybody is challenged, so the page itself was never seen.",
        expect: Expect { vendor: Some("cloudflare"), wall: Some("challenge"), ..AI_REFUSED },
        text: &BOOKSHOP,
        ..pages(|ask| if ask.path == "/" { challenge(200) } else { plain(ask) })
    },
];

fn challenged(ask: &Ask<'_>, status: u16) -> Reply {
    if ask.is_from_ai() && ask.path == "/" { challenge(status) } else { plain(ask) }
}

/// A page in the manner of the widespread ones, with the marks by which they are known.
fn challenge(status: u16) -> Reply {
    Reply::html(
        status,
        "<!doctype html>\n<html lang=\"en\"><head><title>Just a moment...</title>\
         <meta http-equiv=\"refresh\" content=\"390\"></head>\n<body>\
         <noscript>Enable JavaScript and cookies to continue</noscript>\
         <script>window._cf_chl_opt={cType:'managed'};</script>\
         <script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\"></script>\
         </body></html>\n",
    )
    .with("cf-mitigated", "challenge")
    .with("server", "cloudflare")
    .with("cache-control", "private, no-store")
}

fn captcha(ask: &Ask<'_>) -> Reply {
    if !(ask.is_from_ai() && ask.path == "/") {
        return plain(ask);
    }
    Reply::html(
        403,
        "<!doctype html>\n<html lang=\"en\"><head><title>Are you a person?</title></head>\n<body>\
         <h1>Please show that you are a person</h1><form method=\"post\" action=\"/check\">\
         <div class=\"h-captcha\" data-sitekey=\"10000000-ffff-ffff-ffff-000000000001\"></div>\
         <button>Go on</button></form>\
         <script src=\"https://js.hcaptcha.com/1/api.js\" async defer></script></body></html>\n",
    )
}
