//! Compares a lock with a reading and decides whether to connect.

use contract::Timestamp;
use contract::records::{
    Decision, McpBasisKind, McpCheckBasis, McpCheckState, McpConditions, McpCurrentSurface,
    McpFinding, McpItem, McpKnown, McpLockCheck, McpLockDecision, McpLockFacts, McpLockOrigin,
    McpLockVerdict, McpScanReference, McpScanState, McpTier,
};

use super::compare::{Comparison, compare_full, compare_plain};
use super::make::{LockInputs, make_lock};
use super::parse::ParsedLock;
use super::policy::{DriftPolicy, strictness};
use crate::mcp::connect::decide_connect;
use crate::mcp::rules::RuleReport;
use crate::mcp::surface::Surface;

/// The most entries of `drift` and of each list of names.
const MAX_LISTED: usize = 1_000;

/// What was read of the server now.
#[derive(Debug, Clone, Copy)]
pub enum Reading<'a> {
    Observed { surface: &'a Surface, report: &'a RuleReport },
    Unreachable,
    AuthRequired,
}

/// What a check needs besides the lock.
#[derive(Debug, Clone)]
pub struct CheckInputs<'a> {
    pub kind: String,
    pub schema: String,
    pub url: Option<String>,
    pub checked_at: Timestamp,
    pub basis: McpBasisKind,
    pub observed_at: Option<Timestamp>,
    pub conditions: McpConditions,
    pub reading: Reading<'a>,
    pub origin: McpLockOrigin,
    pub signature_valid: McpKnown,
    pub scan: Option<McpScanReference>,
    pub policy: DriftPolicy,
    /// As for [`decide_connect`].
    pub verified: bool,
    /// When the surface that was read was first seen.
    pub first_seen: Option<Timestamp>,
    /// Present when the answer shall have `next_lock`.
    pub next_lock: Option<LockInputs>,
}

struct Outcome<'a> {
    state: McpCheckState,
    why: &'static str,
    connect: Decision,
    comparison: Comparison<'a>,
    new_findings: Vec<McpFinding>,
}

impl Outcome<'_> {
    fn stopped(state: McpCheckState, connect: Decision, why: &'static str) -> Self {
        Self { state, why, connect, comparison: Comparison::default(), new_findings: Vec::new() }
    }
}

/// Compares a lock with a reading. The record is not signed yet.
#[must_use]
pub fn check_lock(lock: &ParsedLock, inputs: CheckInputs<'_>) -> McpLockCheck {
    let outcome = compare(lock, &inputs);
    let surface = match inputs.reading {
        Reading::Observed { surface, .. } => Some(surface),
        Reading::Unreachable | Reading::AuthRequired => None,
    };
    let matches = outcome.state == McpCheckState::Match;
    let connects = matches && matches!(outcome.connect, Decision::Allow | Decision::Warn);
    let next_lock = inputs
        .next_lock
        .zip(surface)
        .and_then(|(inputs, surface)| make_lock(surface, inputs).ok())
        .map(Box::new);
    let Comparison { mut drift, summary, mut added, mut removed, mut modified, .. } =
        outcome.comparison;
    drift.truncate(MAX_LISTED);
    for entry in &mut drift {
        entry.first_seen = inputs.first_seen;
    }
    for names in [&mut added, &mut removed, &mut modified] {
        names.sort_unstable();
        names.truncate(MAX_LISTED);
    }
    let exit_code = match outcome.state {
        McpCheckState::Match => 0,
        McpCheckState::Drift => 1,
        McpCheckState::Unreachable | McpCheckState::AuthRequired => 3,
        _ => 2,
    };
    McpLockCheck {
        kind: inputs.kind,
        v: 1,
        schema: inputs.schema,
        checked_at: inputs.checked_at,
        url: inputs.url,
        verdict: if matches { McpLockVerdict::Unchanged } else { McpLockVerdict::Changed },
        decision: if connects { McpLockDecision::Connect } else { McpLockDecision::Block },
        approved_tools_sha256: lock.tools_sha256.clone(),
        current_tools_sha256: surface.and_then(|surface| surface.digests.tools.clone()),
        added,
        removed,
        modified,
        state: outcome.state,
        why: outcome.why.to_owned(),
        basis: McpCheckBasis {
            kind: inputs.basis,
            observed_at: inputs.observed_at,
            conditions: inputs.conditions,
        },
        lock: McpLockFacts {
            lock_sha256: lock.lock_sha256.clone(),
            locked_at: lock.locked_at,
            age_days: lock.locked_at.and_then(|at| age_days(at, inputs.checked_at)),
            origin: inputs.origin,
            signature_valid: inputs.signature_valid,
            form: lock.form(),
        },
        current: McpCurrentSurface {
            surface_sha256: surface.and_then(|surface| surface.digests.surface.clone()),
            complete: surface.is_some_and(Surface::is_complete),
            scan_sha256: inputs.scan.as_ref().and_then(|scan| scan.scan_sha256.clone()),
            address: inputs.scan.map(|scan| scan.address),
        },
        summary,
        drift,
        new_findings: outcome.new_findings,
        connect: outcome.connect,
        exit_code,
        next_lock,
        text_comparison: None,
        sha256: None,
        signature: None,
    }
}

fn compare<'a>(lock: &ParsedLock, inputs: &CheckInputs<'a>) -> Outcome<'a> {
    use McpCheckState as State;
    let (surface, report) = match inputs.reading {
        Reading::Observed { surface, report } => (surface, report),
        Reading::Unreachable => {
            return Outcome::stopped(
                State::Unreachable,
                Decision::RequireConfirmation,
                "The server could not be read, so it was not compared with the lock.",
            );
        }
        Reading::AuthRequired => {
            return Outcome::stopped(
                State::AuthRequired,
                Decision::RequireConfirmation,
                "The server requires authentication, so it was not compared with the lock. Send its lists yourself.",
            );
        }
    };
    if inputs.signature_valid == McpKnown::Measured(false) {
        return Outcome::stopped(
            State::NotComparable,
            Decision::Block,
            "The signature of the lock is not valid. Do not use this lock.",
        );
    }
    if lock.other_scheme {
        return Outcome::stopped(
            State::NotComparable,
            Decision::Block,
            "The lock has digests of another definition. Make a new lock.",
        );
    }
    if let Some(full) = &lock.full
        && !same_conditions(&full.conditions, &inputs.conditions)
    {
        return Outcome::stopped(
            State::NotComparable,
            Decision::RequireConfirmation,
            "The lock was made under other conditions, under which a server may list other items.",
        );
    }
    if !surface.is_complete() {
        return Outcome::stopped(
            State::Incomplete,
            Decision::RequireConfirmation,
            "Not all lists of the server could be read, so nothing is said about changes.",
        );
    }
    let comparison = match &lock.full {
        Some(full) => compare_full(full, surface, &inputs.policy),
        None => compare_plain(lock, surface, &inputs.policy),
    };
    let new_findings: Vec<McpFinding> = report
        .findings
        .iter()
        .filter(|finding| {
            let touched = comparison.touched.iter().any(|item| {
                finding.location.item == item.list.item()
                    && finding.location.index == u32::try_from(item.index).ok()
            });
            touched
                || (comparison.instructions_changed
                    && finding.location.item == McpItem::Instructions)
        })
        .cloned()
        .collect();
    let scan = decide_connect(&McpScanState::Observed, true, report, inputs.verified).decision;
    // A list digest that is not that of the listed tools means that the lock was edited.
    let contradicts = lock.form() == contract::records::McpLockForm::Plain
        && comparison.drift.is_empty()
        && lock.tools_sha256.is_some()
        && lock.tools_sha256 != surface.digests.tools;
    let full_contradicts = lock.full.as_ref().is_some_and(|full| {
        comparison.drift.is_empty()
            && Some(&full.surface_sha256) != surface.digests.surface.as_ref()
    });
    if contradicts || full_contradicts {
        return Outcome {
            state: State::NotComparable,
            why: "The digests of the lock contradict each other. Make a new lock.",
            connect: Decision::Block,
            comparison,
            new_findings,
        };
    }
    let info_only = comparison
        .drift
        .iter()
        .all(|drift| drift.change == contract::records::McpChange::OtherMembersChanged);
    if info_only {
        let connect = scan;
        return Outcome {
            state: State::Match,
            why: "The lists of the server are the locked ones.",
            connect,
            comparison,
            new_findings,
        };
    }
    let strictest =
        comparison.drift.iter().map(|drift| strictness(&drift.level)).max().unwrap_or(0);
    let hard = new_findings.iter().any(|finding| finding.tier == McpTier::Hard);
    let connect = match strictest {
        _ if hard || scan == Decision::Block => Decision::Block,
        0 => scan,
        1 => Decision::RequireConfirmation,
        _ => Decision::Block,
    };
    Outcome {
        state: State::Drift,
        why: "The lists of the server changed since the lock was made.",
        connect,
        comparison,
        new_findings,
    }
}

/// The protocol version and the client's name do not change what an honest server lists.
fn same_conditions(locked: &McpConditions, current: &McpConditions) -> bool {
    locked.auth_context == current.auth_context
        && locked.client_capabilities == current.client_capabilities
}

fn age_days(from: Timestamp, to: Timestamp) -> Option<u32> {
    const DAY: i64 = 86_400_000;
    u32::try_from(to.millis_since(from) / DAY).ok()
}
