//! The home page as each identity was given it, and whether they were treated alike.

use agents::Role as CatalogueRole;
use contract::evidence::{FailureKind, Outcome, Reading, Target};
use contract::ratio::{Quotient, Ratio};
use contract::records::{
    AgentRow, AgentView, EquivalenceVerdict, Role, RowCause, Split, SplitEvidence,
};
use declared::page::Page;

use super::conflicts::conflicts;
use super::look::{Look, is_success};
use super::served::{browser, is_ai, is_measured, is_served, readings};
use super::{compare, repro};

pub(super) fn view(look: &Look<'_>) -> AgentView {
    let home: Vec<&Reading> = look.reads(Target::Home).collect();
    let mut of_browser =
        home.iter().filter(|reading| reading.identity == look.browser_id()).map(|r| page(look, r));
    let yardstick = of_browser.next().flatten();
    let again = of_browser.next().flatten();
    let noise = yardstick.zip(again).map(|(one, other)| compare::alike(one, other));

    let rows: Vec<AgentRow> = look
        .catalogue
        .compared()
        .map(|identity| {
            let reading = home.iter().find(|reading| reading.identity == identity.id);
            row(look, identity, reading.copied(), yardstick, noise)
        })
        .collect();

    let (split, split_evidence) = split(&rows);
    let ai = || rows.iter().filter(|row| is_ai(row) && is_measured(row));
    AgentView {
        deterministic: yardstick.zip(again).map(|(one, other)| one.text == other.text),
        self_similarity: noise.and_then(Ratio::new),
        all_refused: (ai().count() > 0).then(|| ai().all(|row| !is_served(row))),
        answer_word_share: word_share(&rows),
        claims_unverified: true,
        evidence: home.iter().map(|reading| reading.id.clone()).collect(),
        conflicts: conflicts(look, &rows),
        aimed_at: String::new(),
        aimed_at_why: String::new(),
        vendors_present: Vec::new(),
        split,
        split_evidence,
        rows,
    }
}

/// The page an identity was given in full.
fn page<'a>(look: &'a Look<'_>, reading: &Reading) -> Option<&'a Page> {
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    look.page(response)
}

fn row(
    look: &Look<'_>,
    identity: &agents::Identity,
    reading: Option<&Reading>,
    yardstick: Option<&Page>,
    noise: Option<f64>,
) -> AgentRow {
    let exchange = reading.map(|reading| &reading.exchange);
    let response = exchange.and_then(|exchange| exchange.response());
    let cause = cause(reading);
    // Of a body that did not come to its end nothing is counted or compared.
    let read = response.and_then(|response| look.page(response));
    let served = read.filter(|_| cause == RowCause::Served);
    let likeness = served.zip(yardstick).map(|(page, yard)| compare::likeness(page, yard));
    let moved = exchange.zip(response).filter(|(exchange, response)| exchange.url != response.url);
    let dialled = exchange.and_then(|exchange| exchange.hops.last());
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
        words: read.map(|page| super::count(page.words().count())),
        xrobots: response
            .map(|response| response.headers_named("x-robots-tag").collect::<Vec<_>>().join(", "))
            .filter(|value| !value.is_empty())
            .map(|value| super::shown(&value, 300)),
        redirected_to: moved.map(|(_, response)| response.url.clone()),
        final_url: response.map(|response| response.url.clone()),
        blocker: None,
        vendor: None,
        blocker_marks: Vec::new(),
        price: None,
        repro: exchange.map(repro::curl).unwrap_or_default(),
        similarity: likeness.and_then(|likeness| Ratio::new(likeness.alike)),
        containment: likeness.and_then(|likeness| Ratio::new(likeness.contained)),
        text_ratio: likeness.and_then(|likeness| Quotient::new(likeness.ratio)),
        equivalence: match cause {
            RowCause::Challenge => EquivalenceVerdict::Challenged,
            RowCause::Served => likeness.map_or(EquivalenceVerdict::Unmeasured, |likeness| {
                compare::verdict(&likeness, noise, look.rules)
            }),
            RowCause::NotRead | RowCause::Unreachable | RowCause::Incomplete => {
                EquivalenceVerdict::Unmeasured
            }
            _ => EquivalenceVerdict::NotServed,
        },
        instruction_like_text: None,
        cause,
        asked_at: exchange.map(|exchange| exchange.started_at),
        ms: exchange.map(|exchange| exchange.took_ms),
        http: response.map(|response| response.http.clone()),
        address: dialled.and_then(|hop| hop.address.clone()),
        body_sha256: response.map(|response| response.body.sha256.clone()),
        error: exchange.and_then(|exchange| match &exchange.outcome {
            Outcome::Failed(failure) => Some(failure.clone()),
            Outcome::Response(response) => response.body.cut.clone(),
        }),
        reading: reading.map(|reading| reading.id.clone()),
    }
}

/// What the answer was, by its status.
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

/// Whether AI identities were treated otherwise than the browser. Without a served browser there is
/// nothing to hold them against; a read that failed on the network shows nothing either.
fn split(rows: &[AgentRow]) -> (Split, Option<SplitEvidence>) {
    let Some(browser) = browser(rows).filter(|row| is_served(row)) else {
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
            "The browser was given the page. {} of {} AI identities {what}; the unnamed control {}.",
            others.len(),
            ai.len(),
            match control {
                None => "did not get an answer",
                Some(_) if control_too => "fared as they did",
                Some(_) => "fared as the browser did",
            },
        ),
        readings: readings(std::iter::once(browser).chain(others.iter().copied()).chain(control)),
    };

    let kept_out: Vec<&AgentRow> = ai.iter().copied().filter(|row| !is_served(row)).collect();
    if !kept_out.is_empty() {
        let with = |cause: RowCause| kept_out.iter().filter(|row| row.cause == cause).count();
        let (challenged, tolled) = (with(RowCause::Challenge), with(RowCause::PaymentRequired));
        let refused = kept_out.len() - challenged - tolled;
        let (split, what) = if refused >= challenged.max(tolled) {
            (Split::Refused, "were turned away")
        } else if challenged >= tolled {
            (Split::Challenged, "were asked to prove that they are people")
        } else {
            (Split::Payment, "were asked to pay")
        };
        let control_too = control.is_some_and(|row| !is_served(row));
        return (split, Some(evidence(&kept_out, what, control_too)));
    }
    let differs = |row: &AgentRow| {
        matches!(
            row.equivalence,
            EquivalenceVerdict::Different
                | EquivalenceVerdict::Reduced
                | EquivalenceVerdict::Augmented
        )
    };
    let other: Vec<&AgentRow> = ai.iter().copied().filter(|row| differs(row)).collect();
    if other.is_empty() {
        return (Split::None, None);
    }
    let control_too = control.is_some_and(differs);
    (Split::Content, Some(evidence(&other, "were given another text", control_too)))
}

/// The words AI identities were given for each word of the browser, on average.
fn word_share(rows: &[AgentRow]) -> Option<Ratio> {
    let words = browser(rows).filter(|row| is_served(row))?.words?;
    let given: Vec<u32> = rows
        .iter()
        .filter(|row| is_ai(row) && is_measured(row))
        .map(|row| if is_served(row) { row.words.unwrap_or(0) } else { 0 })
        .collect();
    if words == 0 || given.is_empty() {
        return None;
    }
    let mean = given.iter().map(|words| f64::from(*words)).sum::<f64>() / given.len() as f64;
    Ratio::new(mean / f64::from(words))
}
