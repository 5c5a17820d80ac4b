//! What each identity got for the home page, and whether all were treated alike.

use agents::Role as CatalogueRole;
use contract::evidence::{ExchangeOutcome, FailureKind, ReadTarget, Reading};
use contract::ratio::{Quotient, Ratio};
use contract::records::{
    AgentRow, AgentView, EquivalenceVerdict, IdentitySplit, Role, RowCause, SplitEvidence,
};
use contract::text::display_safe;

use super::agent_rows::{browser_row, is_ai, is_measured, is_served, reading_ids};
use super::parsed_evidence::{ParsedEvidence, ParsedPage, is_success};
use super::robots_conflicts::find_robots_conflicts;
use super::text_comparison::{TextComparison, served_page};
use super::{page_similarity, stalls};
use crate::rulepack::Rulepack;
use crate::walls::refusal_target::{self, analyse_refusals};
use crate::walls::{Wall, WallDetector, WallKind};

pub(super) fn build_agent_view(
    parsed: &ParsedEvidence<'_>,
    comparison: &TextComparison<'_>,
) -> AgentView {
    let home: Vec<&Reading> = parsed.readings(ReadTarget::Home).collect();
    let mut browser_pages = home
        .iter()
        .filter(|reading| reading.identity == parsed.browser_id())
        .map(|r| served_page(parsed, r));
    let first = browser_pages.next().flatten();
    let again = browser_pages.next().flatten();
    let noise = first.zip(again).map(|(one, other)| page_similarity::similarity(one, other));

    let likely = home
        .iter()
        .find(|reading| reading.identity == parsed.browser_id())
        .and_then(|reading| recognise_wall(parsed, reading))
        .map(|wall| wall.kind);
    let reference = BrowserReference { page: first, wall_kind: likely, comparison };
    let mut rows: Vec<AgentRow> = parsed
        .catalogue
        .compared_identities()
        .filter_map(|identity| {
            let reading = home.iter().find(|reading| reading.identity == identity.id);
            // Identities that this plan did not include get no row.
            let planned = reading.is_some()
                || parsed.evidence.not_read.iter().any(|unread| {
                    unread.target == ReadTarget::Home && unread.identity == identity.id
                });
            planned.then(|| agent_row(parsed, identity, reading.copied(), &reference))
        })
        .collect();

    mark_dropped_as_refused(&mut rows);
    stalls::mark_stalled(parsed.evidence, &mut rows);
    mark_busy(&mut rows);
    let (split, split_evidence) = detect_split(&rows);
    let aimed = find_refusal_target(parsed, &rows);
    let ai = || rows.iter().filter(|row| is_ai(row) && is_measured(row));
    AgentView {
        deterministic: first.zip(again).map(|(one, other)| one.page.text == other.page.text),
        self_similarity: noise.and_then(Ratio::new),
        all_refused: (ai().count() > 0).then(|| ai().all(|row| !is_served(row))),
        answer_word_share: average_word_share(&rows),
        claims_unverified: true,
        evidence: home.iter().map(|reading| reading.id.clone()).collect(),
        conflicts: find_robots_conflicts(parsed, &rows),
        aimed_at: aimed.target.as_str().to_owned(),
        aimed_at_why: aimed.sentence,
        vendors_present: vendors_present(&home),
        variation: comparison.variation.clone(),
        variation_why: comparison.why.clone(),
        trial: comparison.trial.clone(),
        split,
        split_evidence,
        rows,
    }
}

/// The browser's page, which the pages of other identities are compared with.
struct BrowserReference<'a> {
    page: Option<&'a ParsedPage>,
    /// The kind of wall that the browser's page may be.
    wall_kind: Option<WallKind>,
    comparison: &'a TextComparison<'a>,
}

impl BrowserReference<'_> {
    /// How the page of an identity compares with those of people. Only a trial makes it a different
    /// one; a difference that was not tried shows nothing, and one that the trial did not confirm is
    /// the page's own variation.
    fn verdict(
        &self,
        identity: &agents::Identity,
        page: &ParsedPage,
        likeness: &page_similarity::TextSimilarity,
        rules: &Rulepack,
    ) -> EquivalenceVerdict {
        let is_accused = self.comparison.accused.contains_key(&identity.id)
            || (identity.role == CatalogueRole::Control && self.comparison.control_accused);
        if is_accused {
            return page_similarity::difference_verdict(likeness, rules);
        }
        let is_unknown = self.comparison.unconfirmed.contains(&identity.id)
            || self.page.is_some_and(|browser| browser.compared.is_script_shell);
        if self.comparison.matches_people(page) {
            EquivalenceVerdict::Equivalent
        } else if is_unknown {
            EquivalenceVerdict::Unmeasured
        } else {
            EquivalenceVerdict::NotDeterministic
        }
    }
}

/// The wall that a reading shows instead of the page, if any.
pub(super) fn recognise_wall(parsed: &ParsedEvidence<'_>, reading: &Reading) -> Option<Wall> {
    parsed.page_wall(reading.exchange.response()?)
}

/// Counts dropped connections as a refusal if they happen to every AI crawler and to no other client.
/// A single dropped connection shows nothing.
fn mark_dropped_as_refused(rows: &mut [AgentRow]) {
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
        row.blocker_marks = vec![
            "the connection is dropped for every AI crawler and for no other client".to_owned(),
        ];
    }
}

/// Marks rate limits and server errors as busy if only some AI crawlers get them: sending many requests
/// at once may have caused them. They count as treatment only if every AI crawler gets them and no
/// other client does, or if every client does.
fn mark_busy(rows: &mut [AgentRow]) {
    let is_busy =
        |row: &AgentRow| matches!(row.cause, RowCause::RateLimited | RowCause::ServerError);
    let only_ai = rows.iter().filter(|row| is_ai(row)).all(is_busy)
        && rows.iter().filter(|row| !is_ai(row)).all(is_served);
    let everyone = rows.iter().all(is_busy);
    if only_ai || everyone {
        return;
    }
    for row in rows.iter_mut().filter(|row| is_busy(row)) {
        row.cause = RowCause::Busy;
        row.equivalence = EquivalenceVerdict::Unmeasured;
    }
}

/// Which clients the refusals are aimed at. If some AI crawlers met a busy or failing server while
/// others were served, that may be chance and shows no rule.
fn find_refusal_target(
    parsed: &ParsedEvidence<'_>,
    rows: &[AgentRow],
) -> refusal_target::RefusalAnalysis {
    let is_busy = |row: &AgentRow| row.cause == RowCause::Busy;
    let results: Vec<refusal_target::IdentityResult<'_>> = rows
        .iter()
        .filter_map(|row| {
            let identity = parsed.catalogue.get(&row.id)?;
            Some(refusal_target::IdentityResult {
                label: &row.label,
                role: identity.role,
                operator: identity.operator.as_deref(),
                served: is_measured(row).then(|| is_served(row)),
            })
        })
        .collect();
    let mut found = analyse_refusals(&results);
    let stand_in = |row: &AgentRow| matches!(row.cause, RowCause::Gated | RowCause::Empty);
    if found.target == refusal_target::RefusalTarget::Network
        && rows.iter().filter(|row| is_measured(row)).all(stand_in)
    {
        found.target = refusal_target::RefusalTarget::None;
        "All clients, including the browser, got the same kind of page in place of the content. No client is treated differently."
            .clone_into(&mut found.sentence);
    }
    if found.target == refusal_target::RefusalTarget::None
        && rows.iter().any(|row| is_ai(row) && is_busy(row))
    {
        "Some AI crawlers got a rate limit or a server error while others got the page. This does not show a rule against them."
            .clone_into(&mut found.sentence);
    }
    found
}

fn vendors_present(home: &[&Reading]) -> Vec<String> {
    let mut vendors: Vec<String> = home
        .iter()
        .filter_map(|reading| reading.exchange.response())
        .flat_map(|response| WallDetector::built_in().vendors_present(response))
        .collect();
    vendors.sort();
    vendors.dedup();
    vendors
}

fn agent_row(
    parsed: &ParsedEvidence<'_>,
    identity: &agents::Identity,
    reading: Option<&Reading>,
    reference: &BrowserReference<'_>,
) -> AgentRow {
    let exchange = reading.map(|reading| &reading.exchange);
    let response = exchange.and_then(|exchange| exchange.response());
    let wall = reading.and_then(|reading| recognise_wall(parsed, reading)).filter(|wall| {
        // With a success status, an uncertain wall counts only if the browser got a different page.
        let success = response.is_some_and(is_success);
        let same = response
            .and_then(|response| parsed.page(response))
            .zip(reference.page)
            .is_some_and(|(own, browser)| own.page.text == browser.page.text);
        // The browser may have got the same kind of wall, for example with another request number.
        let alike = same || reference.wall_kind == Some(wall.kind);
        wall.certain || !success || (reference.page.is_some() && !alike)
    });
    let cause = cause_with_wall(cause_by_status(reading), wall.as_ref());
    // An incomplete body is neither counted nor compared.
    let read = response.and_then(|response| parsed.page(response));
    let served = read.filter(|_| cause == RowCause::Served);
    let likeness = served
        .zip(reference.page)
        .map(|(parsed_page, browser)| page_similarity::compare_texts(parsed_page, browser));
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
        words: read.map(|parsed_page| parsed_page.words),
        xrobots: response
            .map(|response| response.headers_named("x-robots-tag").collect::<Vec<_>>().join(", "))
            .filter(|value| !value.is_empty())
            .map(|value| display_safe(&value, 300)),
        redirected_to: moved.map(|(_, response)| response.url.clone()),
        final_url: response.map(|response| response.url.clone()),
        blocker: wall.as_ref().map(|wall| wall.kind.as_str().to_owned()),
        vendor: wall.as_ref().and_then(|wall| wall.vendor.clone()),
        blocker_marks: wall
            .iter()
            .flat_map(|wall| wall.marks.iter().map(|mark| display_safe(mark, 160)))
            .collect(),
        price: wall.as_ref().and_then(|wall| wall.price.as_deref()).map(|p| display_safe(p, 120)),
        repro: exchange.map(contract::text::curl_command).unwrap_or_default(),
        similarity: likeness.and_then(|likeness| Ratio::new(likeness.similarity)),
        containment: likeness.and_then(|likeness| Ratio::new(likeness.share_in_reference)),
        text_ratio: likeness.and_then(|likeness| Quotient::new(likeness.word_ratio)),
        equivalence: match cause {
            RowCause::Challenge => EquivalenceVerdict::Challenged,
            RowCause::Served => {
                served.zip(likeness).map_or(EquivalenceVerdict::Unmeasured, |(page, likeness)| {
                    reference.verdict(identity, page, &likeness, parsed.rules)
                })
            }
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
            ExchangeOutcome::Failed(failure) => Some(failure.clone()),
            ExchangeOutcome::Response(response) => response.body.cut.clone(),
        }),
        reading: reading.map(|reading| reading.id.clone()),
    }
}

/// The cause by status alone.
pub(super) fn cause_by_status(reading: Option<&Reading>) -> RowCause {
    let Some(reading) = reading else { return RowCause::NotRead };
    let response = match &reading.exchange.outcome {
        ExchangeOutcome::Response(response) => response,
        ExchangeOutcome::Failed(failure) => {
            let got_status = reading.exchange.hops.iter().any(|hop| hop.status.is_some());
            return match failure.kind {
                _ if got_status => RowCause::Incomplete,
                FailureKind::RefusedByPolicy => RowCause::NotRead,
                _ => RowCause::Unreachable,
            };
        }
    };
    match response.status {
        200..=299 if response.is_cut_by_visit_limit() => RowCause::NotRead,
        // A page that is longer than our limit was served; we read its beginning.
        200..=299 if response.body.cut.is_some() && !response.is_read_to_limit() => {
            RowCause::Incomplete
        }
        200..=299 => RowCause::Served,
        401 | 403 | 406 | 451 => RowCause::Refused,
        402 => RowCause::PaymentRequired,
        429 => RowCause::RateLimited,
        500..=599 => RowCause::ServerError,
        _ => RowCause::OtherStatus,
    }
}

/// The cause after taking a recognised wall into account.
pub(super) fn cause_with_wall(cause: RowCause, wall: Option<&Wall>) -> RowCause {
    let has_response =
        !matches!(cause, RowCause::NotRead | RowCause::Unreachable | RowCause::Incomplete);
    let Some(wall) = wall.filter(|_| has_response) else { return cause };
    match wall.kind {
        // A gate with a refusing or failing status keeps the cause of its status.
        WallKind::Login
        | WallKind::Region
        | WallKind::Age
        | WallKind::Consent
        | WallKind::Parked
        | WallKind::Maintenance
        | WallKind::Placeholder
            if cause == RowCause::Served =>
        {
            RowCause::Gated
        }
        WallKind::Region
        | WallKind::Age
        | WallKind::Consent
        | WallKind::Parked
        | WallKind::Maintenance
        | WallKind::Placeholder => cause,
        WallKind::Empty => RowCause::Empty,
        WallKind::Challenge | WallKind::Captcha => RowCause::Challenge,
        WallKind::Payment => RowCause::PaymentRequired,
        WallKind::RateLimit => RowCause::RateLimited,
        WallKind::Block | WallKind::Login | WallKind::Legal => RowCause::Refused,
    }
}

/// Whether AI crawlers were treated differently from the browser. Not measured if the browser did not
/// get the page or no AI crawler could be measured.
fn detect_split(rows: &[AgentRow]) -> (IdentitySplit, Option<SplitEvidence>) {
    let Some(browser) = browser_row(rows).filter(|row| is_served(row)) else {
        return (IdentitySplit::NotMeasured, None);
    };
    let ai: Vec<&AgentRow> = rows.iter().filter(|row| is_ai(row) && is_measured(row)).collect();
    if ai.is_empty() {
        return (IdentitySplit::NotMeasured, None);
    }
    let control = rows.iter().find(|row| row.role == Role::Control && is_measured(row));
    let evidence = |others: &[&AgentRow], what: &str, control_too: bool| SplitEvidence {
        identities: others.iter().map(|row| row.id.clone()).collect(),
        detail: format!(
            "The browser got the page. {} of {} AI crawlers {what}; the unnamed control client {}.",
            others.len(),
            ai.len(),
            match control {
                None => "was not measured",
                Some(_) if control_too => "was treated like them",
                Some(_) => "was treated like the browser",
            },
        ),
        readings: reading_ids(
            std::iter::once(browser).chain(others.iter().copied()).chain(control),
        ),
    };

    let blocked: Vec<&AgentRow> = ai.iter().copied().filter(|row| !is_served(row)).collect();
    if !blocked.is_empty() {
        let with = |cause: RowCause| blocked.iter().filter(|row| row.cause == cause).count();
        let (challenged, tolled) = (with(RowCause::Challenge), with(RowCause::PaymentRequired));
        let refused = blocked.len() - challenged - tolled;
        let stand_in = |row: &&AgentRow| matches!(row.cause, RowCause::Gated | RowCause::Empty);
        let (split, what) = if refused >= challenged.max(tolled) {
            let what = if blocked.iter().all(stand_in) {
                "got a page that stands in for the content"
            } else if blocked.iter().all(|row| row.cause == RowCause::Stalled) {
                "were kept waiting"
            } else {
                "were blocked"
            };
            (IdentitySplit::Refused, what)
        } else if challenged >= tolled {
            (IdentitySplit::Challenged, "got a challenge")
        } else {
            (IdentitySplit::Payment, "were asked to pay")
        };
        let control_too = control.is_some_and(|row| !is_served(row));
        return (split, Some(evidence(&blocked, what, control_too)));
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
        return (IdentitySplit::None, None);
    }
    let control_too = control.is_some_and(differs);
    (IdentitySplit::Content, Some(evidence(&other, "got a different text", control_too)))
}

/// The number of words that AI crawlers got on average, divided by the browser's.
fn average_word_share(rows: &[AgentRow]) -> Option<Ratio> {
    let words = browser_row(rows).filter(|row| is_served(row))?.words?;
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
