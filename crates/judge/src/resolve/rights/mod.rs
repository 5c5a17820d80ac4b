//! What the site's public statements say about uses of its content: the block of a resolve answer,
//! and the whole answer of `/api/v1/rights`.

mod answer;
mod heard;

use contract::records::{Rights, RightsSource, RightsUse, RightsValue, RobotsState, ScanRecord};
use declared::rights::Use;

use crate::rights::{Decided, DecidedBy, decide};
pub use answer::answer;
pub(crate) use heard::ACCESS;
pub use heard::{Asked, Heard, Signal, signal_word};

const READING: &str = "Public statements only; a licence that an agent holds may say otherwise. A value is what \
    the signals come to: any prohibition, else a condition, else a permission, else unknown. Unknown grants \
    nothing and forbids nothing.";
const UNREAD: &str =
    "Nothing was read that could carry a statement, so nothing is known. That is no permission.";

/// Whether anything was read that could carry a statement.
#[must_use]
pub fn observed(record: &ScanRecord) -> bool {
    let policy = &record.policy;
    let robots = matches!(
        policy.robots.state,
        RobotsState::Declared | RobotsState::Absent | RobotsState::NotAPolicy
    );
    record.unreachable != Some(true)
        && (robots || !policy.signals.is_empty() || record.content.reading.is_some())
}

/// The block of a resolve answer: the home page, for everyone.
#[must_use]
pub fn block(record: &ScanRecord, base_url: &str) -> Rights {
    let heard = heard::kept(record);
    let observed = observed(record);
    let [train, ground, summarize, cite, transact] = uses(&heard);
    Rights {
        observed,
        path: record.path.clone(),
        read_at: observed.then_some(record.scanned_at),
        api: address(record, base_url),
        reading: if observed { READING } else { UNREAD }.to_owned(),
        train,
        ground,
        summarize,
        cite,
        transact,
    }
}

/// Where more is said.
fn address(record: &ScanRecord, base_url: &str) -> String {
    format!("{base_url}/api/v1/rights?domain={}", record.domain)
}

/// What the signals come to, in the order of the interface.
fn uses(heard: &Heard) -> [RightsUse; 5] {
    decide(&heard.statements(), &heard.access).map(|(_, decided)| told(heard, &decided))
}

fn told(heard: &Heard, decided: &Decided) -> RightsUse {
    RightsUse {
        // Both sides have the same four words.
        value: RightsValue::known(decided.value.as_str()).unwrap_or(RightsValue::Unknown),
        decided_by: source(heard, decided.decided_by),
        conflicts: crate::scan::count(decided.conflicts),
    }
}

fn source(heard: &Heard, by: Option<DecidedBy>) -> RightsSource {
    match by {
        None => RightsSource { signal: None, url: None, evidence: None },
        Some(DecidedBy::Statement(at)) => {
            let signal = heard.signals.get(at);
            RightsSource {
                signal: signal.map(|signal| signal_word(signal.statement.mechanism).to_owned()),
                url: signal.and_then(|signal| signal.url.clone()),
                evidence: signal.map(Signal::evidence),
            }
        }
        Some(DecidedBy::Access(class)) => RightsSource {
            signal: Some(ACCESS.to_owned()),
            url: Some(heard.robots_url.clone()),
            evidence: Some(heard.access_evidence(class)),
        },
    }
}

/// The uses by their words, in the order of the interface.
#[must_use]
pub fn use_words() -> [&'static str; 5] {
    Use::ALL.map(Use::as_str)
}

#[cfg(test)]
mod tests;
