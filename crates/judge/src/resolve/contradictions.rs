//! The `contradictions` section: where two statements of the site disagree, or where the site serves
//! something other than it says.

use contract::records::{Contradiction, RobotsState, ScanRecord, SignalStatement};

/// The most contradictions in an answer.
const MAX_CONTRADICTIONS: usize = 50;

/// `None` when there was nothing to compare; an empty list when everything compared agrees.
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
    let mut found = Vec::new();
    facts(record, &mut found);
    signals(record, &mut found);
    if policy.robots.same_for_every_identity == Some(false) {
        found.push(Contradiction {
            what: "robots.txt".to_owned(),
            between: std::iter::once("own_reader".to_owned())
                .chain(policy.robots.differs_for.iter().cloned())
                .collect(),
            why: "The site serves a different robots.txt to different readers.".to_owned(),
        });
    }
    invited_and_refused(record, &mut found);
    found.truncate(MAX_CONTRADICTIONS);
    Some(found)
}

/// Facts about the owner that two sources state differently.
fn facts(record: &ScanRecord, found: &mut Vec<Contradiction>) {
    let Some(nap) = &record.nap else { return };
    for (fact, values) in &nap.conflicts {
        found.push(Contradiction {
            what: format!("entity.{fact}"),
            between: nap.lineage.get(fact).cloned().unwrap_or_default(),
            why: format!("The site states {} different values for the same fact.", values.len()),
        });
    }
}

/// Uses that one signal permits and another prohibits.
fn signals(record: &ScanRecord, found: &mut Vec<Contradiction>) {
    let policy = &record.policy;
    for (name, decision) in &policy.rights {
        if !decision.doubts.iter().any(|doubt| doubt == "contradicted") {
            continue;
        }
        let mut between: Vec<String> = policy
            .signals
            .iter()
            .filter(|signal| signal.uses.contains_key(name))
            .map(signal_location)
            .collect();
        between.sort();
        between.dedup();
        found.push(Contradiction {
            what: format!("rights.{name}"),
            between,
            why: "One signal permits this use and another prohibits it. The prohibition decides."
                .to_owned(),
        });
    }
}

/// robots.txt allows agents that the site then refuses, as it refuses every AI identity tried.
fn invited_and_refused(record: &ScanRecord, found: &mut Vec<Contradiction>) {
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
    found.push(Contradiction {
        what: "access".to_owned(),
        between: vec!["robots_txt".to_owned(), "delivery".to_owned()],
        why: format!(
            "robots.txt allows {}, but the site refused every AI identity that we tried. We sent each request from \
             our own network.",
            invited.join(", ")
        ),
    });
}

fn signal_location(signal: &SignalStatement) -> String {
    format!("{} ({})", signal.mechanism, signal.carrier)
}
