//! The home page as each identity was given it, and whether they were treated alike.

use agents::Role as CatalogueRole;
use contract::evidence::{FailureKind, Outcome, Reading, Target};
use contract::ratio::{Quotient, Ratio};
use contract::records::{
    AgentRow, AgentView, EquivalenceVerdict, Role, RowCause, Split, SplitEvidence,
};

use super::conflicts::conflicts;
use super::look::{Look, Sheet, is_success};
use super::served::{browser, is_ai, is_measured, is_served, readings};
use super::{compare, repro};
use crate::walls::contrast::{self, contrast};
use crate::walls::{Wall, WallKind, Walls};

pub(super) fn view(look: &Look<'_>) -> AgentView {
    let home: Vec<&Reading> = look.reads(Target::Home).collect();
    let mut of_browser =
        home.iter().filter(|reading| reading.identity == look.browser_id()).map(|r| page(look, r));
    let yardstick = of_browser.next().flatten();
    let again = of_browser.next().flatten();
    let noise = yardstick.zip(again).map(|(one, other)| compare::alike(one, other));

    let likely = home
        .iter()
        .find(|reading| reading.identity == look.browser_id())
        .and_then(|reading| wall(look, reading))
        .map(|wall| wall.kind);
    let yard = Yardstick { sheet: yardstick, again, noise, likely };
    let mut rows: Vec<AgentRow> =
        look.catalogue
            .compared()
            .filter_map(|identity| {
                let reading = home.iter().find(|reading| reading.identity == identity.id);
                // Whom a shorter reading was never to ask as, it says nothing about.
                let planned = reading.is_some()
                    || look.evidence.not_read.iter().any(|unread| {
                        unread.target == Target::Home && unread.identity == identity.id
                    });
                planned.then(|| row(look, identity, reading.copied(), &yard))
            })
            .collect();

    dropped(&mut rows);
    busy(&mut rows);
    let (split, split_evidence) = split(&rows);
    let aimed = aimed_at(look, &rows);
    let ai = || rows.iter().filter(|row| is_ai(row) && is_measured(row));
    AgentView {
        deterministic: yardstick.zip(again).map(|(one, other)| one.page.text == other.page.text),
        self_similarity: noise.and_then(Ratio::new),
        all_refused: (ai().count() > 0).then(|| ai().all(|row| !is_served(row))),
        answer_word_share: word_share(&rows),
        claims_unverified: true,
        evidence: home.iter().map(|reading| reading.id.clone()).collect(),
        conflicts: conflicts(look, &rows),
        aimed_at: aimed.cause.as_str().to_owned(),
        aimed_at_why: aimed.sentence,
        vendors_present: vendors_present(&home),
        split,
        split_evidence,
        rows,
    }
}

/// What the browser was given, and how alike its two readings are.
struct Yardstick<'a> {
    sheet: Option<&'a Sheet>,
    again: Option<&'a Sheet>,
    noise: Option<f64>,
    /// The wall that its page may be.
    likely: Option<WallKind>,
}

/// The page an identity was given in full. A wall is not the page.
fn page<'a>(look: &'a Look<'_>, reading: &Reading) -> Option<&'a Sheet> {
    let response = reading.exchange.response().filter(|response| is_success(response))?;
    if wall(look, reading).is_some_and(|wall| wall.certain) {
        return None;
    }
    look.page(response)
}

/// What stands in the page's place, if something does.
fn wall(look: &Look<'_>, reading: &Reading) -> Option<Wall> {
    look.wall(reading.exchange.response()?)
}

/// A connection that is dropped says nothing by itself. Dropped for every AI identity, and for nobody
/// else, it is a refusal.
fn dropped(rows: &mut [AgentRow]) {
    let others_served =
        rows.iter().filter(|row| !is_ai(row)).all(|row| row.cause == RowCause::Served);
    let cut_off = |row: &AgentRow| {
        row.cause == RowCause::Unreachable
            && row.error.as_ref().is_some_and(|error| {
                matches!(error.kind, FailureKind::Connect | FailureKind::Protocol)
            })
    };
    let all = rows.iter().filter(|row| is_ai(row)).all(cut_off);
    if !(others_served && all) {
        return;
    }
    for row in rows.iter_mut().filter(|row| is_ai(row)) {
        row.cause = RowCause::Refused;
        row.equivalence = EquivalenceVerdict::NotServed;
        row.blocker = Some(WallKind::Block.as_str().to_owned());
        row.blocker_marks =
            vec!["the connection is dropped for every AI identity and for nobody else".to_owned()];
    }
}

/// A limit or an error that some of a kind meet and others do not may come of our asking side by side.
/// Only where every AI identity meets it, and nobody else, is it a way of treating them.
fn busy(rows: &mut [AgentRow]) {
    let is_busy =
        |row: &AgentRow| matches!(row.cause, RowCause::RateLimited | RowCause::ServerError);
    let all_alike = rows.iter().filter(|row| is_ai(row)).all(is_busy)
        && rows.iter().filter(|row| !is_ai(row)).all(is_served);
    let everybody = rows.iter().all(is_busy);
    if all_alike || everybody {
        return;
    }
    for row in rows.iter_mut().filter(|row| is_busy(row)) {
        row.cause = RowCause::Busy;
        row.equivalence = EquivalenceVerdict::Unmeasured;
    }
}

/// Whom the refusals are aimed at. That some AI identities met a busy or broken server while another
/// was served shows no rule: which of them it was may be chance.
fn aimed_at(look: &Look<'_>, rows: &[AgentRow]) -> contrast::Contrast {
    let chance = |row: &AgentRow| row.cause == RowCause::Busy;
    let fared: Vec<contrast::Row<'_>> = rows
        .iter()
        .filter_map(|row| {
            let identity = look.catalogue.get(&row.id)?;
            Some(contrast::Row {
                label: &row.label,
                role: identity.role,
                operator: identity.operator.as_deref(),
                served: is_measured(row).then(|| is_served(row)),
            })
        })
        .collect();
    let mut told = contrast(&fared);
    if told.cause == contrast::Cause::None && rows.iter().any(|row| is_ai(row) && chance(row)) {
        "Some AI identities met a busy or broken server and others were served: that shows no rule against anybody."
            .clone_into(&mut told.sentence);
    }
    told
}

fn vendors_present(home: &[&Reading]) -> Vec<String> {
    let mut vendors: Vec<String> = home
        .iter()
        .filter_map(|reading| reading.exchange.response())
        .flat_map(|response| Walls::built_in().vendors_present(response))
        .collect();
    vendors.sort();
    vendors.dedup();
    vendors
}

fn row(
    look: &Look<'_>,
    identity: &agents::Identity,
    reading: Option<&Reading>,
    yardstick: &Yardstick<'_>,
) -> AgentRow {
    let exchange = reading.map(|reading| &reading.exchange);
    let response = exchange.and_then(|exchange| exchange.response());
    let wall = reading.and_then(|reading| wall(look, reading)).filter(|wall| {
        // A likely wall under a success status is one only where the browser was given another page.
        let success = response.is_some_and(is_success);
        let same = response
            .and_then(|response| look.page(response))
            .zip(yardstick.sheet)
            .is_some_and(|(given, yard)| given.page.text == yard.page.text);
        // The browser's may be the same wall with another number on it: then all fared alike.
        let alike = same || yardstick.likely == Some(wall.kind);
        wall.certain || !success || (yardstick.sheet.is_some() && !alike)
    });
    let cause = walled(cause(reading), wall.as_ref());
    // Of a body that did not come to its end nothing is counted or compared.
    let read = response.and_then(|response| look.page(response));
    let served = read.filter(|_| cause == RowCause::Served);
    let likeness = served
        .zip(yardstick.sheet)
        .map(|(sheet, yard)| compare::likeness(sheet, yard, yardstick.again));
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
        words: read.map(|sheet| sheet.words),
        xrobots: response
            .map(|response| response.headers_named("x-robots-tag").collect::<Vec<_>>().join(", "))
            .filter(|value| !value.is_empty())
            .map(|value| super::shown(&value, 300)),
        redirected_to: moved.map(|(_, response)| response.url.clone()),
        final_url: response.map(|response| response.url.clone()),
        blocker: wall.as_ref().map(|wall| wall.kind.as_str().to_owned()),
        vendor: wall.as_ref().and_then(|wall| wall.vendor.clone()),
        blocker_marks: wall
            .iter()
            .flat_map(|wall| wall.marks.iter().map(|mark| super::shown(mark, 160)))
            .collect(),
        price: wall.as_ref().and_then(|wall| wall.price.as_deref()).map(|p| super::shown(p, 120)),
        repro: exchange.map(repro::curl).unwrap_or_default(),
        similarity: likeness.and_then(|likeness| Ratio::new(likeness.alike)),
        containment: likeness.and_then(|likeness| Ratio::new(likeness.contained)),
        text_ratio: likeness.and_then(|likeness| Quotient::new(likeness.ratio)),
        equivalence: match cause {
            RowCause::Challenge => EquivalenceVerdict::Challenged,
            RowCause::Served => likeness.map_or(EquivalenceVerdict::Unmeasured, |likeness| {
                compare::verdict(&likeness, yardstick.noise, look.rules)
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

/// What a wall makes of an answer.
fn walled(cause: RowCause, wall: Option<&Wall>) -> RowCause {
    let told = !matches!(cause, RowCause::NotRead | RowCause::Unreachable | RowCause::Incomplete);
    let Some(wall) = wall.filter(|_| told) else { return cause };
    match wall.kind {
        WallKind::Challenge | WallKind::Captcha => RowCause::Challenge,
        WallKind::Payment => RowCause::PaymentRequired,
        WallKind::RateLimit => RowCause::RateLimited,
        WallKind::Block | WallKind::Login | WallKind::Legal => RowCause::Refused,
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
