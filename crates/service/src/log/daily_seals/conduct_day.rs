//! What agents did on our own site on one day: the counts as they are stored, and the record that is sealed.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract::Issuer;
use contract::records::{AgentDayCounts, ConductDayRecord, SiteChecks};
use judge::conduct::AgentCounts;
use proof::{Digest, ProofError};
use serde::{Deserialize, Serialize};
use store::{ConductDay, StoreError};

/// The counts of one day by the name of the agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct DayCounts {
    pub(crate) agents: BTreeMap<String, AgentDay>,
}

/// What was counted of one agent on one day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgentDay {
    pub(crate) requests: AgentCounts,
    /// Visitor checks that sites asked for.
    pub(crate) checks: SiteChecks,
}

impl DayCounts {
    pub(crate) fn parse(stored: &ConductDay) -> Result<Self, StoreError> {
        serde_json::from_slice(&stored.counts).map_err(|error| StoreError::Damaged {
            what: format!("the counts of agents of {}", stored.day),
            why: error.to_string(),
        })
    }

    pub(crate) fn to_bytes(&self) -> Result<Bytes, StoreError> {
        let written = serde_json::to_vec(self).map_err(|error| StoreError::Failed {
            doing: "writing counts of agents",
            why: error.to_string(),
        })?;
        Ok(written.into())
    }

    pub(crate) fn agent(&mut self, name: &str) -> &mut AgentDay {
        self.agents.entry(name.to_owned()).or_default()
    }
}

/// The record of a day, not signed yet.
pub(crate) fn conduct_day_record(
    issuer: &Issuer,
    stored: &ConductDay,
) -> Result<ConductDayRecord, StoreError> {
    let counts = DayCounts::parse(stored)?;
    let agents =
        counts.agents.into_iter().map(|(agent, AgentDay { requests, checks })| AgentDayCounts {
            agent,
            verified_requests: requests.verified,
            forged_claims: requests.forged,
            unverifiable_claims: requests.unverifiable,
            robots_txt_fetches: requests.robots_txt_fetches,
            disallowed_fetches: requests.disallowed_fetches,
            disallowed_rules: requests.broken_rules,
            conditional_requests: requests.conditional,
            peak_requests_per_minute: requests.peak.map_or(0, |peak| peak.requests),
            peak_at: requests.peak.map(|peak| peak.minute_text()),
            first_seen: requests.first_seen.map(contract::Timestamp::whole_seconds),
            last_seen: requests.last_seen.map(contract::Timestamp::whole_seconds),
            site_checks: checks,
        });
    Ok(ConductDayRecord {
        kind: issuer.brand.kind("conduct-day"),
        v: 1,
        day: stored.day,
        measured_since: stored.since.whole_seconds(),
        agents: agents.collect(),
        sha256: None,
        signature: None,
    })
}

/// The digest of a day's record, as it is sealed: that of the signed record without `sha256` and `signature`.
pub(super) fn conduct_day_digest(record: &ConductDayRecord) -> Result<Digest, ProofError> {
    Ok(Digest::of(&proof::canonical::to_vec(record)?))
}
