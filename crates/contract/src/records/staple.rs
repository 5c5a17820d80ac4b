//! The staple of a domain (`GET /api/v1/staple`): its decisions in one signed line, which the site
//! can send with its responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decision, Signature};
use crate::{Domain, Timestamp};

/// `{brand}-staple`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StapleRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    pub made_at: Timestamp,
    /// The signed line. It can be verified by itself and covers the domain and every name under it.
    pub staple: String,
    /// The header field to send it in.
    pub header: String,
    pub txt: StapleTxt,
    pub decisions: StapleDecisions,
    /// The staple is not valid from this time on.
    pub fresh_until: Timestamp,
    /// Explains which decisions were made stricter because their evidence expires before the
    /// staple.
    pub reading: String,
    pub answer: StapleAnswer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The same line as a DNS record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StapleTxt {
    /// The label in front of the domain.
    pub name: String,
    /// Quoted, in strings of at most 255 bytes.
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StapleDecisions {
    pub read: Decision,
    pub cite: Decision,
    pub connect: Decision,
    pub transact: Decision,
}

/// The answer that the staple is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StapleAnswer {
    pub answer_sha256: String,
    pub address: String,
}
