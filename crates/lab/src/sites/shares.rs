//! Sites that keep out some identities of a purpose, and sites that declare what they do or do not
//! do.

use super::base::{SERVED, plain_site, site_with_pages, with_robots};
use crate::{
    content::{BOOKSHOP, CLINIC, FERRY, MUSEUM, ORCHESTRA},
    http::reply::Reply,
    site::{ASK_FIRST, ExpectedRecord, LabSite},
    user_agents::Purpose,
};

const TRAINING_DISALLOWED: &str = "User-agent: GPTBot\nUser-agent: ClaudeBot\nUser-agent: CCBot\n\
    User-agent: meta-externalagent\nDisallow: /\n\nUser-agent: *\nAllow: /\n";

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "ai-input-no.lab",
        behaviour: "ai_input_no",
        does: "Says in robots.txt that its content may not be used as input of AI (Content-Signal: \
               ai-input=no).",
        says: "The site forbids AI input. The grade and the decision say so.",
        expect: ExpectedRecord {
            read: &["block"],
            cite: ASK_FIRST,
            grade_at_most: Some("B"),
            ..SERVED
        },
        text: &CLINIC,
        ..site_with_pages(|request| {
            with_robots(
                request,
                "User-agent: *\nContent-Signal: search=yes, ai-input=no, ai-train=no\nAllow: /\n",
            )
        })
    },
    LabSite {
        name: "search-bots-refused.lab",
        behaviour: "search_bots_refused",
        does: "Answers two of the three AI search crawlers with 403.",
        says: "Most AI search crawlers are refused, although robots.txt allows them.",
        expect: ExpectedRecord {
            ai_refused: None,
            finding: &["kept_out"],
            grade_at_most: Some("B"),
            ..SERVED
        },
        text: &FERRY,
        ..site_with_pages(|request| {
            let refused = request.is_from_any(&["OAI-SearchBot", "Claude-SearchBot"]);
            if refused && request.path == "/" { forbidden() } else { plain_site(request) }
        })
    },
    LabSite {
        name: "challenged-seven.lab",
        behaviour: "challenged_seven",
        does: "Answers seven of the ten AI identities with a challenge.",
        says: "Most AI identities get a challenge, not the page.",
        expect: ExpectedRecord {
            ai_refused: None,
            finding: &["kept_out"],
            grade_at_most: Some("D"),
            ..SERVED
        },
        text: &MUSEUM,
        ..site_with_pages(|request| {
            const SEVEN: &[&str] = &[
                "GPTBot",
                "ClaudeBot",
                "CCBot",
                "meta-externalagent",
                "OAI-SearchBot",
                "PerplexityBot",
                "ChatGPT-User",
            ];
            if request.is_from_any(SEVEN) && request.path == "/" {
                challenge()
            } else {
                plain_site(request)
            }
        })
    },
    LabSite {
        name: "training-enforced.lab",
        behaviour: "training_enforced",
        does: "Disallows training crawlers in robots.txt and answers them with 403.",
        says: "Training crawlers are kept out as robots.txt says. The site does what it says.",
        expect: ExpectedRecord {
            ai_refused: None,
            robots: Some("blocks_some"),
            grade_at_least: Some("B"),
            ..SERVED
        },
        text: &BOOKSHOP,
        ..site_with_pages(|request| {
            let training = request.purpose() == Some(Purpose::Training);
            if training && request.path == "/" {
                forbidden()
            } else {
                with_robots(request, TRAINING_DISALLOWED)
            }
        })
    },
    LabSite {
        name: "training-served.lab",
        behaviour: "training_served",
        does: "Disallows training crawlers in robots.txt and serves them the page.",
        says: "Training crawlers get the page although robots.txt disallows it.",
        expect: ExpectedRecord { robots: Some("blocks_some"), grade_at_least: Some("B"), ..SERVED },
        text: &ORCHESTRA,
        ..site_with_pages(|request| with_robots(request, TRAINING_DISALLOWED))
    },
];

fn forbidden() -> Reply {
    Reply::html(403, "<!doctype html>\n<title>Forbidden</title><h1>Forbidden</h1>\n")
}

fn challenge() -> Reply {
    Reply::html(
        403,
        "<!doctype html>\n<html lang=\"en\"><head><title>Just a moment...</title></head>\n<body>\
         <script>window._cf_chl_opt={cType:'managed'};</script></body></html>\n",
    )
    .with_header("cf-mitigated", "challenge")
    .with_header("server", "cloudflare")
}
