//! What a site says about itself, recorded and not judged (`/api/v1/claims`).

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
    /// False when nothing was read yet.
    pub observed: bool,
    pub generated_at: Timestamp,
    /// What the two times of a claim mean.
    pub axes: BitemporalAxes,
    pub claims: Vec<Claim>,
    pub contradictions: Vec<ClaimContradiction>,
    pub carriers_read: Vec<CarrierRead>,
    /// There when nothing was read yet: the address whose reading begins.
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

/// One claim with its two times. Intervals are half-open: from, and until just before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Claim {
    pub id: String,
    pub subject: String,
    /// `organization.name`, `contact.phone`, `policy.training`, …
    pub property: String,
    /// Written by the site: not to be trusted.
    pub untrusted_value: String,
    /// Of `untrusted_value`.
    pub value_sha256: String,
    pub carrier: ClaimCarrier,
    pub said_from: Timestamp,
    /// Null while it is still said.
    #[schema(required)]
    pub said_to: Option<Timestamp>,
    pub recorded_from: Timestamp,
    /// Null while nothing else was written down about it.
    #[schema(required)]
    pub recorded_to: Option<Timestamp>,
    pub state: ClaimStanding,
    pub checked: ClaimChecked,
}

open_enum! {
    /// What became of a claim.
    pub enum ClaimStanding {
        Current = "current",
        /// The same carrier now says something else of the same property.
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
    #[schema(required)]
    pub pointer: Option<String>,
    /// Of the body it was read from.
    #[schema(required)]
    pub evidence_sha256: Option<String>,
}

/// Whether other carriers of the same reading say the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimChecked {
    pub state: ClaimCheck,
    #[schema(required)]
    pub against: Option<String>,
    #[schema(required)]
    pub at: Option<Timestamp>,
}

open_enum! {
    /// What a claim was found to be beside others.
    pub enum ClaimCheck {
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
    /// Between what two claims disagree.
    pub enum ContradictionKind {
        SamePage = "same_page",
        BetweenCarriers = "between_carriers",
        /// A value that was given up came back.
        OverTime = "over_time",
    }
}

/// What was looked at for claims, in the newest reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CarrierRead {
    #[serde(rename = "type")]
    pub kind: String,
    pub url: String,
    pub state: CarrierState,
    #[schema(required)]
    pub http_status: Option<u16>,
}

open_enum! {
    /// What a look at a carrier came to.
    pub enum CarrierState {
        Observed = "observed",
        Absent = "absent",
        /// A refusal says nothing about what is there.
        Refused = "refused",
        NotMeasured = "not_measured",
    }
}
