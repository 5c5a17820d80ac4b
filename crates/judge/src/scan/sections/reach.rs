//! Whether AI crawlers of each purpose get the page.

use contract::evidence::FailurePhase;
use contract::records::{AgentRow, Finding, Role, RowCause, Severity};
use contract::text::unblock_guides::{general_unblock_guide, has_unblock_guide, unblock_guides};

use super::gates;
use super::inputs::SectionInputs;
use super::policy;
use crate::scan::agent_rows::{browser_row, is_ai, is_measured, is_served, reading_ids};
use crate::scan::convert::saturating_u32;
use crate::scan::declared_access::is_declared_unwanted;
use crate::scan::parsed_evidence::has_any_response;
use crate::scan::verdicts::{RuleOutcome, Verdicts, finding_for_rule, unscored_finding};

const PURPOSES: [(Role, &str, &str); 3] = [
    (Role::Train, "reach.training", "training crawlers"),
    (Role::Search, "reach.search", "AI search crawlers"),
    (Role::User, "reach.user", "AI assistants fetching for a user"),
];

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let rows = &inputs.view.rows;
    let browser_row = browser_row(rows);
    if !browser_row.is_some_and(is_served) {
        let why = match browser_row {
            Some(row) if gates::is_gated(row) => {
                "The browser got a page that stands in for the content, so there is nothing to compare the AI crawlers with."
            }
            Some(row) if is_measured(row) => {
                "The browser did not get the page either, so there is nothing to compare the AI crawlers with."
            }
            _ => "The browser request failed, so there is nothing to compare the AI crawlers with.",
        };
        for (_, rule, _) in PURPOSES {
            verdicts.add_not_assessed(rule, why);
        }
        if gates::report_gate_for_everybody(inputs, verdicts) {
            return;
        }
        report_nobody_served(inputs, verdicts);
        report_browser_blocked(inputs, verdicts);
        report_home_unreadable(inputs, verdicts);
        return;
    }
    gates::report_stalls(inputs, verdicts);
    let mut kept_out = Vec::new();
    for (role, rule, who) in PURPOSES {
        let measured: Vec<&AgentRow> =
            rows.iter().filter(|row| row.role == role && is_measured(row)).collect();
        if measured.is_empty() {
            verdicts.add_not_assessed(rule, format!("None of the {who} received an answer."));
            continue;
        }
        // A crawler that robots.txt disallows is unwanted. Refusing it is consistent.
        let asked: Vec<&AgentRow> = measured
            .iter()
            .copied()
            .filter(|row| !is_declared_unwanted(inputs.parsed, row))
            .collect();
        if asked.is_empty() {
            verdicts.add_not_applicable(
                rule,
                format!(
                    "robots.txt disallows all {who} that we tested, so they are not expected to read the page. The rule \
                     for openness counts what this costs."
                ),
            );
            continue;
        }
        let served = asked.iter().filter(|row| is_served(row)).count();
        let unwanted = match measured.len() - asked.len() {
            0 => String::new(),
            1 => " One more is disallowed by robots.txt and not counted.".to_owned(),
            many => format!(" {many} more are disallowed by robots.txt and not counted."),
        };
        let why = format!("{served} of {} {who} got the page.{unwanted}", asked.len());
        let outcome =
            RuleOutcome::Share { got: saturating_u32(served), of: saturating_u32(asked.len()) };
        let evidence = reading_ids(asked.iter().copied().chain(browser_row));
        verdicts.add_ruling(rule, outcome, why, evidence);
        if served < asked.len() {
            verdicts.add_finding(blocked_finding(inputs, rule, who, &asked));
        }
        kept_out.push(PurposeResult { role, who, asked, served, measured: measured.len() });
    }
    add_caps(inputs, &kept_out, verdicts);
}

/// How the crawlers of one purpose that robots.txt does not disallow were treated.
struct PurposeResult<'a> {
    role: Role,
    who: &'static str,
    asked: Vec<&'a AgentRow>,
    served: usize,
    /// All crawlers of the purpose that received an answer, with those that robots.txt disallows.
    measured: usize,
}

/// The finding for one purpose: which crawlers did not get the page, how, and by which vendor if known.
fn blocked_finding(
    inputs: &SectionInputs<'_>,
    rule: &'static str,
    who: &str,
    asked: &[&AgentRow],
) -> Finding {
    let blocked: Vec<&AgentRow> = asked.iter().copied().filter(|row| !is_served(row)).collect();
    let first = blocked.first().map(|row| &row.cause);
    let all = |cause: RowCause| blocked.iter().all(|row| row.cause == cause);
    let severity = match (2 * blocked.len() >= asked.len(), rule) {
        (true, "reach.training") => Severity::Medium,
        (true, _) => Severity::High,
        (false, _) => Severity::Medium,
    };
    let mut finding =
        finding_for_rule(inputs.parsed.rules, rule, &format!("kept_out:{rule}"), severity);
    let mut vendors: Vec<&str> = blocked.iter().filter_map(|row| row.vendor.as_deref()).collect();
    vendors.sort_unstable();
    vendors.dedup();
    let by = if vendors.is_empty() {
        String::new()
    } else {
        format!(" (vendor recognised: {})", vendors.join(" and "))
    };
    let (title, fix) = if all(RowCause::PaymentRequired) {
        (
            "are asked to pay",
            "If you want crawlers to pay, state it in robots.txt or an RSL licence so that they know before they \
             request pages. If not, switch off pay per crawl in your CDN, or exempt these crawlers.",
        )
    } else if all(RowCause::Challenge) {
        (
            "get a challenge instead of the page",
            "Crawlers cannot pass a challenge. In the bot settings of your CDN, add a rule that skips challenges for \
             these verified crawlers, or for the pages they should read.",
        )
    } else if all(RowCause::RateLimited) {
        (
            "are rate limited",
            "Raise the rate limit for these crawlers, or send a Retry-After header with the 429 answer.",
        )
    } else if all(RowCause::ServerError) {
        (
            "get a server error",
            "Check the server log for these user agents. An error that only they get usually comes from a rule or a \
             template that does not handle them.",
        )
    } else {
        gates::describe_gated(&blocked).unwrap_or((
            "are blocked",
            "If this is not intended, find the rule that matches these user agents: first in your CDN's bot \
             settings (many block AI crawlers by default), then in the web server and in plug-ins. If it is \
             intended, also disallow them in robots.txt.",
        ))
    };
    finding.title = format!("{} {title}", capitalise(who));
    let answers: Vec<String> =
        blocked.iter().map(|row| format!("{} {}", row.label, describe_answer(row))).collect();
    finding.seen = format!(
        "The browser got the page. {} of {} {who} did not{by}: {}. {}",
        blocked.len(),
        asked.len(),
        answers.join("; "),
        inputs.view.aimed_at_why
    )
    .trim_end()
    .to_owned();
    finding.fix = Some(fix.to_owned());
    if matches!(first, Some(RowCause::Refused | RowCause::Challenge)) {
        add_unblock_guide(&mut finding, inputs, &vendors, &blocked);
    }
    finding.evidence =
        reading_ids(browser_row(&inputs.view.rows).into_iter().chain(blocked.iter().copied()));
    finding
}

/// Steps for the product that was recognised, and a text to copy that lets these crawlers in. A text that keeps
/// them out is never offered here.
fn add_unblock_guide(
    finding: &mut Finding,
    inputs: &SectionInputs<'_>,
    vendors: &[&str],
    blocked: &[&AgentRow],
) {
    let tokens: Vec<&str> = blocked
        .iter()
        .filter_map(|row| inputs.parsed.catalogue.get(&row.id)?.robots_token.as_deref())
        .collect();
    let present: Vec<&str> = inputs.view.vendors_present.iter().map(String::as_str).collect();
    // A product that is only present counts if none is known to have refused.
    let refusing = if vendors.is_empty() { &present } else { vendors };
    let known = refusing.iter().copied().find(|name| has_unblock_guide(name));
    let guide = match (known, refusing.first()) {
        (Some(known), _) => unblock_guides(&[known], &tokens).into_iter().next(),
        (None, Some(vendor)) => Some(general_unblock_guide(Some(vendor))),
        // Without a sign of a product, the general advice stays.
        (None, None) => None,
    };
    let Some(guide) = guide else { return };
    finding.fix = Some(format!("To let them in with {}: {}", guide.name, guide.steps.join(" ")));
    finding.paste = guide.copy.map(|(_, text)| format!("{text}\n"));
}

fn describe_answer(row: &AgentRow) -> String {
    let status = row.status.map_or("no answer".to_owned(), |status| status.to_string());
    match (&row.cause, &row.price) {
        (RowCause::PaymentRequired, Some(price)) => format!("({status}, asks {price})"),
        (RowCause::Challenge, _) => format!("({status}, a challenge)"),
        (RowCause::Gated | RowCause::Empty, _) => {
            format!("({status}, {})", row.blocker.as_deref().unwrap_or("a page that stands in"))
        }
        (RowCause::Stalled, _) => "(kept waiting)".to_owned(),
        _ => format!("({status})"),
    }
}

/// By how many points the cap falls below 100 if all crawlers of a purpose are kept out.
const PURPOSE_CAPS: [(Role, f64); 3] =
    [(Role::Train, 20.0), (Role::Search, 35.0), (Role::User, 40.0)];
/// By how many points the cap falls below 100 if all crawlers are kept out, by how they are: asked to
/// pay, challenged, or otherwise refused.
const ALL_TOLLED: f64 = 50.0;
const ALL_CHALLENGED: f64 = 65.0;
const ALL_REFUSED: f64 = 70.0;

/// Adds the caps on the score that follow from the share of crawlers that did not get the page: for the
/// purpose that is kept out most, and for all of them together. Shares are of all crawlers, and what
/// robots.txt closes comes off as well: so a crawler that the file forgets costs its own share, and a
/// site that keeps out more crawlers, in either way, never gets a higher cap.
fn add_caps(inputs: &SectionInputs<'_>, purposes: &[PurposeResult<'_>], verdicts: &mut Verdicts) {
    let asked: Vec<&AgentRow> =
        purposes.iter().flat_map(|purpose| purpose.asked.iter().copied()).collect();
    let blocked: Vec<&AgentRow> = asked.iter().copied().filter(|row| !is_served(row)).collect();
    if blocked.is_empty() {
        return;
    }
    let share = |blocked: usize, of: usize| blocked as f64 / of.max(1) as f64;
    let all = |cause: RowCause| blocked.iter().all(|row| row.cause == cause);
    let (cap, treatment, points) = if all(RowCause::PaymentRequired) {
        ("ai_tolled", "asked to pay", ALL_TOLLED)
    } else if all(RowCause::Challenge) {
        ("ai_challenged", "challenged", ALL_CHALLENGED)
    } else {
        ("ai_refused", "kept out", ALL_REFUSED)
    };
    let all_measured = inputs.view.rows.iter().filter(|row| is_ai(row) && is_measured(row)).count();
    let declared = match inputs.parsed.robots.is_definite() {
        true => policy::closed_points(&inputs.policy.access),
        false => 0.0,
    };
    let crawlers = match (blocked.len(), all_measured) {
        (1, 1) => "The only AI crawler measured is".to_owned(),
        (some, all) if some == all => format!("All {all} AI crawlers are"),
        (1, all) => format!("1 of {all} AI crawlers is"),
        (some, all) => format!("{some} of {all} AI crawlers are"),
    };
    verdicts.add_cap_at(
        cap,
        (100.0 - declared - points * share(blocked.len(), all_measured)).max(0.0).round() as u32,
        format!(
            "{crawlers} {treatment} while the browser gets the page. We sent the requests from our own network under \
             the crawlers' names."
        ),
    );
    for purpose in purposes.iter().filter(|purpose| purpose.served < purpose.asked.len()) {
        let points = PURPOSE_CAPS
            .iter()
            .find_map(|(role, points)| (*role == purpose.role).then_some(*points))
            .unwrap_or_default();
        let blocked = purpose.asked.len() - purpose.served;
        verdicts.add_cap_at(
            "ai_partly",
            (100.0 - points * share(blocked, purpose.measured)).round() as u32,
            format!(
                "{blocked} of {} {} do not get the page, while the browser does.",
                purpose.measured, purpose.who
            ),
        );
    }
}

/// Reports that no identity got the page. There is no baseline to score, but the owner should know.
fn report_nobody_served(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let asked: Vec<&AgentRow> = inputs.view.rows.iter().filter(|row| is_measured(row)).collect();
    if asked.is_empty() || asked.iter().any(|row| is_served(row)) {
        return;
    }
    let answers: Vec<String> =
        asked.iter().map(|row| format!("{} {}", row.label, describe_answer(row))).collect();
    let all = |cause: RowCause| asked.iter().all(|row| row.cause == cause);
    let mut finding = unscored_finding("reach", "all_refused", Severity::High);
    let vendor = asked.iter().find_map(|row| row.vendor.as_deref());
    finding.title = if all(RowCause::Challenge) {
        "Every client gets a challenge, including the browser".to_owned()
    } else if all(RowCause::ServerError) {
        "The home page returns a server error".to_owned()
    } else {
        "No client gets the page, not even the browser".to_owned()
    };
    finding.seen =
        format!("Answers to each client, including the browser: {}.", answers.join("; "));
    finding.why = if all(RowCause::ServerError) {
        "Every client gets a server error, so nothing is known about the page.".to_owned()
    } else {
        format!(
            "Either the site blocks our whole network{}, or it serves no one. Its pages could not be read. Other \
             visitors may get them.",
            vendor.map(|vendor| format!(" (vendor recognised: {vendor})")).unwrap_or_default()
        )
    };
    finding.fix = Some(if all(RowCause::ServerError) {
        "Check the server's error log.".to_owned()
    } else {
        "If other visitors do see the page, check for a rule that blocks our network, or scan from your own network: \
         wayleave scan DOMAIN."
            .to_owned()
    });
    finding.evidence = reading_ids(asked);
    verdicts.add_finding(finding);
}

/// Reports that other identities got the page but the browser did not. There is then no grade, and
/// this finding gives the reason.
fn report_browser_blocked(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let rows = &inputs.view.rows;
    let served: Vec<&AgentRow> = rows.iter().filter(|row| is_served(row)).collect();
    let Some(browser_row) = browser_row(rows).filter(|row| is_measured(row) && !served.is_empty())
    else {
        return;
    };
    let mut finding = unscored_finding("reach", "browser_kept_out", Severity::Medium);
    finding.title = "The browser is blocked while other clients get the page".to_owned();
    let labels: Vec<&str> = served.iter().map(|row| row.label.as_str()).collect();
    finding.seen = format!(
        "The browser request from our network: {}{}. Clients that got the page: {}.",
        describe_answer(browser_row),
        browser_row
            .vendor
            .as_deref()
            .map(|by| format!(", vendor recognised: {by}"))
            .unwrap_or_default(),
        labels.join(", ")
    );
    finding.why = "We compare what crawlers get with what a browser gets. Without a browser reading there is nothing \
                   to compare, so the site has no grade."
        .to_owned();
    finding.fix = Some(
        "If other visitors do see the page, check for a rule that treats browsers in data centres as bots, or \
         scan from your own network: wayleave scan DOMAIN."
            .to_owned(),
    );
    finding.evidence = reading_ids(std::iter::once(browser_row).chain(served));
    verdicts.add_finding(finding);
}

/// Reports why the home page could not be read, if the host answered other requests.
fn report_home_unreadable(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let asked = |row: &&AgentRow| row.reading.is_some() && row.error.is_some();
    let failed: Vec<&AgentRow> = inputs.view.rows.iter().filter(asked).collect();
    if inputs.view.rows.iter().any(is_measured) || !has_any_response(inputs.parsed.evidence) {
        return;
    }
    let Some(error) = failed.first().and_then(|row| row.error.as_ref()) else { return };
    let mut finding = unscored_finding("reach", "home_unread", Severity::High);
    finding.title = "The home page could not be read".to_owned();
    finding.seen = format!("{} ({}: {})", error.detail, error.kind, error.reason);
    finding.why = "We could not read the page, so we cannot assess it. Agents that hit the same problem give up."
        .to_owned();
    finding.fix = Some(match error.phase {
        FailurePhase::Redirect => "Follow the redirects of the home page (curl -sIL) and make sure that they end at a page."
            .to_owned(),
        FailurePhase::Body => "Check the body that the server sends: its length, its encoding, and whether it is complete."
            .to_owned(),
        _ => "If other visitors do see the page, check for a rule or a network fault between us and the site, then scan again.".to_owned(),
    });
    finding.evidence = reading_ids(failed);
    verdicts.add_finding(finding);
}

fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}
