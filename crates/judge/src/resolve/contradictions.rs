//! Where the site contradicts itself: what two of its own statements say of the same thing, or
//! what it says and what it serves.

use contract::records::{Contradiction, RobotsState, ScanRecord, SignalStatement};

/// Contradictions told of one site.
const MAX_TOLD: usize = 50;

/// Nothing when there was nothing to compare; an empty list when what there was agrees.
#[must_use]
pub fn contradictions(record: &ScanRecord) -> Option<Vec<Contradiction>> {
    let policy = &record.policy;
    let facts_read = record.nap.as_ref().is_some_and(|nap| !nap.lineage.is_empty());
    let robots_compared = policy.robots.same_for_every_identity.is_some();
    let declared_and_served =
        policy.robots.state == RobotsState::Declared && record.agentview.all_refused.is_some();
    if !(facts_read || !policy.signals.is_empty() || robots_compared || declared_and_served) {
        return None;
    }
    let mut told = Vec::new();
    facts(record, &mut told);
    signals(record, &mut told);
    if policy.robots.same_for_every_identity == Some(false) {
        told.push(Contradiction {
            what: "robots.txt".to_owned(),
            between: std::iter::once("own_reader".to_owned())
                .chain(policy.robots.differs_for.iter().cloned())
                .collect(),
            why: "The file says other things to other readers.".to_owned(),
        });
    }
    invited_and_refused(record, &mut told);
    told.truncate(MAX_TOLD);
    Some(told)
}

/// Facts about the owner that two carriers state differently.
fn facts(record: &ScanRecord, told: &mut Vec<Contradiction>) {
    let Some(nap) = &record.nap else { return };
    for (fact, values) in &nap.conflicts {
        told.push(Contradiction {
            what: format!("entity.{fact}"),
            between: nap.lineage.get(fact).cloned().unwrap_or_default(),
            why: format!("{} different values are stated for the same subject.", values.len()),
        });
    }
}

/// Uses that one signal permits and another prohibits.
fn signals(record: &ScanRecord, told: &mut Vec<Contradiction>) {
    let policy = &record.policy;
    for (name, decision) in &policy.rights {
        if !decision.doubts.iter().any(|doubt| doubt == "contradicted") {
            continue;
        }
        let mut between: Vec<String> = policy
            .signals
            .iter()
            .filter(|signal| signal.uses.contains_key(name))
            .map(place)
            .collect();
        between.sort();
        between.dedup();
        told.push(Contradiction {
            what: format!("rights.{name}"),
            between,
            why: "One signal permits the use and another prohibits it; the prohibition is taken."
                .to_owned(),
        });
    }
}

/// robots.txt lets agents in, and every one that was tried is turned away.
fn invited_and_refused(record: &ScanRecord, told: &mut Vec<Contradiction>) {
    let view = &record.agentview;
    let invited: Vec<&str> = view
        .conflicts
        .iter()
        .filter(|conflict| conflict.declared.starts_with("allowed"))
        .map(|conflict| conflict.identity.as_str())
        .collect();
    if view.all_refused != Some(true) || invited.is_empty() {
        return;
    }
    told.push(Contradiction {
        what: "access".to_owned(),
        between: vec!["robots_txt".to_owned(), "delivery".to_owned()],
        why: format!(
            "robots.txt lets {} in, and every AI identity that was tried was turned away. Each was sent from \
             our own network.",
            invited.join(", ")
        ),
    });
}

fn place(signal: &SignalStatement) -> String {
    format!("{} ({})", signal.mechanism, signal.carrier)
}
