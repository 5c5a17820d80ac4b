//! Who measured what, when and with which version; and the owner facts with their valid and recorded
//! times.

use agents::Catalogue;
use contract::evidence::Evidence;
use contract::records::{
    Bitemporal, BitemporalAxes, BitemporalFact, FactLineage, LedgerRow, Provenance, Rulepack,
    Vantage,
};

use super::convert::saturating_u32;
use super::metadata::RecordMetadata;
use crate::cached_digest::CachedDigest;

static CATALOGUE_DIGEST: CachedDigest<Catalogue> = CachedDigest::new();

/// The version of the self-audit.
const AUDIT_VERSION: u32 = 2;

const SCOPE: &str = "The home page, requested as a browser, as an unnamed control client and as AI crawlers; up to four \
    further pages in a full scan; robots.txt, the rights signals and the machine files of the same host; transport and caching. From one network, at one \
    point in time. We sent all requests from our own network under the clients' names.";

pub(super) fn build_provenance(
    evidence: &Evidence,
    catalogue: &Catalogue,
    metadata: &RecordMetadata<'_>,
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
        // Serialising a catalogue cannot fail.
        catalogue_sha256: CATALOGUE_DIGEST.of(catalogue),
        audit_version: AUDIT_VERSION,
        meg_v: evidence.v,
        scope: SCOPE.to_owned(),
        observed_at: evidence.started_at.whole_seconds(),
        stored_at: metadata.storage.stored_at,
        artifacts: metadata.storage.artifacts.clone(),
        findings: saturating_u32(findings),
        decisions: saturating_u32(rows.iter().filter(|row| row.points.is_some()).count()),
        manifest_signature: metadata.storage.manifest_signature.clone(),
    }
}

/// The facts that the site states about its owner, with the time of the reading and the time they were
/// recorded.
pub(super) fn build_bitemporal(evidence: &Evidence, lineage: Option<&FactLineage>) -> Bitemporal {
    let observed_at = evidence.started_at.whole_seconds();
    let recorded_at = evidence.finished_at.whole_seconds();
    let facts = lineage
        .into_iter()
        .flat_map(|lineage| &lineage.facts)
        .flat_map(|fact| {
            fact.stated.iter().map(move |stated| BitemporalFact {
                fact: fact.fact.clone(),
                untrusted_value: stated.untrusted_value.clone(),
                valid_from: observed_at,
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
            valid: "When the site stated the fact: from the time of the reading until a later reading shows otherwise."
                .to_owned(),
            recorded: "When we recorded the fact.".to_owned(),
        },
        facts,
    }
}
