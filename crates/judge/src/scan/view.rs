//! The home page as each identity was given it, and whether they were treated alike.

use agents::{Catalogue, Role as CatalogueRole};
use contract::evidence::{Evidence, FailureKind, Outcome, Reading, Target};
use contract::ratio::Ratio;
use contract::records::{
    AccessConflict, AgentRow, AgentView, Role, RowCause, Split, SplitEvidence,
};
use declared::robots::{Robots, Scope};

use super::pages::Pages;
use super::repro;
use crate::Bodies;
use crate::rulepack::Rulepack;
use crate::similarity::similarity;

pub(super) fn view(
    evidence: &Evidence,
    pages: &Pages,
    catalogue: &Catalogue,
    bodies: &dyn Bodies,
    rules: &Rulepack,
) -> AgentView {
    let home: Vec<&Reading> =
        evidence.reads.iter().filter(|reading| reading.target == Target::Home).collect();
    let browser = catalogue.the(CatalogueRole::Browser).map(|identity| identity.id.as_str());
    let mut of_browser = home.iter().filter(|reading| Some(reading.identity.as_str()) == browser);
    let yardstick = of_browser.next().and_then(|reading| served_words(reading, pages));
    let again = of_browser.next().and_then(|reading| served_words(reading, pages));
    let self_similarity = yardstick.as_ref().zip(again.as_ref()).map(|(a, b)| similarity(a, b));

    let rows: Vec<AgentRow> = catalogue
        .compared()
        .map(|identity| {
            let reading = home.iter().find(|reading| reading.identity == identity.id);
            row(identity, reading.copied(), yardstick.as_deref(), pages)
        })
        .collect();

    let split = split(&rows, self_similarity, rules);
    let ai = || rows.iter().filter(|row| is_ai(row));
    let asked = ai().filter(|row| is_measured(row)).count();
    AgentView {
        deterministic: yardstick.as_ref().zip(again.as_ref()).map(|(a, b)| a == b),
        self_similarity: self_similarity.and_then(Ratio::new),
        all_refused: (asked > 0)
            .then(|| ai().filter(|row| is_measured(row)).all(|row| !is_served(row))),
        answer_word_share: word_share(&rows),
        claims_unverified: true,
        evidence: home.iter().map(|reading| reading.id.clone()).collect(),
        conflicts: conflicts(evidence, &rows, catalogue, bodies),
        split: split.0,
        split_evidence: split.1,
        rows,
    }
}

fn row(
    identity: &agents::Identity,
    reading: Option<&Reading>,
    yardstick: Option<&[&str]>,
    pages: &Pages,
) -> AgentRow {
    let exchange = reading.map(|reading| &reading.exchange);
    let response = exchange.and_then(|exchange| exchange.response());
    // Of a body that did not come to its end nothing is counted or compared.
    let whole = response.filter(|response| response.body.cut.is_none());
    let words = whole.and_then(|response| pages.words(&response.body.sha256));
    let served = whole.is_some_and(|response| (200..300).contains(&response.status));
    let moved = exchange.zip(response).filter(|(exchange, response)| exchange.url != response.url);
    AgentRow {
        id: identity.id.clone(),
        label: identity.label.clone(),
        role: match identity.role {
            CatalogueRole::Browser => Role::Browser,
            CatalogueRole::Train => Role::Train,
            CatalogueRole::Search => Role::Search,
            CatalogueRole::User => Role::User,
            CatalogueRole::Control | CatalogueRole::Own => Role::Control,
        },
        user_agent: identity.user_agent.clone(),
        status: response.map(|response| response.status),
        bytes: response.map(|response| response.body.bytes),
        words: words.as_ref().map(|words| super::count(words.len())),
        xrobots: response
            .map(|response| response.headers_named("x-robots-tag").collect::<Vec<_>>().join(", "))
            .filter(|value| !value.is_empty()),
        redirected_to: moved.map(|(_, response)| response.url.clone()),
        final_url: response.map(|response| response.url.clone()),
        blocker: None,
        vendor: None,
        repro: exchange.map(repro::curl).unwrap_or_default(),
        similarity: yardstick
            .zip(words.as_deref())
            .filter(|_| served)
            .and_then(|(one, other)| Ratio::new(similarity(one, other))),
        cause: cause(reading),
        body_sha256: response.map(|response| response.body.sha256.clone()),
        error: exchange.and_then(|exchange| match &exchange.outcome {
            Outcome::Failed(failure) => Some(failure.clone()),
            Outcome::Response(response) => response.body.cut.clone(),
        }),
        reading: reading.map(|reading| reading.id.clone()),
    }
}

/// What the answer was, by its status alone: whose wall it is comes from contrast and marks.
fn cause(reading: Option<&Reading>) -> RowCause {
    let Some(reading) = reading else { return RowCause::NotRead };
    let response = match &reading.exchange.outcome {
        Outcome::Response(response) => response,
        Outcome::Failed(failure) => {
            let heard = reading.exchange.hops.iter().any(|hop| hop.status.is_some());
            return match failure.kind {
                _ if heard => RowCause::Incomplete,
                FailureKind::RefusedByPolicy => RowCause::NotRead,
                _ => RowCause::Unreachable,
            };
        }
    };
    match response.status {
        200..=299 if response.body.cut.is_some() => RowCause::Incomplete,
        200..=299 => RowCause::Served,
        401 | 403 | 406 | 451 => RowCause::Refused,
        402 => RowCause::PaymentRequired,
        429 => RowCause::RateLimited,
        500..=599 => RowCause::ServerError,
        _ => RowCause::OtherStatus,
    }
}

fn served_words<'a>(reading: &Reading, pages: &'a Pages) -> Option<Vec<&'a str>> {
    let response = reading.exchange.response().filter(|response| response.body.cut.is_none())?;
    (200..300).contains(&response.status).then(|| pages.words(&response.body.sha256))?
}

pub(super) fn is_ai(row: &AgentRow) -> bool {
    matches!(row.role, Role::Train | Role::Search | Role::User)
}

pub(super) fn is_served(row: &AgentRow) -> bool {
    row.cause == RowCause::Served
}

/// Whether the row shows how the identity is treated. A read that failed or broke off does not.
pub(super) fn is_measured(row: &AgentRow) -> bool {
    !matches!(row.cause, RowCause::NotRead | RowCause::Unreachable | RowCause::Incomplete)
}

/// The least likeness at which a text still is the browser's: what the browser itself gets when it
/// asks twice, less a margin.
fn least_alike(self_similarity: Option<f64>, rules: &Rulepack) -> f64 {
    self_similarity.unwrap_or(1.0) * f64::from(rules.other_text_below_percent) / 100.0
}

/// Whether a served identity was given the browser's page. Nothing when that cannot be told: the
/// browser was given no text to compare with.
pub(super) fn has_the_page(row: &AgentRow, view: &AgentView, rules: &Rulepack) -> Option<bool> {
    if !is_served(row) {
        return Some(false);
    }
    let browser = view.rows.iter().find(|row| row.role == Role::Browser)?;
    if is_served(browser) && browser.words == Some(0) {
        return None;
    }
    match row.similarity {
        Some(alike) => {
            Some(alike.get() >= least_alike(view.self_similarity.map(Ratio::get), rules))
        }
        None => Some(row.words > Some(0)),
    }
}

/// Whether AI identities were treated otherwise than the browser. Without a served browser there is
/// nothing to hold them against; a read that failed on the network shows nothing either.
fn split(
    rows: &[AgentRow],
    self_similarity: Option<f64>,
    rules: &Rulepack,
) -> (Split, Option<SplitEvidence>) {
    let Some(browser) =
        rows.iter().find(|row| row.role == Role::Browser).filter(|row| is_served(row))
    else {
        return (Split::NotMeasured, None);
    };
    let ai: Vec<&AgentRow> = rows.iter().filter(|row| is_ai(row) && is_measured(row)).collect();
    if ai.is_empty() {
        return (Split::NotMeasured, None);
    }
    let control = rows.iter().find(|row| row.role == Role::Control && is_measured(row));
    let evidence = |others: &[&AgentRow], what: &str, control_too: bool| SplitEvidence {
        identities: others.iter().map(|row| row.id.clone()).collect(),
        detail: format!(
            "The browser was served. {} of {} AI identities {what}; the unnamed control {}.",
            others.len(),
            ai.len(),
            match control {
                None => "did not get an answer",
                Some(_) if control_too => "fared as they did",
                Some(_) => "fared as the browser did",
            },
        ),
        readings: std::iter::once(browser)
            .chain(others.iter().copied())
            .chain(control)
            .filter_map(|row| row.reading.clone())
            .collect(),
    };

    let refused: Vec<&AgentRow> = ai.iter().copied().filter(|row| !is_served(row)).collect();
    if !refused.is_empty() {
        let control_too = control.is_some_and(|row| !is_served(row));
        return (Split::Refused, Some(evidence(&refused, "were not", control_too)));
    }
    let least = least_alike(self_similarity, rules);
    let differs = |row: &AgentRow| row.similarity.as_ref().is_some_and(|s| s.get() < least);
    let other: Vec<&AgentRow> = ai.iter().copied().filter(|row| differs(row)).collect();
    if other.is_empty() {
        return (Split::None, None);
    }
    let control_too = control.is_some_and(differs);
    (Split::Content, Some(evidence(&other, "were given another text", control_too)))
}

/// The words AI identities were given for each word of the browser, on average.
fn word_share(rows: &[AgentRow]) -> Option<Ratio> {
    let browser = rows.iter().find(|row| row.role == Role::Browser && is_served(row))?.words?;
    let given: Vec<u32> = rows
        .iter()
        .filter(|row| is_ai(row) && is_measured(row))
        .map(|row| if is_served(row) { row.words.unwrap_or(0) } else { 0 })
        .collect();
    if browser == 0 || given.is_empty() {
        return None;
    }
    let mean = given.iter().map(|words| f64::from(*words)).sum::<f64>() / given.len() as f64;
    Ratio::new(mean / f64::from(browser))
}

/// Where robots.txt and what was served do not fit, in both directions.
fn conflicts(
    evidence: &Evidence,
    rows: &[AgentRow],
    catalogue: &Catalogue,
    bodies: &dyn Bodies,
) -> Vec<AccessConflict> {
    let Some((reading, robots)) = declared_policy(evidence, bodies) else { return Vec::new() };
    rows.iter()
        .filter(|row| is_ai(row) && is_measured(row))
        .filter_map(|row| {
            let token = catalogue.get(&row.id)?.robots_token.as_deref()?;
            let access = robots.access(token, "/");
            let served = is_served(row);
            // A general permission says little about one crawler; only a named one is a promise.
            let promised = access.allowed && access.scope == Scope::Named;
            let clash = (!access.allowed && served) || (promised && !served);
            clash.then(|| AccessConflict {
                identity: row.id.clone(),
                declared: match (access.allowed, access.line) {
                    (true, Some(line)) => format!("allowed by line {line} of robots.txt"),
                    (true, None) => "allowed by a robots.txt group of its own".to_owned(),
                    (false, Some(line)) => format!("disallowed by line {line} of robots.txt"),
                    (false, None) => "disallowed by robots.txt".to_owned(),
                },
                served: match row.status {
                    Some(status) => format!("answered {status}"),
                    None => "not answered".to_owned(),
                },
                why: if served {
                    "A crawler that honours robots.txt stays away; one that does not is served."
                } else {
                    "The policy file invites a crawler that the server turns away. A copy of its name \
                     from our network was refused; the crawler itself may be treated otherwise."
                }
                .to_owned(),
                evidence: std::iter::once(reading.id.clone()).chain(row.reading.clone()).collect(),
            })
        })
        .collect()
}

/// robots.txt as it was served, when it is a policy at all.
fn declared_policy<'a>(
    evidence: &'a Evidence,
    bodies: &dyn Bodies,
) -> Option<(&'a Reading, Robots)> {
    let reading = evidence.reads.iter().rfind(|reading| reading.target == Target::Robots)?;
    let response = reading.exchange.response()?;
    let body = bodies.body(&response.body.sha256)?;
    let policy = (200..300).contains(&response.status) && !declared::shape::looks_like_html(body);
    policy.then(|| (reading, Robots::parse(body)))
}
