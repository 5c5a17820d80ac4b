//! What a site states about itself, recorded and not judged (`/api/v1/claims`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{BitemporalAxes, Signature};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-claims`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimsRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    /// False when the site has not been read yet.
    pub observed: bool,
    pub generated_at: Timestamp,
    /// The meaning of a claim's two time axes.
    pub axes: BitemporalAxes,
    pub claims: Vec<Claim>,
    pub contradictions: Vec<ClaimContradiction>,
    pub carriers_read: Vec<CarrierReading>,
    /// Present when the site has not been read yet: requesting this address starts a reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub start: Option<String>,
    pub reading: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// One claim with its two time intervals. Intervals include their start and exclude their end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Claim {
    pub id: String,
    pub subject: String,
    /// `organization.name`, `contact.phone`, `policy.training`, …
    pub property: String,
    /// Written by the site. Do not trust it.
    pub untrusted_value: String,
    /// SHA-256 of `untrusted_value`.
    pub value_sha256: String,
    pub carrier: ClaimCarrier,
    /// When the site was first observed to state this.
    pub said_from: Timestamp,
    /// When the site was first observed to no longer state this; null while it does.
    #[schema(required)]
    pub said_to: Option<Timestamp>,
    /// When this service recorded the claim.
    pub recorded_from: Timestamp,
    /// When a later record replaced it; null while none has.
    #[schema(required)]
    pub recorded_to: Option<Timestamp>,
    pub state: ClaimStatus,
    pub checked: ClaimCheckResult,
}

open_enum! {
    /// Whether the site still makes a claim.
    pub enum ClaimStatus {
        Current = "current",
        /// The same carrier now states another value for the same property.
        Changed = "changed",
        Withdrawn = "withdrawn",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimCarrier {
    /// `robots`, `json_ld`, `llms_txt`, `meta`, `http_header`, `visible_text`, …
    #[serde(rename = "type")]
    pub kind: String,
    pub url: String,
    /// A line of a file (`line 3`), or for `json_ld` a JSON Pointer (RFC 6901) into the block; null if
    /// neither is known.
    #[schema(required)]
    pub pointer: Option<String>,
    /// For `json_ld`: the number of the block among the JSON-LD scripts of the page, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub block: Option<u32>,
    /// SHA-256 of the body it was read from.
    #[schema(required)]
    pub evidence_sha256: Option<String>,
}

/// Whether other carriers in the same reading state the same value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimCheckResult {
    pub state: ClaimAgreement,
    #[schema(required)]
    pub against: Option<String>,
    #[schema(required)]
    pub at: Option<Timestamp>,
}

open_enum! {
    /// How a claim compares with other claims.
    pub enum ClaimAgreement {
        Agrees = "agrees",
        Disagrees = "disagrees",
        NotMeasured = "not_measured",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimContradiction {
    pub property: String,
    pub claim_ids: Vec<String>,
    pub kind: ContradictionKind,
}

open_enum! {
    /// Where two contradicting claims were found.
    pub enum ContradictionKind {
        SamePage = "same_page",
        BetweenCarriers = "between_carriers",
        /// An earlier value replaced the current one again.
        OverTime = "over_time",
    }
}

/// A place where the newest reading looked for claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CarrierReading {
    #[serde(rename = "type")]
    pub kind: String,
    pub url: String,
    pub state: CarrierState,
    #[schema(required)]
    pub http_status: Option<u16>,
}

open_enum! {
    /// The result of reading a carrier.
    pub enum CarrierState {
        Observed = "observed",
        Absent = "absent",
        /// The server refused the request, so it is not known whether the carrier exists.
        Refused = "refused",
        NotMeasured = "not_measured",
    }
}
