//! Who measured, with what, when; and the facts with their two times.

use agents::Catalogue;
use contract::evidence::Evidence;
use contract::records::{
    Bitemporal, BitemporalAxes, BitemporalFact, FactLineage, LedgerRow, Provenance, Rulepack,
    Vantage,
};

use super::Frame;

/// The version of the self-audit.
const AUDIT_VERSION: u32 = 2;

const SCOPE: &str = "The home page as a browser, an unnamed control and AI agents; robots.txt, the rights signals and \
    the machine files of the same host; how the page travels and is cached. One network, one moment. Every \
    identity is a name sent from our own network.";

pub(super) fn provenance(
    evidence: &Evidence,
    catalogue: &Catalogue,
    frame: &Frame<'_>,
    rulepack: Rulepack,
    findings: usize,
    rows: &[LedgerRow],
) -> Provenance {
    Provenance {
        v: 1,
        observer: evidence.observer.name.clone(),
        observer_build: evidence.observer.version.clone(),
        observer_tag: format!("{}-{}", evidence.observer.name, evidence.observer.version),
        vantage: Vantage { name: evidence.observer.vantage.clone(), directory: None },
        rulepack,
        // Nothing in a catalogue can fail to be written.
        catalogue_sha256: proof::canonical::to_vec(catalogue)
            .map(|bytes| proof::sha256(&bytes).to_string())
            .unwrap_or_default(),
        audit_version: AUDIT_VERSION,
        meg_v: evidence.v,
        scope: SCOPE.to_owned(),
        observed_at: evidence.started_at.whole_seconds(),
        stored_at: frame.sealed.stored_at,
        artifacts: frame.sealed.artifacts.clone(),
        findings: super::count(findings),
        decisions: super::count(rows.iter().filter(|row| row.points.is_some()).count()),
        manifest_signature: frame.sealed.manifest_signature.clone(),
    }
}

/// What the site says of its owner, with the time it said so and the time we wrote it down.
pub(super) fn bitemporal(evidence: &Evidence, lineage: Option<&FactLineage>) -> Bitemporal {
    let seen = evidence.started_at.whole_seconds();
    let recorded_at = evidence.finished_at.whole_seconds();
    let facts = lineage
        .into_iter()
        .flat_map(|lineage| &lineage.facts)
        .flat_map(|fact| {
            fact.stated.iter().map(move |stated| BitemporalFact {
                fact: fact.fact.clone(),
                untrusted_value: stated.untrusted_value.clone(),
                valid_from: seen,
                valid_to: None,
                recorded_from: recorded_at,
                recorded_to: None,
                evidence: stated.evidence.clone(),
            })
        })
        .take(100)
        .collect();
    Bitemporal {
        v: 1,
        recorded_at,
        axes: BitemporalAxes {
            valid: "When the site was seen to say so: from the reading on, until a later reading says otherwise."
                .to_owned(),
            recorded: "When we wrote it down.".to_owned(),
        },
        facts,
    }
}
