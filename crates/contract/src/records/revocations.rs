//! What was said and no longer stands (`GET /api/v1/revocations`): the domains for which something
//! is withheld now, and the chain of entries that tells of everything that was taken back.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Action, Signature};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-revocations`, signed.
///
/// `revoked` and `cleared` are a list to be held: whole where `since` is null, else what changed.
/// `entries` are a page of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationList {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub generated_at: Timestamp,
    /// The number of the newest entry; 0 while there is none.
    pub seq: u64,
    /// As it was asked for; null for the whole list.
    #[schema(required)]
    pub since: Option<Timestamp>,
    /// Whether `since` lies within what is kept. If not, the whole list is to be fetched.
    pub delta_complete: bool,
    /// Reading and citing are never in it. A domain stands for all names under it.
    pub revoked: Vec<RevokedDomain>,
    /// No longer withheld.
    pub cleared: Vec<ClearedDomain>,
    pub this_update: Timestamp,
    /// Made anew by then, even if nothing happens: a list that is older is not the newest.
    pub next_update: Timestamp,
    /// As it was asked for.
    #[schema(required)]
    pub from_cursor: Option<String>,
    /// What to ask for next.
    pub cursor: String,
    /// Whether there are entries after these.
    pub has_more: bool,
    /// The newest entry of the whole chain; null while there is none.
    #[schema(required)]
    pub head: Option<RevocationHead>,
    pub coverage: RevocationCoverage,
    /// In the order of their numbers.
    pub entries: Vec<RevocationEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// A domain for which actions are withheld.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevokedDomain {
    pub domain: Domain,
    pub actions: Vec<Action>,
    pub causes: Vec<RevocationCause>,
    pub state: RevokedState,
    pub since: Timestamp,
    pub updated_at: Timestamp,
}

open_enum! {
    /// Why actions are withheld for a domain.
    pub enum RevocationCause {
        /// The owner reports an incident.
        IncidentReported = "incident_reported",
        ImpersonationSuspected = "impersonation_suspected",
        /// A change that a thief would make was seen and is not confirmed yet.
        HighRiskPending = "high_risk_pending",
    }
}

open_enum! {
    /// Whether it may come back.
    pub enum RevokedState {
        /// Until its causes are gone.
        Suspended = "suspended",
        Revoked = "revoked",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClearedDomain {
    pub domain: Domain,
}

/// The end of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationHead {
    pub seq: u64,
    pub entry_sha256: String,
}

/// What silence means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationCoverage {
    /// Nothing is known of what was before; null when that cannot be told.
    #[schema(required)]
    pub from: Option<Timestamp>,
    /// How long entries are kept; null where none is ever removed.
    #[schema(required)]
    pub retained_days: Option<u32>,
    /// Whether every entry since then is kept.
    pub complete: bool,
}

/// One entry of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationEntry {
    /// From 1, without a gap.
    pub seq: u64,
    pub at: Timestamp,
    /// May lie before `at`: a fault reaches back.
    pub effective_from: Timestamp,
    #[serde(rename = "type")]
    pub what: RevocationType,
    pub target: RevocationTarget,
    /// The actions it is about; empty for all.
    pub actions: Vec<Action>,
    pub reason: RevocationReason,
    pub why: String,
    /// The digest of what is to be used instead.
    #[schema(required)]
    pub replaced_by: Option<String>,
    /// `entry_sha256` of the entry before; null for the first.
    #[schema(required)]
    pub prev: Option<String>,
    /// SHA-256 of the canonical JSON of this entry without this member.
    pub entry_sha256: String,
}

open_enum! {
    /// What an entry does.
    pub enum RevocationType {
        Revoked = "revoked",
        /// A newer answer is stricter.
        Tightened = "tightened",
        /// Withheld until a cause is gone.
        Suspended = "suspended",
        /// No longer withheld.
        Reinstated = "reinstated",
    }
}

/// What an entry is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationTarget {
    pub kind: RevocationTargetKind,
    /// A digest, a key's id, a build's name, an observer's id or a domain.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub domain: Option<Domain>,
}

open_enum! {
    /// What can be taken back.
    pub enum RevocationTargetKind {
        Decision = "decision",
        Answer = "answer",
        McpScan = "mcp_scan",
        McpLock = "mcp_lock",
        Build = "build",
        Key = "key",
        Observer = "observer",
        DomainControl = "domain_control",
        /// Everything said of a domain, for the entry's actions.
        Domain = "domain",
    }
}

open_enum! {
    /// Why something was taken back.
    pub enum RevocationReason {
        EvidenceWrong = "evidence_wrong",
        ObserverFault = "observer_fault",
        RuleFault = "rule_fault",
        CodeFault = "code_fault",
        KeyCompromised = "key_compromised",
        ControlLapsed = "control_lapsed",
        OwnerObjection = "owner_objection",
        SiteChanged = "site_changed",
        ImpersonationFound = "impersonation_found",
        McpSurfaceChanged = "mcp_surface_changed",
        Unspecified = "unspecified",
    }
}
