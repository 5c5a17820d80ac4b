//! 2.6: a domain's registration data and its timeline. Registrant details are never requested, so
//! there are no members for them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-domain`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DomainRecord {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub domain: Domain,
    pub generated_at: Timestamp,
    pub registry: Registry,
    /// Newest first.
    pub timeline: Vec<TimelineEntry>,
    /// Send this as `cursor` for older entries; null when there are none.
    #[schema(required)]
    pub cursor: Option<String>,
    /// Whether there are older entries.
    pub has_more: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// Registration data of the registered domain that the requested name belongs to. Null where the registry gives
/// none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Registry {
    pub state: RegistryState,
    /// Why nothing was observed. If the registry was read before, the values are those of that reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub why: Option<String>,
    /// The name that is registered: the requested one, or the one that it is below.
    pub registered_domain: Domain,
    /// When the values were read; null when they never were.
    #[schema(required)]
    pub read_at: Option<Timestamp>,
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
        /// The registry says that nobody has registered the domain.
        NotRegistered = "not_registered",
        /// The registry could not be read, or not now.
        NotMeasured = "not_measured",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TimelineEntry {
    /// When it happened, or when this service learned of it.
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
        /// Control over the domain was proven, lost or suspended.
        ControlChanged = "control_changed",
    }
}
