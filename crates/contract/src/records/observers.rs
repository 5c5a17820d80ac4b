//! Which clients this service sends, from which networks, and how a site can refuse them
//! (`/.well-known/crawlcheck-observers.json`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Role, Signature};
use crate::{Timestamp, open_enum};

/// `{brand}-observers`, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverDirectory {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub generated_at: Timestamp,
    pub next_update: Timestamp,
    pub operator: OperatorFacts,
    pub observers: Vec<ObserverEntry>,
    pub identities: Vec<ObserverIdentity>,
    /// When `prefixes` was generated. Both members use the format of crawler range feeds, so tools
    /// that read such feeds can read this one.
    #[serde(rename = "creationTime")]
    pub creation_time: Timestamp,
    pub prefixes: Vec<ObserverPrefix>,
    pub signature_agent: SignatureAgent,
    pub verify: ObserverVerify,
    pub robots: ObserverRobots,
    pub limits: ObserverLimits,
    /// What this service's clients never do.
    pub never: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// Who operates the service. Null where the operator did not configure a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OperatorFacts {
    #[schema(required)]
    pub name: Option<String>,
    pub site: String,
    #[schema(required)]
    pub contact: Option<String>,
    #[schema(required)]
    pub abuse: Option<String>,
    #[schema(required)]
    pub security: Option<String>,
}

/// A location from which this service reads sites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverEntry {
    pub id: String,
    pub version_tag: String,
    pub state: ObserverState,
    pub role: ObserverRole,
    pub network: ObserverNetwork,
    /// The networks that requests come from, in CIDR notation; empty when they are not published.
    pub egress: Vec<String>,
    /// The DNS resolver that it uses.
    #[schema(required)]
    pub resolver: Option<String>,
    /// Null when unknown.
    #[schema(required)]
    pub since: Option<Timestamp>,
    #[schema(required)]
    pub until: Option<Timestamp>,
    /// The observer's own key, if it has one.
    #[schema(required)]
    pub key: Option<ObserverKey>,
}

open_enum! {
    /// Whether an observer is in use.
    pub enum ObserverState { Active = "active", Retired = "retired" }
}

open_enum! {
    /// Whether answers come from this observer.
    pub enum ObserverRole { Primary = "primary", Secondary = "secondary" }
}

/// The observer's network. Null where the operator did not configure a value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverNetwork {
    #[schema(required)]
    pub asn: Option<u32>,
    #[schema(required)]
    pub name: Option<String>,
    #[schema(required)]
    pub rir: Option<String>,
    #[schema(required)]
    pub country: Option<String>,
    #[schema(required)]
    pub region: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverKey {
    pub kid: String,
    pub address: String,
}

/// A user agent that this service sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverIdentity {
    pub id: String,
    pub label: String,
    /// Null for this service's own identity, which is not part of comparisons.
    #[schema(required)]
    pub role: Option<Role>,
    pub user_agent: String,
    /// The robots.txt token of the agent whose user agent is used; null when it is no other
    /// agent's.
    #[schema(required)]
    pub agent_imitated: Option<String>,
    pub note: String,
}

/// One network, in the format of crawler range feeds: either `ipv4Prefix` or `ipv6Prefix`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverPrefix {
    #[serde(rename = "ipv4Prefix", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ipv4_prefix: Option<String>,
    #[serde(rename = "ipv6Prefix", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ipv6_prefix: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignatureAgent {
    /// The address of the key directory.
    pub directory: String,
    pub purpose: String,
}

/// How a site owner can tell this service's requests from forged ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverVerify {
    pub how: Vec<String>,
    #[schema(required)]
    pub reverse_dns_suffix: Option<String>,
}

/// How a site owner can stop the requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverRobots {
    pub product_token: String,
    pub honoured: bool,
    pub opt_out: String,
}

/// Upper limits for requests to a site. Null where there is no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverLimits {
    /// Simultaneous requests to one host.
    pub requests_at_once_per_host: u32,
    pub scans_at_once_per_domain: u32,
    /// A domain that was scanned within this time is not scanned again.
    pub rescan_seconds: u64,
    pub live_budget_ms: u64,
    #[schema(required)]
    pub requests_per_domain_per_day: Option<u32>,
    #[schema(required)]
    pub min_delay_ms: Option<u32>,
}
