//! What the outcomes of requests mean, and what was served instead of a page.

use super::explanation::{Explanation, spaced};
use crate::records::RowCause;

const FIND_THE_RULE: &str = "If this is not intended, find the rule for these user agents: first in the bot settings \
     of your CDN or firewall, then in the web server, then in plug-ins. If it is intended, also disallow them in robots.txt.";
const OVERLAY: &str =
    "Send the content with the page and show the question over it. Crawlers cannot answer it.";

/// The result of one request for a page. `blocker` is what was served instead of the page, as in a
/// scan's `agentview`.
#[must_use]
pub fn explain_outcome(cause: &RowCause, blocker: Option<&str>) -> Explanation {
    let explain = Explanation::new;
    match cause {
        RowCause::Served => explain("served", "The page was delivered.", None),
        RowCause::Refused => explain_refusal(blocker),
        RowCause::Challenge if blocker == Some("captcha") => explain(
            "CAPTCHA",
            "A puzzle for people was served instead of the page. Crawlers cannot solve it.",
            Some(FIND_THE_RULE),
        ),
        RowCause::Challenge => explain(
            "challenge",
            "A test for real browsers was served instead of the page. Crawlers that run no scripts cannot pass it.",
            Some(FIND_THE_RULE),
        ),
        RowCause::PaymentRequired => explain(
            "asked to pay",
            "The server wants to be paid for the page.",
            Some(
                "If agents should read the page for free, remove the price for these user agents.",
            ),
        ),
        RowCause::RateLimited => explain(
            "rate limited",
            "The server said that too many requests were sent.",
            Some("If this is not intended, allow a few requests per second from each client."),
        ),
        RowCause::ServerError => explain_server_error(blocker),
        RowCause::Busy => explain(
            "busy, not counted",
            "The server sent an error or a rate limit, while similar clients got the page. Our own requests may have caused it, so it does not count.",
            None,
        ),
        RowCause::Gated => explain_gate(blocker),
        RowCause::Empty => explain(
            "empty page",
            "The server reported success but sent no content.",
            Some(
                "Check why the server sends no content: a rule for these user agents, an error in a template, or a page that only a script fills.",
            ),
        ),
        RowCause::Stalled => explain(
            "kept waiting",
            "There was no complete answer in a time in which the browser was served several times.",
            Some(
                "Look for a rule that delays these user agents in your CDN, web server or plug-ins. To keep them out, answer 403 at once.",
            ),
        ),
        RowCause::OtherStatus => explain(
            "not the page",
            "The server answered with another status, such as 404.",
            Some("Check what the server sends for this address and these user agents."),
        ),
        RowCause::Incomplete => explain(
            "not complete",
            "The server answered, but the page did not arrive completely. It was not compared.",
            None,
        ),
        RowCause::Unreachable => explain(
            "no answer",
            "There was no answer. This is true only for our network at this time.",
            None,
        ),
        RowCause::NotRead => explain("not requested", "We did not send this request.", None),
        RowCause::Unrecognised(word) => explain(
            &spaced(word.as_str()),
            "This version of the program has no explanation for this result.",
            None,
        ),
    }
}

fn explain_refusal(blocker: Option<&str>) -> Explanation {
    let explain = Explanation::new;
    match blocker {
        Some("login") => explain(
            "refused, login needed",
            "The server wants a user name and a password.",
            Some("If the page is for everybody, remove the login for this address."),
        ),
        Some("legal" | "region") => explain(
            "refused, law or country",
            "The server withholds the page for legal reasons or because of the visitor's country.",
            Some("If the page is for everybody, check the country rules of your CDN."),
        ),
        _ => explain(
            "refused",
            "The server, or a service in front of it, refused the request.",
            Some(FIND_THE_RULE),
        ),
    }
}

fn explain_server_error(blocker: Option<&str>) -> Explanation {
    match blocker {
        Some("maintenance") => Explanation::new(
            "maintenance",
            "The server said that the site is being worked on.",
            Some("Keep status 503 while the site is down, and send a Retry-After header."),
        ),
        _ => Explanation::new(
            "server error",
            "The server reported an error of its own.",
            Some("Look for this request in the error log of your server."),
        ),
    }
}

/// A page that stands in for the content, with a success status.
fn explain_gate(blocker: Option<&str>) -> Explanation {
    let explain = Explanation::new;
    match blocker {
        Some("login") => explain(
            "login page",
            "A login form was served instead of the page.",
            Some(
                "To tell agents what the site is, serve a public page with a description and a link to the login.",
            ),
        ),
        Some("region" | "legal") => explain(
            "country gate",
            "The page only says that the site is not available in the visitor's country.",
            Some(
                "Most AI crawlers connect from the United States. Exempt verified crawlers from the country rule of your CDN.",
            ),
        ),
        Some("age") => {
            explain("age gate", "The page only asks for the visitor's age.", Some(OVERLAY))
        }
        Some("consent") => explain(
            "cookie wall",
            "The page only asks for consent to cookies or to the use of data.",
            Some(OVERLAY),
        ),
        Some("parked") => explain(
            "parked domain",
            "The page is that of a domain without a site. It may be for sale.",
            Some(
                "To show a site, connect the domain to your hosting in the DNS settings of your registrar.",
            ),
        ),
        Some("maintenance") => explain(
            "maintenance notice",
            "The page only says that the site is being worked on or has not opened yet.",
            Some("Answer with status 503 and a Retry-After header, so that agents come back."),
        ),
        Some("placeholder") => explain(
            "placeholder",
            "The server or host shows its own page, because there is no site at this name.",
            Some("Publish the site, and check that this host name points to it."),
        ),
        _ => explain(
            "gate",
            "A page was served that stands in for the content.",
            Some(FIND_THE_RULE),
        ),
    }
}

/// What was served instead of the page, and by whom: `block page of Cloudflare`. `None` if the page was
/// served or nothing is known.
#[must_use]
pub fn describe_blocker(blocker: Option<&str>, vendor: Option<&str>) -> Option<String> {
    let Some(blocker) = blocker else { return vendor.map(|vendor| format!("answer of {vendor}")) };
    let noun = match blocker {
        "block" => "block page",
        "challenge" => "browser challenge",
        "captcha" => "CAPTCHA",
        "rate_limit" => "rate limit",
        "payment" => "request to pay",
        "login" => "login page",
        "legal" => "legal notice",
        "region" => "country gate",
        "age" => "age gate",
        "consent" => "cookie wall",
        "parked" => "page of a parked domain",
        "maintenance" => "maintenance notice",
        "placeholder" => "placeholder of the server or host",
        "empty" => "page without content",
        other => return Some(spaced(other)),
    };
    Some(match (vendor, blocker) {
        (Some(vendor), _) => format!("{noun} of {vendor}"),
        // These come from the site or its host. A vendor would be named in the others.
        (None, "block" | "challenge" | "captcha") => format!("{noun}, no vendor named"),
        (None, _) => noun.to_owned(),
    })
}

/// What to add to the label of an outcome: what was served instead of the page, unless the label says
/// it already.
#[must_use]
pub fn describe_stand_in(
    cause: &RowCause,
    blocker: Option<&str>,
    vendor: Option<&str>,
) -> Option<String> {
    let named_by_label = match cause {
        RowCause::Gated | RowCause::Empty | RowCause::PaymentRequired | RowCause::RateLimited => {
            true
        }
        RowCause::Refused => blocker == Some("login"),
        RowCause::Challenge => blocker == Some("captcha"),
        RowCause::ServerError => blocker == Some("maintenance"),
        _ => false,
    };
    describe_blocker(blocker, vendor).filter(|_| vendor.is_some() || !named_by_label)
}
