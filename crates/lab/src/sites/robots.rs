//! robots.txt in many variants. All of these sites serve their home page to every identity.

use super::base::{SERVED, plain_site, site_with_pages, with_robots};
use crate::{
    content::{BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL},
    http::reply::{Reply, ReplyBody, SiteRequest},
    site::{DnsAddress, DnsBehaviour, ExpectedRecord, LabSite, SiteDns},
};

/// Every identity gets the page, and robots.txt has this effect.
const fn expect_robots(robots: &'static str) -> ExpectedRecord {
    ExpectedRecord { robots: Some(robots), ..SERVED }
}

/// The same, but robots.txt cannot be read.
const fn expect_no_robots(robots: &'static str) -> ExpectedRecord {
    ExpectedRecord { robots: Some(robots), machine_files_present: Some(0), ..SERVED }
}

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "robots-closed.lab",
        behaviour: "robots_closed",
        does: "Disallows everything for all crawlers in robots.txt, but serves every identity.",
        says: "robots.txt disallows everything for all crawlers. The server does not enforce it.",
        expect: expect_robots("blocks_all"),
        text: &CLINIC,
        ..site_with_pages(|request| with_robots(request, "User-agent: *\nDisallow: /\n"))
    },
    LabSite {
        name: "robots-no-ai.lab",
        behaviour: "robots_no_ai",
        does: "Disallows everything for the known AI crawlers, by name, in robots.txt.",
        says: "robots.txt disallows everything for AI crawlers and nothing for others.",
        expect: expect_robots("blocks_ai"),
        text: &BOOKSHOP,
        ..site_with_pages(no_ai)
    },
    LabSite {
        name: "robots-opt-out.lab",
        behaviour: "robots_opt_out",
        does: "Has a robots.txt group for our own token that disallows everything.",
        says: "The site disallows our own reader. Only robots.txt was read.",
        expect: ExpectedRecord {
            home_status_browser: None,
            ai_refused: None,
            ..expect_robots("opts_us_out")
        },
        text: &GARDEN,
        ..site_with_pages(|request| {
            with_robots(request, "User-agent: *\nAllow: /\n\nUser-agent: Wayleave\nDisallow: /\n")
        })
    },
    LabSite {
        name: "robots-empty.lab",
        behaviour: "robots_empty",
        does: "Serves an empty robots.txt.",
        says: "robots.txt exists and disallows nothing.",
        expect: expect_robots("allows_all"),
        text: &MUSEUM,
        ..site_with_pages(|request| with_robots(request, ""))
    },
    LabSite {
        name: "robots-403.lab",
        behaviour: "robots_403",
        does: "Answers 403 for robots.txt and serves its page.",
        says: "The server refuses robots.txt (403). By the standard this disallows nothing, and we \
               cannot tell whether the file exists.",
        expect: expect_no_robots("refused"),
        text: &FERRY,
        ..site_with_pages(|request| at_robots(request, || Reply::text(403, "Forbidden.\n")))
    },
    LabSite {
        name: "robots-500.lab",
        behaviour: "robots_500",
        does: "Answers 500 for robots.txt and serves its page.",
        says: "robots.txt cannot be read (500). Crawlers must treat this as \"disallow \
               everything\".",
        expect: expect_no_robots("error"),
        text: &HOTEL,
        ..site_with_pages(|request| at_robots(request, || Reply::text(500, "Something broke.\n")))
    },
    LabSite {
        name: "robots-429.lab",
        behaviour: "robots_429",
        does: "Answers 429 for robots.txt and serves its page.",
        says: "robots.txt cannot be read at the moment (429). Its rules are unknown.",
        expect: expect_no_robots("error"),
        text: &SCHOOL,
        ..site_with_pages(|request| {
            at_robots(request, || {
                Reply::text(429, "Too many requests.\n").with_header("retry-after", "60")
            })
        })
    },
    LabSite {
        name: "robots-html.lab",
        behaviour: "robots_html",
        does: "Serves an HTML page as robots.txt.",
        says: "The robots.txt path returns an HTML page, which sets no rules.",
        expect: ExpectedRecord { machine_files_present: None, ..expect_robots("not_robots") },
        text: &BAKERY,
        ..site_with_pages(|request| {
            at_robots(request, || {
                Reply::html(
                    200,
                    "<!doctype html>\n<html><head><title>Robots</title></head><body>\
                     <p>User-agent: *<br>Disallow: /</p></body></html>\n",
                )
            })
        })
    },
    LabSite {
        name: "robots-utf16.lab",
        behaviour: "robots_utf16",
        does: "Serves a robots.txt in UTF-16 that would disallow everything.",
        says: "robots.txt is not UTF-8, so its rules are unreliable.",
        expect: ExpectedRecord { robots: None, ..SERVED },
        text: &CYCLES,
        ..site_with_pages(|request| at_robots(request, utf16))
    },
    LabSite {
        name: "robots-bom.lab",
        behaviour: "robots_bom",
        does: "Serves a robots.txt with a byte-order mark and CR line endings that disallows \
               everything.",
        says: "robots.txt disallows everything for all crawlers, despite the byte-order mark and \
               unusual line endings.",
        expect: expect_robots("blocks_all"),
        text: &ORCHESTRA,
        ..site_with_pages(|request| with_robots(request, "\u{feff}User-agent: *\rDisallow: /\r"))
    },
    LabSite {
        name: "robots-huge.lab",
        behaviour: "robots_huge",
        does: "Serves a robots.txt of eight megabytes whose last line disallows everything.",
        says: "robots.txt was read up to the size limit. The part that was read disallows a few \
               paths.",
        expect: expect_robots("blocks_some"),
        text: &CLINIC,
        ..site_with_pages(|request| at_robots(request, huge))
    },
    LabSite {
        name: "robots-redirect.lab",
        behaviour: "robots_redirect",
        does: "Redirects robots.txt three times, finally to a file that disallows everything.",
        says: "robots.txt is reached after three redirects and disallows everything for all \
               crawlers.",
        expect: expect_robots("blocks_all"),
        text: &GARDEN,
        ..site_with_pages(|request| match request.path {
            "/robots.txt" => Reply::redirect(301, "/rules/1"),
            "/rules/1" => Reply::redirect(302, "/rules/2"),
            "/rules/2" => Reply::redirect(308, "/rules/final.txt"),
            "/rules/final.txt" => Reply::text(200, "User-agent: *\nDisallow: /\n"),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "robots-loop.lab",
        behaviour: "robots_loop",
        does: "Redirects robots.txt to itself.",
        says: "robots.txt cannot be read because its redirects form a loop.",
        expect: expect_no_robots("error"),
        text: &MUSEUM,
        ..site_with_pages(|request| at_robots(request, || Reply::redirect(302, "/robots.txt")))
    },
    LabSite {
        name: "robots-slow.lab",
        behaviour: "robots_slow",
        does: "Answers robots.txt after 0.8 seconds.",
        says: "robots.txt is slow and disallows nothing.",
        text: &FERRY,
        ..site_with_pages(|request| {
            if request.path == "/robots.txt" {
                plain_site(request).delayed_by(800)
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "crawl-delay.lab",
        behaviour: "crawl_delay",
        does: "Asks in robots.txt for ten seconds between requests.",
        says: "robots.txt disallows nothing and sets a crawl delay.",
        text: &HOTEL,
        ..site_with_pages(|request| {
            with_robots(request, "User-agent: *\nCrawl-delay: 10\nAllow: /\n")
        })
    },
    LabSite {
        name: "content-signals.lab",
        behaviour: "content_signals",
        does: "Has content signals in robots.txt: search yes, AI input yes, AI training no.",
        says: "robots.txt disallows nothing. A content signal disallows training and allows the \
               other uses.",
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            with_robots(
                request,
                "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n",
            )
        })
    },
    LabSite {
        name: "robots-wildcards.lab",
        behaviour: "robots_wildcards",
        does: "Uses wildcards, end anchors, and a longer allow rule against a shorter disallow \
               rule in robots.txt.",
        says: "robots.txt disallows a few paths but not the home page.",
        expect: expect_robots("blocks_some"),
        text: &SCHOOL,
        ..site_with_pages(|request| {
            with_robots(
                request,
                "User-agent: *\nDisallow: /*.pdf$\nDisallow: /private/\nAllow: /private/open\n\
                 Disallow: /*?sort=\n\nSitemap: https://robots-wildcards.lab/map.xml\n\
                 User-agent: GPTBot\nDisallow: /courses/*/list\n",
            )
        })
    },
    LabSite {
        name: "many-sitemaps.lab",
        behaviour: "many_sitemaps",
        does: "Lists a dozen sitemaps in robots.txt: at a private address, at a name with a \
               private address, on another domain, with unusual schemes, and some of its own.",
        says: "robots.txt lists more sitemaps than we read. Those at private addresses are not \
               contacted.",
        text: &MUSEUM,
        dns: SiteDns {
            answers: &[
                ("", DnsBehaviour::Own),
                ("www", DnsBehaviour::Own),
                ("inner", DnsBehaviour::Addresses(&[DnsAddress::Trap])),
            ],
            texts: &[],
            signed: false,
        },
        ..site_with_pages(many_sitemaps)
    },
    LabSite {
        name: "robots-by-reader.lab",
        behaviour: "robots_by_reader",
        does: "Serves AI identities a robots.txt that disallows everything, and all others an open \
               one.",
        says: "AI identities get a different robots.txt than the browser.",
        expect: ExpectedRecord { robots: None, ..SERVED },
        text: &BAKERY,
        ..site_with_pages(|request| {
            let closed = request.is_from_ai();
            with_robots(request, if closed { "User-agent: *\nDisallow: /\n" } else { "" })
        })
    },
];

fn at_robots(request: &SiteRequest<'_>, reply: fn() -> Reply) -> Reply {
    if request.path == "/robots.txt" { reply() } else { plain_site(request) }
}

fn no_ai(request: &SiteRequest<'_>) -> Reply {
    let mut robots = String::new();
    for token in crate::AI_TOKENS {
        robots.push_str("User-agent: ");
        robots.push_str(token);
        robots.push('\n');
    }
    robots.push_str("Disallow: /\n\nUser-agent: *\nAllow: /\n");
    with_robots(request, &robots)
}

fn many_sitemaps(request: &SiteRequest<'_>) -> Reply {
    if request.path.starts_with("/maps/") {
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
    with_robots(request, &robots)
}

fn utf16() -> Reply {
    let text = "\u{feff}User-agent: *\r\nDisallow: /\r\n";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    Reply::new(200, "text/plain", bytes)
}

fn huge() -> Reply {
    const LINE: &str = "Disallow: /archive/of/very/old/things/\n";
    Reply::text(200, "").with_body(ReplyBody::Repeat {
        head: "User-agent: *\n".into(),
        unit: LINE.repeat(256).into(),
        times: 840,
        tail: "Disallow: /\n".into(),
    })
}
