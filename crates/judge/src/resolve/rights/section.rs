//! The `rights` section of a resolve answer.

use contract::records::{Rights, RightsSource, RightsUse, RightsValue, RobotsState, ScanRecord};

use super::collected::{self, ACCESS, CollectedStatements, LocatedStatement, signal_name};
use crate::rights::{DecidedBy, UseDecision, decide_uses};

pub(super) const READING: &str = "Only public statements are considered; an agent's own licence may differ. A prohibition decides before a \
    condition, a condition before a permission. Without any of these the value is unknown, which neither \
    permits nor forbids.";
pub(super) const UNREAD: &str =
    "We could read nothing that may contain a rights statement. This is not a permission.";

/// Whether anything was read that may contain a rights statement.
#[must_use]
pub fn is_observed(record: &ScanRecord) -> bool {
    let policy = &record.policy;
    let robots = matches!(
        policy.robots.state,
        RobotsState::Declared | RobotsState::Absent | RobotsState::NotAPolicy
    );
    record.unreachable != Some(true)
        && (robots || !policy.signals.is_empty() || record.content.reading.is_some())
}

/// The `rights` section of a resolve answer: for the home page and all agents.
#[must_use]
pub fn rights_section(record: &ScanRecord, base_url: &str) -> Rights {
    let collected = collected::collect_stored(record);
    let observed = is_observed(record);
    let [train, ground, summarize, cite, transact] = rights_uses(&collected);
    Rights {
        observed,
        path: record.path.clone(),
        read_at: observed.then_some(record.scanned_at),
        api: rights_url(record, base_url),
        reading: if observed { READING } else { UNREAD }.to_owned(),
        train,
        ground,
        summarize,
        cite,
        transact,
    }
}

/// The address of the full answer.
fn rights_url(record: &ScanRecord, base_url: &str) -> String {
    format!("{base_url}/api/v1/rights?domain={}", record.domain)
}

/// The value for each use, in the order of the interface.
fn rights_uses(collected: &CollectedStatements) -> [RightsUse; 5] {
    decide_uses(&collected.statements(), &collected.access)
        .map(|(_, decided)| rights_use(collected, &decided))
}

/// The value of one use, with the statement that decided it.
pub(super) fn rights_use(collected: &CollectedStatements, decided: &UseDecision) -> RightsUse {
    RightsUse {
        // Both enumerations have the same four words.
        value: RightsValue::from_word(decided.value.as_str()).unwrap_or(RightsValue::Unknown),
        decided_by: source(collected, decided.decided_by),
        conflicts: crate::scan::saturating_u32(decided.conflicts),
    }
}

fn source(collected: &CollectedStatements, by: Option<DecidedBy>) -> RightsSource {
    match by {
        None => RightsSource { signal: None, url: None, evidence: None },
        Some(DecidedBy::Statement(at)) => {
            let signal = collected.signals.get(at);
            RightsSource {
                signal: signal.map(|signal| signal_name(signal.statement.mechanism).to_owned()),
                url: signal.and_then(|signal| signal.url.clone()),
                evidence: signal.map(LocatedStatement::evidence),
            }
        }
        Some(DecidedBy::Access(class)) => RightsSource {
            signal: Some(ACCESS.to_owned()),
            url: Some(collected.robots_url.clone()),
            evidence: Some(collected.access_evidence(class)),
        },
    }
}
