//! Whether agents of each purpose are given the page.

use contract::evidence::Phase;
use contract::records::{AgentRow, Finding, Role, RowCause, Severity};

use super::Readings;
use crate::scan::served::{browser, is_ai, is_measured, is_served, readings};
use crate::scan::verdicts::{Outcome, Verdicts, about, aside};

const PURPOSES: [(Role, &str, &str); 3] = [
    (Role::Train, "reach.training", "training crawlers"),
    (Role::Search, "reach.search", "AI search crawlers"),
    (Role::User, "reach.user", "assistants that fetch for a person"),
];

pub(super) fn judge(read: &Readings<'_>, out: &mut Verdicts) {
    let rows = &read.view.rows;
    let person = browser(rows);
    if !person.is_some_and(is_served) {
        let why = match person {
            Some(row) if is_measured(row) => {
                "The browser was not given the page either, so nothing can be told about agents."
            }
            _ => "The browser's reading did not come, so there is nothing to hold agents against.",
        };
        for (_, rule, _) in PURPOSES {
            out.not_assessed(rule, why);
        }
        nobody_is_served(read, out);
        only_the_browser_is_not(read, out);
        home_unread(read, out);
        return;
    }
    let mut shut_out = Vec::new();
    for (role, rule, who) in PURPOSES {
        let asked: Vec<&AgentRow> =
            rows.iter().filter(|row| row.role == role && is_measured(row)).collect();
        if asked.is_empty() {
            out.not_assessed(rule, format!("None of the {who} was answered."));
            continue;
        }
        let served = asked.iter().filter(|row| is_served(row)).count();
        let why = format!("{served} of {} {who} were given the page.", asked.len());
        let outcome =
            Outcome::Share { got: crate::scan::count(served), of: crate::scan::count(asked.len()) };
        let evidence = readings(asked.iter().copied().chain(person));
        out.rule(rule, outcome, why, evidence);
        if served < asked.len() {
            out.find(kept_out(read, rule, who, &asked));
        }
        if served == 0 {
            shut_out.push(who);
        }
    }
    caps(rows, &shut_out, out);
}

/// The finding for one purpose: who was kept out, how, by whom as far as it shows.
fn kept_out(read: &Readings<'_>, rule: &'static str, who: &str, asked: &[&AgentRow]) -> Finding {
    let out: Vec<&AgentRow> = asked.iter().copied().filter(|row| !is_served(row)).collect();
    let first = out.first().map(|row| &row.cause);
    let all = |cause: RowCause| out.iter().all(|row| row.cause == cause);
    let severity = match (out.len() == asked.len(), rule) {
        (true, "reach.training") => Severity::Medium,
        (true, _) => Severity::High,
        (false, _) => Severity::Medium,
    };
    let mut finding = about(read.look.rules, rule, &format!("kept_out:{rule}"), severity);
    let mut vendors: Vec<&str> = out.iter().filter_map(|row| row.vendor.as_deref()).collect();
    vendors.sort_unstable();
    vendors.dedup();
    let by = if vendors.is_empty() {
        String::new()
    } else {
        format!(", by the marks of {}", vendors.join(" and "))
    };
    let (title, fix) = if all(RowCause::PaymentRequired) {
        (
            "are asked to pay",
            "If the toll is meant, say so in robots.txt or an RSL licence, so that agents need not find out by \
             asking. If not, switch pay per crawl off in the CDN, or let these agents through.",
        )
    } else if all(RowCause::Challenge) {
        (
            "are asked to prove that they are people",
            "An agent cannot pass a challenge. In the bot settings of the CDN, exempt these verified agents from \
             challenges (a rule that skips them), or the pages they should read.",
        )
    } else if all(RowCause::RateLimited) {
        (
            "are told to come back later",
            "Raise the rate for these agents, or answer 429 with a Retry-After that they can keep to.",
        )
    } else if all(RowCause::ServerError) {
        (
            "are answered with a server error",
            "Look into the server's log for these user agents: an error that only they get comes from a rule or a \
             template that does not expect them.",
        )
    } else {
        (
            "are turned away",
            "If this is not intended, look for a rule that matches these user agents: first in the CDN's bot \
             settings (many block AI crawlers by default), then in the web server and in plug-ins. If it is \
             intended, say so in robots.txt too.",
        )
    };
    finding.title = format!("{} {title}", capital(who));
    let answers: Vec<String> =
        out.iter().map(|row| format!("{} {}", row.label, answer(row))).collect();
    finding.seen = format!(
        "The browser was given the page. {} of {} {who} were not{by}: {}. {}",
        out.len(),
        asked.len(),
        answers.join("; "),
        read.view.aimed_at_why
    )
    .trim_end()
    .to_owned();
    finding.fix = Some(fix.to_owned());
    if first == Some(&RowCause::Refused) {
        finding.paste = Some(robots_text(read, &out));
    }
    finding.evidence = readings(browser(&read.view.rows).into_iter().chain(out.iter().copied()));
    finding
}

/// What to write into robots.txt when keeping these agents out is meant.
fn robots_text(read: &Readings<'_>, rows: &[&AgentRow]) -> String {
    let names: Vec<String> = rows
        .iter()
        .filter_map(|row| read.look.catalogue.get(&row.id)?.robots_token.clone())
        .map(|token| format!("User-agent: {token}\n"))
        .collect();
    format!("# Only if these agents are meant to stay away:\n{}Disallow: /\n", names.concat())
}

fn answer(row: &AgentRow) -> String {
    let status = row.status.map_or("no answer".to_owned(), |status| status.to_string());
    match (&row.cause, &row.price) {
        (RowCause::PaymentRequired, Some(price)) => format!("({status}, asks {price})"),
        (RowCause::Challenge, _) => format!("({status}, a challenge)"),
        _ => format!("({status})"),
    }
}

/// What no other merit makes up for.
fn caps(rows: &[AgentRow], shut_out: &[&str], out: &mut Verdicts) {
    let ai: Vec<&AgentRow> = rows.iter().filter(|row| is_ai(row) && is_measured(row)).collect();
    if ai.is_empty() {
        return;
    }
    if ai.iter().any(|row| is_served(row)) {
        if !shut_out.is_empty() {
            out.cap(
                "ai_partly",
                format!("None of the {} was given it.", shut_out.join(" and of the ")),
            );
        }
        return;
    }
    let because = format!(
        "{} of {} AI identities, sent from our network, were not given it.",
        ai.len(),
        ai.len()
    );
    let all = |cause: RowCause| ai.iter().all(|row| row.cause == cause);
    if all(RowCause::PaymentRequired) {
        out.cap("ai_tolled", because);
    } else if all(RowCause::Challenge) {
        out.cap("ai_challenged", because);
    } else {
        out.cap("ai_refused", because);
    }
}

/// Without a served browser there is no contrast, and still something to tell.
fn nobody_is_served(read: &Readings<'_>, out: &mut Verdicts) {
    let asked: Vec<&AgentRow> = read.view.rows.iter().filter(|row| is_measured(row)).collect();
    if asked.is_empty() || asked.iter().any(|row| is_served(row)) {
        return;
    }
    let answers: Vec<String> =
        asked.iter().map(|row| format!("{} {}", row.label, answer(row))).collect();
    let all = |cause: RowCause| asked.iter().all(|row| row.cause == cause);
    let mut finding = aside("reach", "all_refused", Severity::High);
    let vendor = asked.iter().find_map(|row| row.vendor.as_deref());
    finding.title = if all(RowCause::Challenge) {
        "Everybody we asked as is challenged".to_owned()
    } else if all(RowCause::ServerError) {
        "The home page is broken".to_owned()
    } else {
        "Nobody we asked as was given the page".to_owned()
    };
    finding.seen = format!("The browser was not given it either: {}.", answers.join("; "));
    finding.why = if all(RowCause::ServerError) {
        "Whoever asks is answered with a server error, so nothing is known of the page.".to_owned()
    } else {
        format!(
            "Either the site refuses our whole network{}, or it serves nobody. What its pages say is not known, \
             and other visitors may be given them.",
            vendor.map(|vendor| format!(" ({vendor} stands before it)")).unwrap_or_default()
        )
    };
    finding.fix = Some(if all(RowCause::ServerError) {
        "Look into the server's error log.".to_owned()
    } else {
        "If people elsewhere do see the page, look for a rule that matches our network, or scan from yours: \
         wayleave scan DOMAIN."
            .to_owned()
    });
    finding.evidence = readings(asked);
    out.find(finding);
}

/// Others were given the page and the browser was not: no grade, and the reason is worth a finding.
fn only_the_browser_is_not(read: &Readings<'_>, out: &mut Verdicts) {
    let rows = &read.view.rows;
    let served: Vec<&AgentRow> = rows.iter().filter(|row| is_served(row)).collect();
    let Some(person) = browser(rows).filter(|row| is_measured(row) && !served.is_empty()) else {
        return;
    };
    let mut finding = aside("reach", "browser_kept_out", Severity::Medium);
    finding.title = "The browser is not given the page, and others are".to_owned();
    let labels: Vec<&str> = served.iter().map(|row| row.label.as_str()).collect();
    finding.seen = format!(
        "The browser, sent from our network: {}{}. Given the page: {}.",
        answer(person),
        person.vendor.as_deref().map(|by| format!(", by the marks of {by}")).unwrap_or_default(),
        labels.join(", ")
    );
    finding.why = "What agents are given is held against what a browser is given. Without that there is no grade: \
                   nothing is said for or against the site."
        .to_owned();
    finding.fix = Some(
        "If people elsewhere do see the page, look for a rule that takes browsers from data centres for bots, or \
         scan from your own network: wayleave scan DOMAIN."
            .to_owned(),
    );
    finding.evidence = readings(std::iter::once(person).chain(served));
    out.find(finding);
}

/// Something answered, and the home page did not come: the reason is worth a finding.
fn home_unread(read: &Readings<'_>, out: &mut Verdicts) {
    let asked = |row: &&AgentRow| row.reading.is_some() && row.error.is_some();
    let failed: Vec<&AgentRow> = read.view.rows.iter().filter(asked).collect();
    if read.view.rows.iter().any(is_measured) || !crate::scan::answered(read.look.evidence) {
        return;
    }
    let Some(error) = failed.first().and_then(|row| row.error.as_ref()) else { return };
    let mut finding = aside("reach", "home_unread", Severity::High);
    finding.title = "The home page could not be read".to_owned();
    finding.seen = format!("{} ({}: {})", error.detail, error.kind, error.reason);
    finding.why = "Nothing is said about the page, neither good nor bad: it was not seen. Agents that meet the same \
                   give up."
        .to_owned();
    finding.fix = Some(match error.phase {
        Phase::Redirect => "Follow the redirects of the home page by hand (curl -sIL) and let them end at a page."
            .to_owned(),
        Phase::Body => "Look at what the server sends as the body: its length, its encoding, and whether it ends."
            .to_owned(),
        _ => "If people do see the page, look for a rule or a fault between them and us; then scan again.".to_owned(),
    });
    finding.evidence = readings(failed);
    out.find(finding);
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}
