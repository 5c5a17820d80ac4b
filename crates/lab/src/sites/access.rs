//! Who is let in, and what they are given.

use super::{SERVED, pages, plain, with_robots};
use crate::{
    audience::Purpose,
    content::{
        self, BOOKSHOP, CLINIC, CYCLES, Extra, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL,
    },
    http::{Ask, Reply},
    site::{Expect, Site},
};

const AI_REFUSED: Expect = Expect { ai_refused: Some(true), ..SERVED };

pub(super) const SITES: &[Site] = &[
    Site {
        name: "minimal.lab",
        behaviour: "minimal",
        does: "Serves its home page to everybody and has nothing else.",
        says: "Everybody is served; none of the machine files exists.",
        expect: Expect { machine_files_present: Some(0), robots: Some("none"), ..SERVED },
        text: &FERRY,
        ..pages(minimal)
    },
    Site {
        name: "blocks-ai.lab",
        behaviour: "blocks_ai",
        does: "Answers 403 to AI identities and serves everybody else.",
        says: "The browser is served; every AI identity is refused with 403, against an open \
               robots.txt.",
        expect: Expect { wall: Some("block"), ..AI_REFUSED },
        text: &HOTEL,
        ..pages(|ask| if ask.is_from_ai() && ask.path == "/" { forbidden() } else { plain(ask) })
    },
    Site {
        name: "blocks-training.lab",
        behaviour: "blocks_training",
        does: "Answers 403 to crawlers that gather training data; serves AI search and \
               user-triggered reading.",
        says: "Training crawlers are refused with 403; search and user-triggered identities are \
               served.",
        expect: Expect { ai_refused: None, robots: Some("blocks_some"), ..SERVED },
        text: &MUSEUM,
        ..pages(blocks_training)
    },
    Site {
        name: "blocks-all.lab",
        behaviour: "blocks_all",
        does: "Answers 403 to every request of everybody.",
        says: "The site answers, but refuses the browser too, so nothing is known of its pages \
               and files.",
        expect: Expect {
            home_status_browser: Some(403),
            ai_refused: Some(true),
            machine_files_present: Some(0),
            robots: Some("refused"),
            ..SERVED
        },
        text: &CLINIC,
        ..pages(|_| forbidden())
    },
    Site {
        name: "blocks-unnamed.lab",
        behaviour: "blocks_unnamed",
        does: "Answers 403 to clients whose user agent does not begin like a browser's.",
        says: "Browser and browser-like AI identities are served; a client without such a user \
               agent is refused.",
        expect: Expect { ai_refused: None, ..SERVED },
        text: &BOOKSHOP,
        ..pages(|ask| {
            if ask.user_agent.starts_with("Mozilla/") || ask.path == "/robots.txt" {
                plain(ask)
            } else {
                forbidden()
            }
        })
    },
    Site {
        name: "rate-limits.lab",
        behaviour: "rate_limits",
        does: "Answers 429 with Retry-After to AI identities.",
        says: "AI identities are told to come back later: refused for now, not absent.",
        expect: Expect { wall: Some("rate_limit"), ..AI_REFUSED },
        text: &GARDEN,
        ..pages(|ask| {
            if ask.is_from_ai() && ask.path == "/" {
                Reply::text(429, "Too many requests.\n").with("retry-after", "120")
            } else {
                plain(ask)
            }
        })
    },
    Site {
        name: "busy-moment.lab",
        behaviour: "busy_moment",
        does: "Answers 503 with Retry-After: 1 on its home page until it has seen thirty requests.",
        says: "Everybody is served; the first answer was only a busy moment.",
        expect: Expect { home_status_browser: None, ai_refused: None, ..SERVED },
        text: &CYCLES,
        ..pages(|ask| {
            if ask.path == "/" && ask.query.is_none() && ask.visit < 30 {
                Reply::text(503, "Back in a moment.\n").with("retry-after", "1")
            } else {
                plain(ask)
            }
        })
    },
    Site {
        name: "pay-per-crawl.lab",
        behaviour: "pay_per_crawl",
        does: "Answers 402 with a price per request to AI identities.",
        says: "AI identities are asked to pay (402, crawler-price); the browser is served.",
        expect: Expect { vendor: Some("cloudflare"), wall: Some("payment"), ..AI_REFUSED },
        text: &ORCHESTRA,
        ..pages(|ask| {
            if ask.is_from_ai() && ask.path == "/" {
                Reply::text(402, "This page has a price.\n").with("crawler-price", "USD 0.01")
            } else {
                plain(ask)
            }
        })
    },
    Site {
        name: "pays-by-x402.lab",
        behaviour: "pays_by_x402",
        does: "Answers 402 with an x402 payment request to AI identities.",
        says: "AI identities are asked to pay (402, payment-required); the browser is served.",
        expect: Expect { vendor: Some("x402"), wall: Some("payment"), ..AI_REFUSED },
        text: &SCHOOL,
        ..pages(x402)
    },
    Site {
        name: "login.lab",
        behaviour: "login",
        does: "Answers 401 to everybody on its home page.",
        says: "The home page needs a login for everybody; that is a refusal, not an absence.",
        expect: Expect { home_status_browser: Some(401), wall: Some("login"), ..AI_REFUSED },
        ..pages(|ask| {
            if ask.path == "/" {
                Reply::text(401, "Members only.\n").with("www-authenticate", "Basic realm=\"club\"")
            } else {
                plain(ask)
            }
        })
    },
    Site {
        name: "legal.lab",
        behaviour: "legal",
        does: "Answers 451 to everybody on its home page and names who asked for it.",
        says: "The home page is withheld for legal reasons (451), for everybody.",
        expect: Expect { home_status_browser: Some(451), wall: Some("legal"), ..AI_REFUSED },
        text: &BOOKSHOP,
        ..pages(|ask| {
            if ask.path == "/" {
                Reply::text(451, "Withheld on the order of a court.\n")
                    .with("link", "<https://open.lab/>; rel=\"blocked-by\"")
            } else {
                plain(ask)
            }
        })
    },
    Site {
        name: "markdown.lab",
        behaviour: "markdown",
        does: "Gives its home page as Markdown to whoever prefers that, to everybody alike.",
        says: "Everybody is served; the Markdown copy says the same as the page.",
        text: &CLINIC,
        ..pages(markdown)
    },
    Site {
        name: "redirects-ai.lab",
        behaviour: "redirects_ai",
        does: "Sends AI identities from the home page to a short page of its own.",
        says: "AI identities are led to another, much shorter page than the browser.",
        text: &HOTEL,
        ..pages(redirects_ai)
    },
];

fn minimal(ask: &Ask<'_>) -> Reply {
    if ask.path == "/" { content::home(ask) } else { content::not_found(ask) }
}

fn forbidden() -> Reply {
    Reply::html(403, "<!doctype html>\n<title>Forbidden</title><h1>Forbidden</h1>\n")
}

fn blocks_training(ask: &Ask<'_>) -> Reply {
    match (ask.path, ask.purpose()) {
        ("/", Some(Purpose::Training)) => forbidden(),
        _ => with_robots(
            ask,
            "User-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: CCBot\n\
             User-agent: Google-Extended\nUser-agent: Bytespider\nDisallow: /\n\n\
             User-agent: *\nAllow: /\n",
        ),
    }
}

fn x402(ask: &Ask<'_>) -> Reply {
    if !(ask.is_from_ai() && ask.path == "/") {
        return plain(ask);
    }
    toll(&format!("https://{}/", ask.host))
}

/// What asks for a payment by x402 before it gives this address.
pub(super) fn toll(address: &str) -> Reply {
    let request = serde_json::json!({
        "x402Version": 2,
        "resource": { "url": address },
        "accepts": [{ "scheme": "exact", "network": "eip155:84532", "amount": "1000",
                      "asset": "0x0000000000000000000000000000000000000001",
                      "payTo": "0x0000000000000000000000000000000000000002",
                      "maxTimeoutSeconds": 60 }]
    });
    let encoded = data_encoding::BASE64.encode(request.to_string().as_bytes());
    Reply::text(402, "Payment required.\n").with("payment-required", encoded)
}

fn markdown(ask: &Ask<'_>) -> Reply {
    if ask.path != "/" {
        return plain(ask);
    }
    if !ask.accept.contains("text/markdown") {
        let extra = Extra {
            head: "<link rel=\"alternate\" type=\"text/markdown\" href=\"/\">\n",
            ..Extra::default()
        };
        return content::home_with(ask, extra).with("vary", "accept");
    }
    let text = ask.site.text;
    let body =
        format!("# {}\n\n*{}*\n\n{}\n", text.title, text.summary, text.paragraphs.join("\n\n"));
    Reply::new(200, "text/markdown; charset=utf-8", body).with("vary", "accept")
}

fn redirects_ai(ask: &Ask<'_>) -> Reply {
    match ask.path {
        "/" if ask.is_from_ai() => Reply::redirect(302, "/for-machines"),
        "/for-machines" => Reply::html(
            200,
            "<!doctype html>\n<html lang=\"en\"><head><title>For machines</title></head><body>\
             <h1>The Signal House Hotel</h1><p>Rooms from 78.00. Call us.</p></body></html>\n",
        ),
        _ => plain(ask),
    }
}
