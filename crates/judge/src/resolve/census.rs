//! The census record of one domain, from the answer that was built from its scan.

use contract::Domain;
use contract::records::{
    Assurance, CensusDecisions, CensusRecord, CensusStatus, ResolveAnswer, Section,
};

/// The record of a domain that was measured.
#[must_use]
pub fn census_record(rank: u64, answer: &ResolveAnswer, base_url: &str) -> CensusRecord {
    CensusRecord {
        domain: answer.domain.clone(),
        rank,
        status: if answer.assurance == Assurance::Full {
            CensusStatus::Measured
        } else {
            CensusStatus::Partial
        },
        measured_at: answer.freshness.observed_at,
        host: answer.subject.host.clone(),
        decisions: Some(CensusDecisions {
            read: answer.actions.read.decision.clone(),
            cite: answer.actions.cite.decision.clone(),
            connect: answer.actions.connect.decision.clone(),
        }),
        crawl_policy_state: Some(answer.crawl_policy.state().to_owned()),
        identities_served: answer.read_equivalence.ai_identities_served.clone(),
        machine_files_present: match &answer.machine_files {
            Section::Declared { body, .. } | Section::Observed { body, .. } => body
                .files
                .iter()
                .filter(|file| file.present == Some(true))
                .map(|file| file.path.clone())
                .collect(),
            Section::NotMeasured { .. } | Section::Unrecognised(_) => Vec::new(),
        },
        answer_sha256: answer.sha256.clone(),
        address: answer_url(&answer.domain, base_url),
    }
}

/// The record of a domain where nothing answered, or that could not be measured.
#[must_use]
pub fn census_record_without_answer(
    rank: u64,
    domain: &Domain,
    status: CensusStatus,
    base_url: &str,
) -> CensusRecord {
    CensusRecord {
        domain: domain.clone(),
        rank,
        status,
        measured_at: None,
        host: None,
        decisions: None,
        crawl_policy_state: None,
        identities_served: None,
        machine_files_present: Vec::new(),
        answer_sha256: None,
        address: answer_url(domain, base_url),
    }
}

fn answer_url(domain: &Domain, base_url: &str) -> String {
    format!("{base_url}/api/v1/resolve?domain={domain}")
}
