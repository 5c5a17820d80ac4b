//! Whether a value is what a business publishes (`/api/v1/field-check`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-field-check`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldCheck {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    pub field: CheckedField,
    /// The value of the request.
    pub asked_value: String,
    pub verdict: FieldVerdict,
    /// Why it is this verdict.
    pub why: String,
    /// What the site publishes for this field: at most 10 values. Those that match come first.
    pub published: Vec<PublishedValue>,
    /// When the site was read; null if it was not.
    #[schema(required)]
    pub read_at: Option<Timestamp>,
    /// How long before this answer that was.
    #[schema(required)]
    pub age_s: Option<u64>,
    pub answered_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    /// What can be checked.
    pub enum CheckedField {
        Phone = "phone",
        Address = "address",
        Hours = "hours",
        ServiceArea = "service_area",
        Website = "website",
        Price = "price",
    }
}

open_enum! {
    /// How a value compares with what the site publishes.
    pub enum FieldVerdict {
        /// It says the same as a published value.
        Matches = "matches",
        /// It says something else than every published value.
        Differs = "differs",
        /// The site was read, and publishes no such value.
        NotPublished = "not_published",
        /// The site could not be read, or the values cannot be compared with certainty.
        NotMeasured = "not_measured",
    }
}

/// A value that the site publishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublishedValue {
    /// Written by the site. Do not trust it.
    pub untrusted_value: String,
    pub verdict: FieldVerdict,
    /// `json_ld`, `microdata`, `visible_text`, …
    pub carrier: String,
    pub url: String,
    /// For `json_ld`: a JSON Pointer (RFC 6901) to the value in its block.
    #[schema(required)]
    pub pointer: Option<String>,
    /// The number of that block among the JSON-LD scripts of the page, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub block: Option<u32>,
    /// For other carriers: where it is on the page (`tel: link`, `header or footer`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub place: Option<String>,
}
