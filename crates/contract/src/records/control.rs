//! 2.5 and 3.1: who has proven control of a domain. Control changes no decision.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-domain-control`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlRecord {
    pub kind: String,
    pub v: u32,
    pub domain: Domain,
    pub state: ClaimState,
    /// The meaning of the state, as text.
    pub means: String,
    /// Null when nobody has claimed the domain; then the times are null too.
    #[schema(required)]
    pub method: Option<ControlMethod>,
    #[schema(required)]
    pub claimed_at: Option<Timestamp>,
    #[schema(required)]
    pub last_verified_at: Option<Timestamp>,
    #[schema(required)]
    pub last_check_at: Option<Timestamp>,
    #[schema(required)]
    pub next_check_at: Option<Timestamp>,
    /// Set while the proof is missing.
    #[schema(required)]
    pub grace_ends_at: Option<Timestamp>,
    #[schema(required)]
    pub registry_at_claim: Option<RegistryAtClaim>,
    /// Of all claims of the domain, oldest first.
    pub events: Vec<ControlEvent>,
    /// What was read to prove control; only in the response to a claim's check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub proof: Option<ProofSeen>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// What was read to prove control.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProofSeen {
    pub readings: Vec<ControlReading>,
    pub seen_at: Timestamp,
}

open_enum! {
    /// The state of a domain-control claim.
    pub enum ClaimState {
        Proven = "proven",
        ProofMissing = "proof_missing",
        Lapsed = "lapsed",
        SuspendedTransfer = "suspended_transfer",
        SuspendedExpired = "suspended_expired",
        ZoneNotRechecked = "zone_not_rechecked",
        Unproven = "unproven",
    }
}

open_enum! {
    /// How control is proven.
    pub enum ControlMethod {
        MetaTag = "meta_tag",
        DnsTxt = "dns_txt",
        WellKnownFile = "well_known_file",
    }
}

/// The registration data at the time of the claim; null where the registry gave none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegistryAtClaim {
    #[schema(required)]
    pub created: Option<String>,
    #[schema(required)]
    pub expires: Option<String>,
    #[schema(required)]
    pub registrar: Option<String>,
}

/// An event in the life of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlEvent {
    pub at: Timestamp,
    /// Which claim: several people can prove control of one domain.
    pub claim: String,
    #[serde(rename = "type")]
    pub event: ControlEventType,
    pub from_state: ClaimState,
    pub to_state: ClaimState,
    #[schema(required)]
    pub method: Option<ControlMethod>,
    pub why: String,
    pub readings: Vec<ControlReading>,
    /// SHA-256 of the event without this member.
    pub event_sha256: String,
}

open_enum! {
    /// The type of an event of a claim.
    pub enum ControlEventType {
        Claimed = "claimed",
        Verified = "verified",
        Rechecked = "rechecked",
        ProofMissing = "proof_missing",
        GraceEnded = "grace_ended",
        Lapsed = "lapsed",
        Suspended = "suspended",
        TransferSeen = "transfer_seen",
        Reproven = "reproven",
        Withdrawn = "withdrawn",
        /// The owner reports an incident.
        IncidentReported = "incident_reported",
        IncidentEnded = "incident_ended",
    }
}

/// What one observer found when it checked the proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ControlReading {
    pub observer: String,
    pub network: String,
    pub result: String,
}
