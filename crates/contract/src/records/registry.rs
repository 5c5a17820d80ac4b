//! 2.6: a domain's registration data and its timeline. Registrant details are never requested, so
//! there are no members for them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-domain`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DomainRecord {
    pub kind: String,
    pub v: u32,
    pub domain: Domain,
    pub registry: Registry,
    pub timeline: Vec<TimelineEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// Registration data. Null where the registry gives none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Registry {
    pub state: RegistryState,
    /// Why nothing was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    /// The address of the registry's response.
    #[schema(required)]
    pub source: Option<String>,
    #[schema(required)]
    pub registrar: Option<String>,
    #[schema(required)]
    pub registrar_iana_id: Option<String>,
    #[schema(required)]
    pub created: Option<Timestamp>,
    #[schema(required)]
    pub expires: Option<Timestamp>,
    #[schema(required)]
    pub changed: Option<Timestamp>,
    pub nameservers: Vec<String>,
    #[schema(required)]
    pub dnssec: Option<bool>,
    pub status: Vec<String>,
}

open_enum! {
    /// Whether the registry could be read.
    pub enum RegistryState {
        Observed = "observed",
        /// The top-level domain has no registry data service.
        NotAvailable = "not_available",
        NotMeasured = "not_measured",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TimelineEntry {
    pub at: Timestamp,
    #[serde(rename = "type")]
    pub event: TimelineType,
    pub detail: String,
    /// `registry`, or the brand of this service.
    pub source: String,
}

open_enum! {
    /// What happened to a domain.
    pub enum TimelineType {
        Registered = "registered",
        FirstRead = "first_read",
        RegistryChanged = "registry_changed",
        AnswerChanged = "answer_changed",
    }
}
