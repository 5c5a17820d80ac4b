//! Challenge pages that demand proof of a human visitor.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{BOOKSHOP, CYCLES, FERRY, MUSEUM},
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite},
};

const AI_REFUSED: ExpectedRecord = ExpectedRecord { ai_refused: Some(true), ..SERVED };

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "challenge-200.lab",
        behaviour: "challenge_200",
        does: "Answers AI identities with a challenge page and status 200.",
        says: "AI identities get a challenge, not the page, although the status is 200.",
        expect: ExpectedRecord {
            vendor: Some("cloudflare"),
            wall: Some("challenge"),
            ..AI_REFUSED
        },
        text: &FERRY,
        ..site_with_pages(|request| challenged(request, 200))
    },
    LabSite {
        name: "challenge-503.lab",
        behaviour: "challenge_503",
        does: "Answers AI identities with a challenge page and status 503.",
        says: "AI identities get a challenge. The site is not down.",
        expect: ExpectedRecord {
            vendor: Some("cloudflare"),
            wall: Some("challenge"),
            ..AI_REFUSED
        },
        text: &CYCLES,
        ..site_with_pages(|request| challenged(request, 503))
    },
    LabSite {
        name: "captcha.lab",
        behaviour: "captcha",
        does: "Answers AI identities with a CAPTCHA form and status 403.",
        says: "AI identities get a CAPTCHA and no page.",
        expect: ExpectedRecord { wall: Some("captcha"), ..AI_REFUSED },
        text: &MUSEUM,
        ..site_with_pages(captcha)
    },
    LabSite {
        name: "challenges-all.lab",
        behaviour: "challenges_all",
        does: "Answers every identity, including browsers, with a challenge page and status 200.",
        says: "Every identity gets a challenge, so the page itself is unknown.",
        expect: ExpectedRecord {
            vendor: Some("cloudflare"),
            wall: Some("challenge"),
            ..AI_REFUSED
        },
        text: &BOOKSHOP,
        ..site_with_pages(
            |request| if request.path == "/" { challenge(200) } else { plain_site(request) },
        )
    },
];

fn challenged(request: &SiteRequest<'_>, status: u16) -> Reply {
    if request.is_from_ai() && request.path == "/" {
        challenge(status)
    } else {
        plain_site(request)
    }
}

/// A page like the common challenge pages, with the marks by which they are recognised.
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
    .with_header("cf-mitigated", "challenge")
    .with_header("server", "cloudflare")
    .with_header("cache-control", "private, no-store")
}

fn captcha(request: &SiteRequest<'_>) -> Reply {
    if !(request.is_from_ai() && request.path == "/") {
        return plain_site(request);
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
