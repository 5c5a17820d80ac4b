//! Revoked decisions (`GET /api/v1/revocations`): the domains for which actions are currently
//! withheld, and the hash chain of all revocation entries.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Action, Signature};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-revocations`, signed.
///
/// `revoked` and `cleared` form a list for clients to keep: the complete list when `since` is null,
/// otherwise the changes since then. `entries` is one page of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationList {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub generated_at: Timestamp,
    /// The number of the newest entry; 0 when there is none.
    pub seq: u64,
    /// As in the request; null for the complete list.
    #[schema(required)]
    pub since: Option<Timestamp>,
    /// Whether the stored entries reach back to `since`. If not, fetch the complete list.
    pub delta_complete: bool,
    /// Domains with withheld actions. `read` and `cite` are never withheld. A domain includes all
    /// names under it.
    pub revoked: Vec<RevokedDomain>,
    /// Domains whose actions are no longer withheld.
    pub cleared: Vec<ClearedDomain>,
    pub this_update: Timestamp,
    /// A new list is published by this time even without changes. A list past this time is
    /// outdated.
    pub next_update: Timestamp,
    /// As in the request.
    #[schema(required)]
    pub from_cursor: Option<String>,
    /// Send this as `cursor` for the next page.
    pub cursor: String,
    /// Whether more entries follow.
    pub has_more: bool,
    /// The newest entry of the whole chain; null when there is none.
    #[schema(required)]
    pub head: Option<RevocationHead>,
    pub coverage: RevocationCoverage,
    /// In ascending order of `seq`.
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
        /// A high-risk change (one that an attacker who took over the site would make) was observed
        /// and is not confirmed yet.
        HighRiskPending = "high_risk_pending",
    }
}

open_enum! {
    /// Whether the actions can become available again.
    pub enum RevokedState {
        /// Withheld until the causes end.
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

/// The period that the entries cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationCoverage {
    /// Nothing is known about the time before; null when the start is unknown.
    #[schema(required)]
    pub from: Option<Timestamp>,
    /// How long entries are stored; null when they are never removed.
    #[schema(required)]
    pub retained_days: Option<u32>,
    /// Whether every entry since `from` is stored.
    pub complete: bool,
}

/// One entry of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationEntry {
    /// From 1, without a gap.
    pub seq: u64,
    pub at: Timestamp,
    /// Can be earlier than `at`, when the fault existed before it was found.
    pub effective_from: Timestamp,
    #[serde(rename = "type")]
    pub entry_type: RevocationType,
    pub target: RevocationTarget,
    /// The affected actions; empty for all.
    pub actions: Vec<Action>,
    pub reason: RevocationReason,
    pub why: String,
    /// The digest of the replacement.
    #[schema(required)]
    pub replaced_by: Option<String>,
    /// `entry_sha256` of the previous entry; null for the first.
    #[schema(required)]
    pub prev: Option<String>,
    /// SHA-256 of the canonical JSON of this entry without this member.
    pub entry_sha256: String,
}

open_enum! {
    /// The effect of an entry.
    pub enum RevocationType {
        Revoked = "revoked",
        /// A newer answer is stricter.
        Tightened = "tightened",
        /// Withheld until a cause ends.
        Suspended = "suspended",
        /// No longer withheld.
        Reinstated = "reinstated",
    }
}

/// What an entry applies to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevocationTarget {
    pub kind: RevocationTargetKind,
    /// A digest, a key id, a build's `version_id`, an observer id or a domain.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub domain: Option<Domain>,
}

open_enum! {
    /// What can be revoked.
    pub enum RevocationTargetKind {
        Decision = "decision",
        Answer = "answer",
        McpScan = "mcp_scan",
        McpLock = "mcp_lock",
        Build = "build",
        Key = "key",
        Observer = "observer",
        DomainControl = "domain_control",
        /// All decisions about a domain, for the entry's actions.
        Domain = "domain",
    }
}

open_enum! {
    /// Why something was revoked.
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
