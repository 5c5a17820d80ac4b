//! Pages with a success status that stand in for the content: logins, gates, parked names, notices,
//! nothing at all. Also answers that never come, and texts that only subscribers may read.

use super::base::{SERVED, plain_site, site_with_pages};
use crate::{
    content::{self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, PageExtras},
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite, MAY_READ, NOT_ALLOW},
};

/// Every identity gets this instead of the content.
const fn expect_gate(gate: &'static str) -> ExpectedRecord {
    ExpectedRecord {
        ai_refused: None,
        gate: Some(gate),
        read: NOT_ALLOW,
        grade_at_most: Some("C"),
        ..SERVED
    }
}

/// AI identities get this instead of the content, and the browser gets the content.
const fn expect_gate_for_ai(gate: &'static str) -> ExpectedRecord {
    ExpectedRecord { grade_at_most: Some("D"), ..expect_gate(gate) }
}

/// A page that looks like a gate and is none.
const NO_GATE: ExpectedRecord =
    ExpectedRecord { gate: Some("none"), read: MAY_READ, grade_at_least: Some("B"), ..SERVED };

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "gate-login.lab",
        behaviour: "gate_login",
        does: "Shows every visitor only a form to log in.",
        says: "The home page is a login form. No identity gets content.",
        expect: expect_gate("login"),
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            at_home(
                request,
                "en",
                "Log in",
                "<main><h1>Log in to your reading account</h1>\
                <form method=\"post\" action=\"/session\"><label>Email <input type=\"email\" \
                name=\"email\"></label><label>Password <input type=\"password\" name=\"password\">\
                </label><button>Log in</button></form><p><a href=\"/reset\">Forgot your \
                password?</a></p></main>",
            )
        })
    },
    LabSite {
        name: "gate-login-german.lab",
        behaviour: "gate_login_german",
        does: "Shows every visitor only a form to log in, in German.",
        says: "The home page is a login form. No identity gets content.",
        expect: expect_gate("login"),
        text: &MUSEUM,
        ..site_with_pages(|request| {
            at_home(
                request,
                "de",
                "Anmelden – Kundenportal",
                "<main><h1>Kundenportal</h1>\
                <form method=\"post\" action=\"/anmelden\"><label for=\"n\">Benutzername</label>\
                <input id=\"n\" name=\"nutzer\"><label for=\"p\">Kennwort</label><input id=\"p\" \
                type=\"password\" name=\"kennwort\"><button type=\"submit\">Anmelden</button>\
                </form><a href=\"/vergessen\">Kennwort vergessen?</a></main>",
            )
        })
    },
    LabSite {
        name: "gate-region.lab",
        behaviour: "gate_region",
        does: "Tells every visitor from abroad that the site is not available in their country.",
        says: "The home page says that the site is not available in this country.",
        expect: expect_gate("region"),
        text: &FERRY,
        ..site_with_pages(|request| {
            at_home(
                request,
                "en",
                "Not available",
                "<main><h1>Not available in your country</h1>\
                <p>Sorry, this website is not available in your country or region. If you are \
                travelling, please try again when you are back.</p></main>",
            )
        })
    },
    LabSite {
        name: "gate-age.lab",
        behaviour: "gate_age",
        does: "Asks every visitor for their age before it shows anything.",
        says: "The home page asks for the visitor's age and shows nothing else.",
        expect: expect_gate("age"),
        text: &HOTEL,
        ..site_with_pages(|request| {
            at_home(
                request,
                "en",
                "Hill Distillery",
                "<main><h1>Are you of legal drinking age?</h1>\
                <p>You must be 18 or older to enter this website.</p><form method=\"post\" \
                action=\"/age\"><button name=\"adult\" value=\"yes\">Yes, I am over 18</button>\
                <button name=\"adult\" value=\"no\">No</button></form></main>",
            )
        })
    },
    LabSite {
        name: "gate-consent.lab",
        behaviour: "gate_consent",
        does: "Shows every visitor only a request to accept cookies or to subscribe.",
        says: "The home page only asks for consent to cookies.",
        expect: expect_gate("consent"),
        text: &CLINIC,
        ..site_with_pages(|request| {
            at_home(
                request,
                "en",
                "Your choice",
                "<main><h1>Before you continue</h1><p>We and our \
                partners store cookies on your device. Accept all cookies to read this site free \
                of charge, or subscribe to read it without advertising.</p><form method=\"post\" \
                action=\"/consent\"><button>Accept all cookies and continue</button></form>\
                <a href=\"/subscribe\">Subscribe</a> <a href=\"/privacy\">Privacy policy</a></main>",
            )
        })
    },
    LabSite {
        name: "gate-parked.lab",
        behaviour: "gate_parked",
        does: "Is a parked domain: a notice that the name is for sale, and sponsored links.",
        says: "The domain is parked. There is no site.",
        expect: expect_gate("parked"),
        text: &BAKERY,
        ..site_with_pages(|request| {
            at_home(
                request,
                "en",
                "gate-parked.lab is for sale",
                "<main><h1>gate-parked.lab</h1>\
                <p>This domain is for sale! <a href=\"https://brokers.lab/buy\">Buy this \
                domain</a></p><h2>Related searches</h2><ul><li><a href=\"/?q=bread\">Bread</a></li>\
                <li><a href=\"/?q=ovens\">Ovens</a></li><li><a href=\"/?q=flour\">Flour</a></li>\
                </ul><p>This domain is parked free of charge by its registrar.</p></main>",
            )
        })
    },
    LabSite {
        name: "gate-maintenance.lab",
        behaviour: "gate_maintenance",
        does: "Shows every visitor a notice that the site is down for maintenance, with status 200.",
        says: "The home page is a maintenance notice.",
        expect: expect_gate("maintenance"),
        text: &CYCLES,
        ..site_with_pages(|request| {
            at_home(
                request,
                "en",
                "Back soon",
                "<main><h1>We will be back soon</h1><p>Our website \
                is down for scheduled maintenance. Please check back in a few hours.</p></main>",
            )
        })
    },
    LabSite {
        name: "gate-placeholder.lab",
        behaviour: "gate_placeholder",
        does: "Still shows the page that its host puts up before a site is uploaded.",
        says: "The home page is the placeholder of a host. There is no site yet.",
        expect: expect_gate("placeholder"),
        text: &GARDEN,
        ..site_with_pages(|request| {
            at_home(
                request,
                "en",
                "Welcome to nginx!",
                "<h1>Welcome to nginx!</h1><p>If you see \
                this page, the nginx web server is successfully installed and working. Further \
                configuration is required.</p><p><em>Thank you for using nginx.</em></p>",
            )
        })
    },
    LabSite {
        name: "empty-for-ai.lab",
        behaviour: "empty_for_ai",
        does: "Answers AI identities with status 200 and nothing.",
        says: "AI identities get an empty page. The browser gets the content.",
        expect: expect_gate_for_ai("empty"),
        text: &MUSEUM,
        ..site_with_pages(|request| for_ai(request, || Reply::html(200, "")))
    },
    LabSite {
        name: "no-content-for-ai.lab",
        behaviour: "no_content_for_ai",
        does: "Answers AI identities with status 204.",
        says: "AI identities get no content. The browser gets the page.",
        expect: expect_gate_for_ai("empty"),
        text: &FERRY,
        ..site_with_pages(|request| for_ai(request, || Reply::html(204, "")))
    },
    LabSite {
        name: "imperva-frame.lab",
        behaviour: "imperva_frame",
        does: "Answers AI identities with status 200 and an Imperva block page in a frame.",
        says: "AI identities get a block page in a frame, not the page.",
        expect: expect_gate_for_ai("block"),
        text: &HOTEL,
        ..site_with_pages(|request| {
            for_ai(request, || {
                let frame = "<iframe id=\"main-iframe\" src=\"/_Incapsula_Resource?CWUDNSAI=9&amp;\
                             xinfo=5-1-0&amp;incident_id=7-2&amp;edet=12&amp;cinfo=04\" \
                             frameborder=\"0\" width=\"100%\" height=\"100%\">Request unsuccessful. \
                             Incapsula incident ID: 7-2</iframe>";
                Reply::html(
                    200,
                    format!(
                        "<html style=\"height:100%\"><head><meta name=\"robots\" \
                         content=\"noindex,nofollow\"></head><body style=\"margin:0\">{frame}\
                         </body></html>\n"
                    ),
                )
                .with_header("x-iinfo", "5-1-0 NNNN RT(0 0) q(0 -1 -1 -1)")
                .with_header("x-cdn", "Imperva")
            })
        })
    },
    LabSite {
        name: "radware-captcha.lab",
        behaviour: "radware_captcha",
        does: "Answers AI identities with status 200 and Radware's check of the visitor.",
        says: "AI identities get a challenge, not the page.",
        expect: expect_gate_for_ai("challenge"),
        text: &CLINIC,
        ..site_with_pages(|request| {
            for_ai(request, || {
                Reply::html(
                    200,
                    "<!doctype html>\n<html lang=\"en\"><head><title>Radware Bot Manager \
                     Captcha</title></head>\n<body><h1>We apologize for the inconvenience</h1>\
                     <p>Your activity and behaviour on this site made us think that you are a \
                     bot. To continue, please solve the captcha.</p><div id=\"captcha\"></div>\
                     <script src=\"https://captcha.perfdrive.com/captcha-public/lab.js\"></script>\
                     </body></html>\n",
                )
            })
        })
    },
    LabSite {
        name: "siteground-202.lab",
        behaviour: "siteground_202",
        does: "Answers AI identities with status 202 and SiteGround's redirect to a captcha.",
        says: "AI identities get a challenge, not the page.",
        expect: expect_gate_for_ai("challenge"),
        text: &BAKERY,
        ..site_with_pages(|request| {
            for_ai(request, || {
                Reply::html(
                    202,
                    "<html><head><link rel=\"icon\" href=\"data:;\"><meta http-equiv=\"refresh\" \
                     content=\"0;/.well-known/sgcaptcha/?r=%2F&y=ipc:198.51.100.7:1763190000.1\">\
                     </meta></head></html>\n",
                )
                .with_header("sg-captcha", "challenge")
            })
        })
    },
    LabSite {
        name: "tarpit.lab",
        behaviour: "tarpit",
        does: "Serves people at once and lets AI identities wait for a minute.",
        says: "AI identities are kept waiting. The browser gets the page at once.",
        expect: ExpectedRecord {
            ai_refused: None,
            finding: &["ai_stalled"],
            read: NOT_ALLOW,
            grade_at_most: Some("D"),
            ..SERVED
        },
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            let reply = plain_site(request);
            if request.is_from_ai() && request.path == "/" {
                reply.delayed_by(60_000)
            } else {
                reply
            }
        })
    },
    LabSite {
        name: "paywall.lab",
        behaviour: "paywall",
        does: "Shows the first paragraph and says in structured data that the rest is for \
               subscribers.",
        says: "The page is behind a paywall, and the record says so.",
        expect: ExpectedRecord { paywall: Some(true), gate: Some("none"), ..SERVED },
        text: &GARDEN,
        ..site_with_pages(paywall)
    },
    LabSite {
        name: "cookie-banner.lab",
        behaviour: "cookie_banner",
        does: "Shows its whole page with a cookie banner, a login link and a note on its closing \
               days.",
        says: "Every identity gets the page. A banner and a login link are not a gate.",
        expect: NO_GATE,
        text: &CYCLES,
        ..site_with_pages(|request| {
            if request.path != "/" {
                return plain_site(request);
            }
            let body = "<p><a href=\"/login\">Log in</a> to see your repairs. The workshop is \
                        closed for maintenance on the first Monday of the month.</p>\n\
                        <div role=\"dialog\" class=\"cookies\"><p>We use cookies.</p>\
                        <button>Accept all</button> <button>Reject</button></div>\n";
            content::home_with(request, PageExtras { body, ..PageExtras::default() })
        })
    },
];

/// The home page with this title and body for every identity.
fn at_home(request: &SiteRequest<'_>, language: &str, title: &str, body: &str) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    Reply::html(
        200,
        format!(
            "<!doctype html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\">\
             <title>{title}</title></head>\n<body>{body}</body></html>\n"
        ),
    )
}

fn for_ai(request: &SiteRequest<'_>, stand_in: fn() -> Reply) -> Reply {
    if request.is_from_ai() && request.path == "/" { stand_in() } else { plain_site(request) }
}

fn paywall(request: &SiteRequest<'_>) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    let text = request.text;
    let card = serde_json::json!({
        "@context": "https://schema.org", "@type": "NewsArticle", "headline": text.summary,
        "isAccessibleForFree": false,
        "hasPart": { "@type": "WebPageElement", "isAccessibleForFree": false,
                     "cssSelector": ".rest" }
    });
    let first = text.paragraphs.first().copied().unwrap_or_default();
    Reply::html(
        200,
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><title>{0}</title><meta name=\"description\" \
             content=\"{1}\"><script type=\"application/ld+json\">{card}</script></head>\n<body>\
             <main><h1>{1}</h1><p>{first}</p><div class=\"rest\"><p>The rest of this article is for \
             subscribers.</p><a href=\"/subscribe\">Subscribe to continue reading</a></div></main>\
             </body></html>\n",
            text.title, text.summary
        ),
    )
}
