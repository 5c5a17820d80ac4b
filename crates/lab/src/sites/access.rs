//! Who gets the page: refusals, rate limits, payments, logins, and different formats.

use super::base::{SERVED, plain_site, site_with_pages, with_robots};
use crate::{
    content::{
        self, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, PageExtras, SCHOOL,
    },
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite},
    user_agents::Purpose,
};

const AI_REFUSED: ExpectedRecord = ExpectedRecord { ai_refused: Some(true), ..SERVED };

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "minimal.lab",
        behaviour: "minimal",
        does: "Serves its home page to every identity and has nothing else.",
        says: "Every identity gets the page. None of the machine files exists.",
        expect: ExpectedRecord { machine_files_present: Some(0), robots: Some("none"), ..SERVED },
        text: &FERRY,
        ..site_with_pages(minimal)
    },
    LabSite {
        name: "blocks-ai.lab",
        behaviour: "blocks_ai",
        does: "Answers 403 to AI identities and serves all others.",
        says: "The browser gets the page. Every AI identity is refused with 403, although \
               robots.txt allows them.",
        expect: ExpectedRecord { wall: Some("block"), ..AI_REFUSED },
        text: &HOTEL,
        ..site_with_pages(|request| {
            if request.is_from_ai() && request.path == "/" {
                forbidden()
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "blocks-training.lab",
        behaviour: "blocks_training",
        does: "Answers 403 to crawlers that collect training data, and serves AI search and \
               user-triggered agents.",
        says: "Training crawlers are refused with 403. Search and user-triggered identities get \
               the page.",
        expect: ExpectedRecord { ai_refused: None, robots: Some("blocks_some"), ..SERVED },
        text: &MUSEUM,
        ..site_with_pages(blocks_training)
    },
    LabSite {
        name: "blocks-all.lab",
        behaviour: "blocks_all",
        does: "Answers every request with 403, for every identity.",
        says: "The site answers but refuses the browser as well, so its pages and files are \
               unknown.",
        expect: ExpectedRecord {
            home_status_browser: Some(403),
            ai_refused: Some(true),
            machine_files_present: Some(0),
            robots: Some("refused"),
            ..SERVED
        },
        text: &CLINIC,
        ..site_with_pages(|_| forbidden())
    },
    LabSite {
        name: "blocks-unnamed.lab",
        behaviour: "blocks_unnamed",
        does: "Answers 403 to clients whose user agent does not start like a browser's.",
        says: "The browser and AI identities with a browser-like user agent get the page. Other \
               clients are refused.",
        expect: ExpectedRecord { ai_refused: None, ..SERVED },
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            if request.user_agent.starts_with("Mozilla/") || request.path == "/robots.txt" {
                plain_site(request)
            } else {
                forbidden()
            }
        })
    },
    LabSite {
        name: "rate-limits.lab",
        behaviour: "rate_limits",
        does: "Answers AI identities with 429 and a Retry-After header.",
        says: "AI identities are rate-limited (429). The page exists.",
        expect: ExpectedRecord { wall: Some("rate_limit"), ..AI_REFUSED },
        text: &GARDEN,
        ..site_with_pages(|request| {
            if request.is_from_ai() && request.path == "/" {
                Reply::text(429, "Too many requests.\n").with_header("retry-after", "120")
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "busy-moment.lab",
        behaviour: "busy_moment",
        does: "Answers 503 with \"Retry-After: 1\" on its home page until it has received thirty \
               requests.",
        says: "Every identity gets the page on the second try. The first answer was a short \
               overload.",
        expect: ExpectedRecord { home_status_browser: None, ai_refused: None, ..SERVED },
        text: &CYCLES,
        ..site_with_pages(|request| {
            if request.path == "/" && request.query.is_none() && request.earlier_requests < 30 {
                Reply::text(503, "Back in a moment.\n").with_header("retry-after", "1")
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "pay-per-crawl.lab",
        behaviour: "pay_per_crawl",
        does: "Answers AI identities with 402 and a price per request.",
        says: "AI identities are asked to pay (402, crawler-price). The browser gets the page.",
        expect: ExpectedRecord { vendor: Some("cloudflare"), wall: Some("payment"), ..AI_REFUSED },
        text: &ORCHESTRA,
        ..site_with_pages(|request| {
            if request.is_from_ai() && request.path == "/" {
                Reply::text(402, "This page has a price.\n")
                    .with_header("crawler-price", "USD 0.01")
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "pays-by-x402.lab",
        behaviour: "pays_by_x402",
        does: "Answers AI identities with 402 and an x402 payment request.",
        says: "AI identities are asked to pay (402, payment-required). The browser gets the page.",
        expect: ExpectedRecord { vendor: Some("x402"), wall: Some("payment"), ..AI_REFUSED },
        text: &SCHOOL,
        ..site_with_pages(x402)
    },
    LabSite {
        name: "login.lab",
        behaviour: "login",
        does: "Answers 401 on its home page, for every identity.",
        says: "The home page requires a login (401) for every identity. The page exists.",
        expect: ExpectedRecord {
            home_status_browser: Some(401),
            wall: Some("login"),
            ..AI_REFUSED
        },
        ..site_with_pages(|request| {
            if request.path == "/" {
                Reply::text(401, "Members only.\n")
                    .with_header("www-authenticate", "Basic realm=\"club\"")
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "legal.lab",
        behaviour: "legal",
        does: "Answers 451 on its home page, for every identity, and names who demanded it.",
        says: "The home page is withheld for legal reasons (451), for every identity.",
        expect: ExpectedRecord {
            home_status_browser: Some(451),
            wall: Some("legal"),
            ..AI_REFUSED
        },
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            if request.path == "/" {
                Reply::text(451, "Withheld on the order of a court.\n")
                    .with_header("link", "<https://open.lab/>; rel=\"blocked-by\"")
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "markdown.lab",
        behaviour: "markdown",
        does: "Serves its home page as Markdown to any client that asks for it.",
        says: "Every identity gets the page. The Markdown copy has the same content as the page.",
        text: &CLINIC,
        ..site_with_pages(markdown)
    },
    LabSite {
        name: "redirects-ai.lab",
        behaviour: "redirects_ai",
        does: "Redirects AI identities from the home page to a short page.",
        says: "AI identities are redirected to a different, much shorter page than the browser \
               gets.",
        text: &HOTEL,
        ..site_with_pages(redirects_ai)
    },
    LabSite {
        name: "signed-only.lab",
        behaviour: "signed_only",
        does: "Serves its home page to browsers and to agents that sign their requests (Web Bot Auth), and \
               answers all others with 403.",
        says: "AI identities are refused with 403. Our own crawler gets the page if it signs its request.",
        expect: ExpectedRecord { wall: Some("block"), ..AI_REFUSED },
        text: &ORCHESTRA,
        ..site_with_pages(signed_only)
    },
    LabSite {
        name: "signed-by-chance.lab",
        behaviour: "signed_by_chance",
        does: "Refuses every second request of unknown agents for its home page, signed or not.",
        says: "Whether a signature makes a difference is not known.",
        text: &SCHOOL,
        ..site_with_pages(signed_by_chance)
    },
];

fn minimal(request: &SiteRequest<'_>) -> Reply {
    if request.path == "/" { content::home(request) } else { content::not_found(request) }
}

fn forbidden() -> Reply {
    Reply::html(403, "<!doctype html>\n<title>Forbidden</title><h1>Forbidden</h1>\n")
}

fn is_signed(request: &SiteRequest<'_>) -> bool {
    request.header("signature").is_some()
        && request.header("signature-agent").is_some()
        && request.header("signature-input").is_some_and(|input| input.contains("web-bot-auth"))
}

fn signed_only(request: &SiteRequest<'_>) -> Reply {
    let is_agent = request.is_from_ai() || request.user_agent.contains("Wayleave");
    if request.path == "/" && is_agent && !is_signed(request) {
        forbidden()
    } else {
        plain_site(request)
    }
}

/// Our own crawler reads the home page first with one and then with the other, so that the first pair of
/// requests differs, and the second one in the other order differs in the other way.
fn signed_by_chance(request: &SiteRequest<'_>) -> Reply {
    let is_own = request.user_agent.contains("Wayleave") && !request.accept.contains("markdown");
    if request.path == "/" && is_own && request.earlier_requests.is_multiple_of(2) {
        forbidden()
    } else {
        plain_site(request)
    }
}

fn blocks_training(request: &SiteRequest<'_>) -> Reply {
    match (request.path, request.purpose()) {
        ("/", Some(Purpose::Training)) => forbidden(),
        _ => with_robots(
            request,
            "User-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: CCBot\n\
             User-agent: Google-Extended\nUser-agent: Bytespider\nDisallow: /\n\n\
             User-agent: *\nAllow: /\n",
        ),
    }
}

fn x402(request: &SiteRequest<'_>) -> Reply {
    if !(request.is_from_ai() && request.path == "/") {
        return plain_site(request);
    }
    x402_payment_request(&format!("https://{}/", request.host))
}

/// A 402 reply that requests an x402 payment for this URL.
pub(super) fn x402_payment_request(address: &str) -> Reply {
    let request = serde_json::json!({
        "x402Version": 2,
        "resource": { "url": address },
        "accepts": [{ "scheme": "exact", "network": "eip155:84532", "amount": "1000",
                      "asset": "0x0000000000000000000000000000000000000001",
                      "payTo": "0x0000000000000000000000000000000000000002",
                      "maxTimeoutSeconds": 60 }]
    });
    let encoded = data_encoding::BASE64.encode(request.to_string().as_bytes());
    Reply::text(402, "Payment required.\n").with_header("payment-required", encoded)
}

fn markdown(request: &SiteRequest<'_>) -> Reply {
    if request.path != "/" {
        return plain_site(request);
    }
    if !request.accept.contains("text/markdown") {
        let extra = PageExtras {
            head: "<link rel=\"alternate\" type=\"text/markdown\" href=\"/\">\n",
            ..PageExtras::default()
        };
        return content::home_with(request, extra).with_header("vary", "accept");
    }
    let text = request.text;
    let body =
        format!("# {}\n\n*{}*\n\n{}\n", text.title, text.summary, text.paragraphs.join("\n\n"));
    Reply::new(200, "text/markdown; charset=utf-8", body).with_header("vary", "accept")
}

fn redirects_ai(request: &SiteRequest<'_>) -> Reply {
    match request.path {
        "/" if request.is_from_ai() => Reply::redirect(302, "/for-machines"),
        "/for-machines" => Reply::html(
            200,
            "<!doctype html>\n<html lang=\"en\"><head><title>For machines</title></head><body>\
             <h1>The Signal House Hotel</h1><p>Rooms from 78.00. Call us.</p></body></html>\n",
        ),
        _ => plain_site(request),
    }
}
