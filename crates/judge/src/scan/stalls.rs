//! Finds AI crawlers that are kept waiting while the browser is served.
//!
//! One request that times out shows nothing: servers stall by chance. Several that all carry the
//! name of an AI crawler, while no request under another name had to wait, do.

use contract::evidence::{
    Evidence, ExchangeOutcome, Failure, FailureKind, FailurePhase, ReadTarget, Reading,
};
use contract::records::{AgentRow, EquivalenceVerdict, Role, RowCause};

use super::agent_rows::{browser_row, is_ai, is_served};

/// A crawler is kept waiting if it had no complete answer after this many times the time in which
/// the browser and the control client were served, and after [`MIN_WAIT_MS`].
const TIMES_SLOWER: u32 = 5;
const MIN_WAIT_MS: u32 = 3_000;
/// The reason of a body that arrives byte by byte. We stop reading it after two seconds.
const TRICKLE: &str = "too_slow";
/// Whoever was sent more than this is not kept waiting: the body is large, and slow at most.
const MAX_STALLED_BYTES: u64 = 64 << 10;
/// How many AI crawlers must have been asked, and how many of them must have waited.
const MIN_ASKED: usize = 3;
const MIN_STALLED: usize = 2;

/// What the rows and readings show about waiting.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct StallAnalysis {
    /// The ids of the AI identities that got no complete answer.
    pub(super) stalled: Vec<String>,
    /// The ids of those that got the page after a wait.
    pub(super) slow: Vec<String>,
    /// The slowest of the browser and the control client.
    pub(super) served_in_ms: u32,
    /// How long an answer may take before it counts as a wait.
    pub(super) patience_ms: u32,
}

impl StallAnalysis {
    pub(super) fn is_empty(&self) -> bool {
        self.stalled.is_empty() && self.slow.is_empty()
    }
}

/// Marks the rows of crawlers that were kept waiting and got nothing.
pub(super) fn mark_stalled(evidence: &Evidence, rows: &mut [AgentRow]) {
    let analysis = analyse_stalls(evidence, rows);
    for row in rows.iter_mut().filter(|row| analysis.stalled.contains(&row.id)) {
        row.cause = RowCause::Stalled;
        // Inferred from time alone, so it is not called a refusal.
        row.equivalence = EquivalenceVerdict::Unmeasured;
    }
}

/// Decides which crawlers were kept waiting. Also understands rows that are marked already.
pub(super) fn analyse_stalls(evidence: &Evidence, rows: &[AgentRow]) -> StallAnalysis {
    let none = StallAnalysis::default();
    let Some(browser) = browser_row(rows).filter(|row| is_served(row)) else { return none };
    let control = rows.iter().find(|row| row.role == Role::Control);
    // Without a served control client, the wait may be for all clients that are not browsers.
    if control.is_some_and(|row| !is_served(row)) {
        return none;
    }
    // The fastest reading of each: our own queue may have held another one up.
    let fastest = |row: &AgentRow| {
        let reads = evidence.reads.iter().filter(|reading| is_home_of(reading, &row.id));
        reads.map(|reading| reading.exchange.took_ms).chain(row.ms).min()
    };
    let served_in_ms =
        [Some(browser), control].into_iter().flatten().filter_map(fastest).max().unwrap_or(0);
    let patience_ms = served_in_ms.saturating_mul(TIMES_SLOWER).max(MIN_WAIT_MS);
    let waited = |row: &&AgentRow| row.ms.is_some_and(|ms| ms >= patience_ms);
    let trickled = |row: &&AgentRow| {
        row.error.as_ref().is_some_and(|error| error.reason == TRICKLE)
            && row.ms.is_some_and(|ms| ms >= served_in_ms.saturating_mul(TIMES_SLOWER))
    };
    let asked: Vec<&AgentRow> =
        rows.iter().filter(|row| is_ai(row) && row.reading.is_some()).collect();
    let stalled: Vec<&AgentRow> = asked
        .iter()
        .copied()
        .filter(|row| has_timed_out(row) && (waited(row) || trickled(row)))
        .collect();
    // While some wait, our own queue may hold others up.
    let slow: Vec<&AgentRow> = asked
        .iter()
        .copied()
        .filter(|row| stalled.is_empty() && waited(row) && is_served(row))
        .collect();
    let kept: Vec<&AgentRow> = stalled.iter().chain(&slow).copied().collect();
    if asked.len() < MIN_ASKED || kept.len() < MIN_STALLED {
        return none;
    }
    let whole_purpose = [Role::Train, Role::Search, Role::User].iter().any(|role| {
        let of = |rows: &[&AgentRow]| rows.iter().filter(|row| row.role == *role).count();
        of(&asked) >= MIN_STALLED && of(&kept) == of(&asked)
    });
    let most = kept.len() * 2 >= asked.len();
    // If requests under other names had to wait too, the server is slow by itself. Then a few slow
    // answers to crawlers are chance, and only most of them, or a whole purpose, would be a sign.
    let is_other = |reading: &&Reading| !asked.iter().any(|row| row.id == reading.identity);
    let others_waited = evidence.reads.iter().filter(is_other).any(|r| match &r.exchange.outcome {
        ExchangeOutcome::Failed(failure) => is_wait(failure),
        ExchangeOutcome::Response(response) => response.body.cut.as_ref().is_some_and(is_wait),
    });
    if others_waited && !(most || whole_purpose) {
        return none;
    }
    // A slow answer is still an answer: it takes most of the crawlers to tell it from chance.
    let slow = if most || whole_purpose { slow } else { Vec::new() };
    if stalled.len() + slow.len() < MIN_STALLED {
        return none;
    }
    let ids = |rows: Vec<&AgentRow>| rows.into_iter().map(|row| row.id.clone()).collect();
    StallAnalysis { stalled: ids(stalled), slow: ids(slow), served_in_ms, patience_ms }
}

/// Whether the row has no complete answer because time ran out after the connection was made.
fn has_timed_out(row: &AgentRow) -> bool {
    let open =
        matches!(row.cause, RowCause::Unreachable | RowCause::Incomplete | RowCause::Stalled);
    let got_little = row.bytes.is_none_or(|bytes| bytes <= MAX_STALLED_BYTES);
    open && got_little && row.error.as_ref().is_some_and(is_wait)
}

fn is_wait(failure: &Failure) -> bool {
    failure.kind == FailureKind::Timeout
        && matches!(failure.phase, FailurePhase::Head | FailurePhase::Redirect | FailurePhase::Body)
}

fn is_home_of(reading: &Reading, identity: &str) -> bool {
    matches!(reading.target, ReadTarget::Home | ReadTarget::HomeAgain | ReadTarget::HomeTrial)
        && reading.identity == identity
        && reading.exchange.response().is_some_and(|response| response.body.cut.is_none())
}
