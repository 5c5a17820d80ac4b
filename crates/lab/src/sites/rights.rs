//! What sites say about the use of their pages, in every place where it can be said. The pages are
//! served to everybody on all of these.

use serde_json::json;

use super::{SERVED, pages, plain, with_robots};
use crate::{
    audience,
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, Extra, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA,
    },
    http::{Ask, Reply},
    site::{Expect, Site},
};

pub(super) const SITES: &[Site] = &[
    Site {
        name: "tdm-reserved.lab",
        behaviour: "tdm_reserved",
        does: "Reserves text and data mining of the whole site in tdmrep.json and names a policy.",
        says: "Text and data mining is reserved; the policy says under which terms it may be had.",
        text: &MUSEUM,
        ..pages(tdm_reserved)
    },
    Site {
        name: "tdm-header.lab",
        behaviour: "tdm_header",
        does: "Does not reserve text and data mining in tdmrep.json and reserves it in the header \
               of its page.",
        says: "Text and data mining of the page is reserved: its header counts before the file.",
        text: &ORCHESTRA,
        ..pages(|ask| match ask.path {
            "/" => content::home(ask).with("tdm-reservation", "1"),
            "/.well-known/tdmrep.json" => {
                let rules = json!([{ "location": "/", "tdm-reservation": 0 }]);
                content::json_reply("application/json", &rules)
            }
            _ => plain(ask),
        })
    },
    Site {
        name: "content-usage.lab",
        behaviour: "content_usage",
        does: "Asks by Content-Usage not to be trained on, in robots.txt and in the header of its \
               page, which also welcomes search.",
        says: "Training is disallowed and search allowed by Content-Usage; robots.txt is open.",
        text: &CLINIC,
        ..pages(|ask| match ask.path {
            "/" => content::home(ask).with("content-usage", "train-ai=n, search=y"),
            _ => with_robots(ask, "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n"),
        })
    },
    Site {
        name: "rsl.lab",
        behaviour: "rsl",
        does: "Names an RSL licence in robots.txt, which permits search and prohibits training.",
        says: "The licence allows search and disallows training; what it does not list is not \
               licensed either.",
        text: &BOOKSHOP,
        ..pages(rsl)
    },
    Site {
        name: "ai-txt.lab",
        behaviour: "ai_txt",
        does: "Has an ai.txt that keeps everything out of training.",
        says: "Training is disallowed by ai.txt; robots.txt is open.",
        text: &GARDEN,
        ..pages(|ask| match ask.path {
            "/ai.txt" => {
                Reply::text(200, "# Our photographs and texts\nUser-Agent: *\nDisallow: /\n")
            }
            _ => plain(ask),
        })
    },
    Site {
        name: "noai.lab",
        behaviour: "noai",
        does: "Marks its page with noai and noimageai in the meta element for robots.",
        says: "Training is disallowed by a mark on the page that few crawlers honour.",
        text: &FERRY,
        ..pages(|ask| match ask.path {
            "/" => {
                let head = "<meta name=\"robots\" content=\"noai, noimageai\">\n";
                content::home_with(ask, Extra { head, ..Extra::default() })
            }
            _ => plain(ask),
        })
    },
    Site {
        name: "signals-at-odds.lab",
        behaviour: "signals_at_odds",
        does: "Withholds training by a content signal in robots.txt and grants it by one in the \
               header of its page.",
        says: "Two content signals contradict each other about training; the stricter counts.",
        text: &HOTEL,
        ..pages(|ask| match ask.path {
            "/" => content::home(ask).with("content-signal", "ai-train=yes"),
            _ => with_robots(ask, "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
        })
    },
    Site {
        name: "signals-misspelt.lab",
        behaviour: "signals_misspelt",
        does: "Misspells the name of its content signal in robots.txt, and its values there and \
               in the header of its page.",
        says: "The content signals cannot be read as they were meant: nothing is said about \
               training.",
        text: &CYCLES,
        ..pages(|ask| match ask.path {
            "/" => content::home(ask).with("content-signal", "ai-train=maybe;search"),
            _ => with_robots(
                ask,
                "User-agent: *\nContent-Signals: ai-train=maybe;search\nAllow: /\n",
            ),
        })
    },
    Site {
        name: "managed-robots.lab",
        behaviour: "managed_robots",
        does: "Has a robots.txt whose own lines let everybody in, below lines of the network in \
               front of it that keep crawlers for training out.",
        says: "robots.txt keeps crawlers for training out, by lines that the owner did not write.",
        expect: Expect { robots: Some("blocks_some"), ..SERVED },
        text: &BAKERY,
        ..pages(managed)
    },
];

fn tdm_reserved(ask: &Ask<'_>) -> Reply {
    const POLICY: &str = "/tdm-policy.json";
    let host = ask.site.name;
    let policy = format!("https://{host}{POLICY}");
    match ask.path {
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
                    "vcard:fn": ask.site.text.title,
                    "vcard:hasTelephone": format!("tel:{}", ask.site.text.phone.1.replace(' ', ""))
                },
                "permission": [{
                    "target": format!("https://{host}/"),
                    "action": "tdm:mine",
                    "duty": [{ "action": "obtainConsent" }]
                }]
            });
            content::json_reply("application/json", &offer)
        }
        _ => plain(ask),
    }
}

fn rsl(ask: &Ask<'_>) -> Reply {
    let host = ask.site.name;
    if ask.path == "/license.xml" {
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
    with_robots(ask, &format!("License: https://{host}/license.xml\n\nUser-agent: *\nAllow: /\n"))
}

/// As networks in front of sites write it: their own groups first, between two comments.
fn managed(ask: &Ask<'_>) -> Reply {
    let mut robots = String::from("# BEGIN Quayside Edge Managed content\n\n");
    let training = |token: &&&str| audience::purpose(token) == Some(audience::Purpose::Training);
    for token in crate::AI_TOKENS.iter().filter(training) {
        robots.push_str(&format!("User-agent: {token}\nDisallow: /\n\n"));
    }
    robots.push_str("# END Quayside Edge Managed content\n\nUser-agent: *\nAllow: /\n");
    with_robots(ask, &robots)
}
