//! robots.txt in its many states. The home page is served to everybody on all of these.

use super::{SERVED, pages, plain, with_robots};
use crate::{
    content::{BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL},
    http::{Ask, Payload, Reply},
    site::{Address, Answer, Expect, Names, Site},
};

/// Everybody is served, and robots.txt amounts to this.
const fn amounts_to(robots: &'static str) -> Expect {
    Expect { robots: Some(robots), ..SERVED }
}

/// The same, without a robots.txt that could be had.
const fn without(robots: &'static str) -> Expect {
    Expect { robots: Some(robots), machine_files_present: Some(0), ..SERVED }
}

pub(super) const SITES: &[Site] = &[
    Site {
        name: "robots-closed.lab",
        behaviour: "robots_closed",
        does: "Disallows everything to everybody in robots.txt and serves everybody all the same.",
        says: "robots.txt closes the site to all; the server does not act on it.",
        expect: amounts_to("blocks_all"),
        text: &CLINIC,
        ..pages(|ask| with_robots(ask, "User-agent: *\nDisallow: /\n"))
    },
    Site {
        name: "robots-no-ai.lab",
        behaviour: "robots_no_ai",
        does: "Disallows everything to the known AI crawlers by name in robots.txt.",
        says: "robots.txt closes the site to AI crawlers and to nobody else.",
        expect: amounts_to("blocks_ai"),
        text: &BOOKSHOP,
        ..pages(no_ai)
    },
    Site {
        name: "robots-opt-out.lab",
        behaviour: "robots_opt_out",
        does: "Has a robots.txt group for our own token that disallows everything.",
        says: "The site asks us to stay away: nothing but robots.txt was read.",
        expect: Expect { home_status_browser: None, ai_refused: None, ..amounts_to("opts_us_out") },
        text: &GARDEN,
        ..pages(|ask| {
            with_robots(ask, "User-agent: *\nAllow: /\n\nUser-agent: Wayleave\nDisallow: /\n")
        })
    },
    Site {
        name: "robots-empty.lab",
        behaviour: "robots_empty",
        does: "Serves an empty robots.txt.",
        says: "robots.txt is there and forbids nothing.",
        expect: amounts_to("allows_all"),
        text: &MUSEUM,
        ..pages(|ask| with_robots(ask, ""))
    },
    Site {
        name: "robots-403.lab",
        behaviour: "robots_403",
        does: "Answers 403 on robots.txt and serves its page.",
        says: "robots.txt is refused; formally that forbids nothing, and it is no absence.",
        expect: without("refused"),
        text: &FERRY,
        ..pages(|ask| at_robots(ask, || Reply::text(403, "Forbidden.\n")))
    },
    Site {
        name: "robots-500.lab",
        behaviour: "robots_500",
        does: "Answers 500 on robots.txt and serves its page.",
        says: "robots.txt cannot be read, which a crawler must take as a full disallow.",
        expect: without("error"),
        text: &HOTEL,
        ..pages(|ask| at_robots(ask, || Reply::text(500, "Something broke.\n")))
    },
    Site {
        name: "robots-429.lab",
        behaviour: "robots_429",
        does: "Answers 429 on robots.txt and serves its page.",
        says: "robots.txt cannot be read for now; that is neither an allow nor an absence.",
        expect: without("error"),
        text: &SCHOOL,
        ..pages(|ask| {
            at_robots(ask, || Reply::text(429, "Too many requests.\n").with("retry-after", "60"))
        })
    },
    Site {
        name: "robots-html.lab",
        behaviour: "robots_html",
        does: "Serves an HTML page as robots.txt.",
        says: "What is at robots.txt is a page and sets no rules.",
        expect: Expect { machine_files_present: None, ..amounts_to("not_robots") },
        text: &BAKERY,
        ..pages(|ask| {
            at_robots(ask, || {
                Reply::html(
                    200,
                    "<!doctype html>\n<html><head><title>Robots</title></head><body>\
                     <p>User-agent: *<br>Disallow: /</p></body></html>\n",
                )
            })
        })
    },
    Site {
        name: "robots-utf16.lab",
        behaviour: "robots_utf16",
        does: "Serves a robots.txt in UTF-16 that would close the site.",
        says: "robots.txt is not UTF-8, so no rule in it can be relied on.",
        expect: Expect { robots: None, ..SERVED },
        text: &CYCLES,
        ..pages(|ask| at_robots(ask, utf16))
    },
    Site {
        name: "robots-bom.lab",
        behaviour: "robots_bom",
        does: "Serves a robots.txt with a byte-order mark and CR line ends that closes the site.",
        says: "robots.txt closes the site to all, byte-order mark and odd line ends or not.",
        expect: amounts_to("blocks_all"),
        text: &ORCHESTRA,
        ..pages(|ask| with_robots(ask, "\u{feff}User-agent: *\rDisallow: /\r"))
    },
    Site {
        name: "robots-huge.lab",
        behaviour: "robots_huge",
        does: "Serves eight megabytes of robots.txt; the rule that closes the site comes last.",
        says: "robots.txt was read up to the limit, and what was read forbids a few paths only.",
        expect: amounts_to("blocks_some"),
        text: &CLINIC,
        ..pages(|ask| at_robots(ask, huge))
    },
    Site {
        name: "robots-redirect.lab",
        behaviour: "robots_redirect",
        does: "Redirects robots.txt three times, at last to a file that closes the site.",
        says: "robots.txt, found after three redirects, closes the site to all.",
        expect: amounts_to("blocks_all"),
        text: &GARDEN,
        ..pages(|ask| match ask.path {
            "/robots.txt" => Reply::redirect(301, "/rules/1"),
            "/rules/1" => Reply::redirect(302, "/rules/2"),
            "/rules/2" => Reply::redirect(308, "/rules/final.txt"),
            "/rules/final.txt" => Reply::text(200, "User-agent: *\nDisallow: /\n"),
            _ => plain(ask),
        })
    },
    Site {
        name: "robots-loop.lab",
        behaviour: "robots_loop",
        does: "Redirects robots.txt to itself.",
        says: "robots.txt leads nowhere: unread, for a named reason.",
        expect: without("error"),
        text: &MUSEUM,
        ..pages(|ask| at_robots(ask, || Reply::redirect(302, "/robots.txt")))
    },
    Site {
        name: "robots-slow.lab",
        behaviour: "robots_slow",
        does: "Answers robots.txt after eight tenths of a second.",
        says: "robots.txt is slow and open.",
        text: &FERRY,
        ..pages(|ask| if ask.path == "/robots.txt" { plain(ask).after(800) } else { plain(ask) })
    },
    Site {
        name: "crawl-delay.lab",
        behaviour: "crawl_delay",
        does: "Asks for ten seconds between requests in robots.txt.",
        says: "robots.txt is open and asks for a crawl delay.",
        text: &HOTEL,
        ..pages(|ask| with_robots(ask, "User-agent: *\nCrawl-delay: 10\nAllow: /\n"))
    },
    Site {
        name: "content-signals.lab",
        behaviour: "content_signals",
        does: "Carries content signals in robots.txt: search yes, AI input yes, AI training no.",
        says: "robots.txt is open; training is disallowed by a content signal, the rest allowed.",
        text: &BOOKSHOP,
        ..pages(|ask| {
            with_robots(
                ask,
                "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n",
            )
        })
    },
    Site {
        name: "robots-wildcards.lab",
        behaviour: "robots_wildcards",
        does: "Uses wildcards, end anchors and a longer allow against a shorter disallow.",
        says: "robots.txt closes a few paths and leaves the home page open.",
        expect: amounts_to("blocks_some"),
        text: &SCHOOL,
        ..pages(|ask| {
            with_robots(
                ask,
                "User-agent: *\nDisallow: /*.pdf$\nDisallow: /private/\nAllow: /private/open\n\
                 Disallow: /*?sort=\n\nSitemap: https://robots-wildcards.lab/map.xml\n\
                 User-agent: GPTBot\nDisallow: /courses/*/list\n",
            )
        })
    },
    Site {
        name: "many-sitemaps.lab",
        behaviour: "many_sitemaps",
        does: "Names a dozen sitemaps in robots.txt: at a private address, at a name that leads \
               to one, at another domain, at odd schemes, and some of its own.",
        says: "robots.txt names more sitemaps than are read; the private ones are not dialled.",
        text: &MUSEUM,
        names: Names {
            answers: &[
                ("", Answer::Own),
                ("www", Answer::Own),
                ("inner", Answer::Addresses(&[Address::Trap])),
            ],
            texts: &[],
            signed: false,
        },
        ..pages(many_sitemaps)
    },
    Site {
        name: "robots-by-reader.lab",
        behaviour: "robots_by_reader",
        does: "Gives AI identities a robots.txt that closes the site, and everybody else an open \
               one.",
        says: "robots.txt says other things to AI identities than to a browser.",
        expect: Expect { robots: None, ..SERVED },
        text: &BAKERY,
        ..pages(|ask| {
            let closed = ask.is_from_ai();
            with_robots(ask, if closed { "User-agent: *\nDisallow: /\n" } else { "" })
        })
    },
];

fn at_robots(ask: &Ask<'_>, reply: fn() -> Reply) -> Reply {
    if ask.path == "/robots.txt" { reply() } else { plain(ask) }
}

fn no_ai(ask: &Ask<'_>) -> Reply {
    let mut robots = String::new();
    for token in crate::AI_TOKENS {
        robots.push_str("User-agent: ");
        robots.push_str(token);
        robots.push('\n');
    }
    robots.push_str("Disallow: /\n\nUser-agent: *\nAllow: /\n");
    with_robots(ask, &robots)
}

fn many_sitemaps(ask: &Ask<'_>) -> Reply {
    if ask.path.starts_with("/maps/") {
        return Reply::new(
            200,
            "application/xml",
            "<?xml version=\"1.0\"?>\n<urlset \
             xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"></urlset>\n",
        );
    }
    let mut robots = String::from(
        "User-agent: *\nAllow: /\n\nSitemap: http://127.88.0.1/map.xml\n\
         Sitemap: https://inner.many-sitemaps.lab/map.xml\nSitemap: https://open.lab/sitemap.xml\n\
         Sitemap: file:///etc/passwd\nSitemap: /maps/relative.xml\n\
         Sitemap: https://many-sitemaps.lab/sitemap.xml\n",
    );
    for number in 1..=6 {
        robots.push_str(&format!("Sitemap: https://www.many-sitemaps.lab/maps/{number}.xml\n"));
    }
    with_robots(ask, &robots)
}

fn utf16() -> Reply {
    let text = "\u{feff}User-agent: *\r\nDisallow: /\r\n";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    Reply::new(200, "text/plain", bytes)
}

fn huge() -> Reply {
    const LINE: &str = "Disallow: /archive/of/very/old/things/\n";
    Reply::text(200, "").payload(Payload::Repeat {
        head: "User-agent: *\n".into(),
        unit: LINE.repeat(256).into(),
        times: 840,
        tail: "Disallow: /\n".into(),
    })
}
