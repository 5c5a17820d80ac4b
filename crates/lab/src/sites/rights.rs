//! Usage rights, declared in every supported place. All of these sites serve their pages to every
//! identity.

use serde_json::json;

use super::base::{SERVED, plain_site, site_with_pages, with_robots};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, PageExtras,
    },
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite},
    user_agents,
};

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "tdm-reserved.lab",
        behaviour: "tdm_reserved",
        does: "Reserves text and data mining for the whole site in tdmrep.json and links a policy.",
        says: "Text and data mining is reserved. The policy states the terms for a permission.",
        text: &MUSEUM,
        ..site_with_pages(tdm_reserved)
    },
    LabSite {
        name: "tdm-header.lab",
        behaviour: "tdm_header",
        does: "Does not reserve text and data mining in tdmrep.json, but reserves it in a header \
               of its page.",
        says: "Text and data mining of the page is reserved: the header takes precedence over the \
               file.",
        text: &ORCHESTRA,
        ..site_with_pages(|request| match request.path {
            "/" => content::home(request).with_header("tdm-reservation", "1"),
            "/.well-known/tdmrep.json" => {
                let rules = json!([{ "location": "/", "tdm-reservation": 0 }]);
                content::json_reply("application/json", &rules)
            }
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "content-usage.lab",
        behaviour: "content_usage",
        does: "Disallows training with Content-Usage in robots.txt and in a header of its page. \
               The header also allows search.",
        says: "Content-Usage disallows training and allows search. robots.txt disallows nothing.",
        text: &CLINIC,
        ..site_with_pages(|request| match request.path {
            "/" => content::home(request).with_header("content-usage", "train-ai=n, search=y"),
            _ => with_robots(request, "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n"),
        })
    },
    LabSite {
        name: "rsl.lab",
        behaviour: "rsl",
        does: "Links an RSL licence in robots.txt that permits search and prohibits training.",
        says: "The licence allows search and disallows training. Uses that it does not list are \
               not licensed.",
        text: &BOOKSHOP,
        ..site_with_pages(rsl)
    },
    LabSite {
        name: "rsl-feed.lab",
        behaviour: "rsl_feed",
        does: "Allows all uses in the RSL licence that its page links to, and prohibits training in \
               its feed, which also links to a licence.",
        says: "The licences contradict each other about training. The stricter one counts.",
        text: &MUSEUM,
        ..site_with_pages(rsl_feed)
    },
    LabSite {
        name: "ai-txt.lab",
        behaviour: "ai_txt",
        does: "Has an ai.txt that disallows training on everything.",
        says: "ai.txt disallows training. robots.txt disallows nothing.",
        text: &GARDEN,
        ..site_with_pages(|request| match request.path {
            "/ai.txt" => {
                Reply::text(200, "# Our photographs and texts\nUser-Agent: *\nDisallow: /\n")
            }
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "noai.lab",
        behaviour: "noai",
        does: "Has \"noai\" and \"noimageai\" in the robots meta element of its page.",
        says: "A mark on the page disallows training. Few crawlers honour this mark.",
        text: &FERRY,
        ..site_with_pages(|request| match request.path {
            "/" => {
                let head = "<meta name=\"robots\" content=\"noai, noimageai\">\n";
                content::home_with(request, PageExtras { head, ..PageExtras::default() })
            }
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "signals-at-odds.lab",
        behaviour: "signals_at_odds",
        does: "Disallows training with a content signal in robots.txt and allows it with one in a \
               header of its page.",
        says: "Two content signals contradict each other about training. The stricter one counts.",
        text: &HOTEL,
        ..site_with_pages(|request| match request.path {
            "/" => content::home(request).with_header("content-signal", "ai-train=yes"),
            _ => with_robots(request, "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
        })
    },
    LabSite {
        name: "signals-misspelt.lab",
        behaviour: "signals_misspelt",
        does: "Misspells the name of its content signal in robots.txt, and its values there and in \
               a header of its page.",
        says: "The content signals are invalid, so they state nothing about training.",
        text: &CYCLES,
        ..site_with_pages(|request| match request.path {
            "/" => content::home(request).with_header("content-signal", "ai-train=maybe;search"),
            _ => with_robots(
                request,
                "User-agent: *\nContent-Signals: ai-train=maybe;search\nAllow: /\n",
            ),
        })
    },
    LabSite {
        name: "managed-robots.lab",
        behaviour: "managed_robots",
        does: "Has a robots.txt whose own lines allow all crawlers, below lines that its CDN added \
               to block training crawlers.",
        says: "robots.txt blocks training crawlers, through lines that the owner did not write.",
        expect: ExpectedRecord { robots: Some("blocks_some"), ..SERVED },
        text: &BAKERY,
        ..site_with_pages(managed)
    },
];

fn tdm_reserved(request: &SiteRequest<'_>) -> Reply {
    const POLICY: &str = "/tdm-policy.json";
    let host = request.site_name;
    let policy = format!("https://{host}{POLICY}");
    match request.path {
        "/.well-known/tdmrep.json" => {
            let rules = json!([
                { "location": "/", "tdm-reservation": 1, "tdm-policy": policy }
            ]);
            content::json_reply("application/json", &rules)
        }
        POLICY => {
            let offer = json!({
                "@context": ["http://www.w3.org/ns/odrl.jsonld",
                             { "tdm": "http://www.w3.org/ns/tdmrep#" }],
                "@type": "Offer",
                "profile": "http://www.w3.org/ns/tdmrep",
                "uid": policy,
                "assigner": {
                    "uid": format!("https://{host}/"),
                    "vcard:fn": request.text.title,
                    "vcard:hasTelephone": format!("tel:{}", request.text.phone.1.replace(' ', ""))
                },
                "permission": [{
                    "target": format!("https://{host}/"),
                    "action": "tdm:mine",
                    "duty": [{ "action": "obtainConsent" }]
                }]
            });
            content::json_reply("application/json", &offer)
        }
        _ => plain_site(request),
    }
}

fn rsl(request: &SiteRequest<'_>) -> Reply {
    let host = request.site_name;
    if request.path == "/license.xml" {
        let licence = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <rsl xmlns=\"https://rslstandard.org/rsl\">\n  \
             <content url=\"https://{host}/\">\n    <license>\n      \
             <permits type=\"usage\">search</permits>\n      \
             <prohibits type=\"usage\">ai-train</prohibits>\n      \
             <payment type=\"free\"/>\n    </license>\n  </content>\n</rsl>\n"
        );
        return Reply::new(200, "application/rsl+xml", licence);
    }
    with_robots(
        request,
        &format!("License: https://{host}/license.xml\n\nUser-agent: *\nAllow: /\n"),
    )
}

fn rsl_feed(request: &SiteRequest<'_>) -> Reply {
    let host = request.site_name;
    let licence = |uses: &str| {
        let licence = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <rsl xmlns=\"https://rslstandard.org/rsl\"><content url=\"/\">\
             <license>{uses}</license></content></rsl>\n"
        );
        Reply::new(200, "application/rsl+xml", licence)
    };
    match request.path {
        "/" => {
            let head = "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">\n\
                        <link rel=\"license\" type=\"application/rsl+xml\" href=\"/licence.xml\">\n";
            content::home_with(request, PageExtras { head, ..PageExtras::default() })
        }
        "/licence.xml" => licence("<permits type=\"usage\">all</permits>"),
        "/feed-licence.xml" => licence("<permits type=\"usage\">search</permits>"),
        "/feed.xml" => {
            let title = request.text.title;
            let feed = format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" \
                 xmlns:rsl=\"https://rslstandard.org/rsl\" xmlns:atom=\"http://www.w3.org/2005/Atom\">\n\
                 <channel><title>{title}</title><link>https://{host}/</link><description>News</description>\n\
                 <atom:link rel=\"license\" type=\"application/rsl+xml\" href=\"/feed-licence.xml\"/>\n\
                 <rsl:content url=\"/\"><rsl:license><rsl:prohibits type=\"usage\">ai-train</rsl:prohibits>\
                 </rsl:license></rsl:content>\n</channel></rss>\n"
            );
            Reply::new(200, "application/rss+xml", feed)
        }
        _ => plain_site(request),
    }
}

/// As CDNs write it: their own groups first, between two comments.
fn managed(request: &SiteRequest<'_>) -> Reply {
    let mut robots = String::from("# BEGIN Quayside Edge Managed content\n\n");
    let training =
        |token: &&&str| user_agents::ai_purpose(token) == Some(user_agents::Purpose::Training);
    for token in crate::AI_TOKENS.iter().filter(training) {
        robots.push_str(&format!("User-agent: {token}\nDisallow: /\n\n"));
    }
    robots.push_str("# END Quayside Edge Managed content\n\nUser-agent: *\nAllow: /\n");
    with_robots(request, &robots)
}
