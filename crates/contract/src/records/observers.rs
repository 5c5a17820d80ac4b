//! Who knocks on behalf of this service, from where, and how to make it stop
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
    /// When `prefixes` was made. With them in the form that feeds of crawlers have, so that tools
    /// which read those read this.
    #[serde(rename = "creationTime")]
    pub creation_time: Timestamp,
    pub prefixes: Vec<ObserverPrefix>,
    pub signature_agent: SignatureAgent,
    pub verify: ObserverVerify,
    pub robots: ObserverRobots,
    pub limits: ObserverLimits,
    /// What none of our readers ever does.
    pub never: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// Who runs the service. Null where the operator has not said.
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

/// A place we look from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverEntry {
    pub id: String,
    pub version_tag: String,
    pub state: ObserverState,
    pub role: ObserverRole,
    pub network: ObserverNetwork,
    /// The networks that requests come from, as CIDR; empty when they are not published.
    pub egress: Vec<String>,
    /// Whom it asks for addresses.
    #[schema(required)]
    pub resolver: Option<String>,
    /// Null where it is not known.
    #[schema(required)]
    pub since: Option<Timestamp>,
    #[schema(required)]
    pub until: Option<Timestamp>,
    /// A key of its own, if it has one.
    #[schema(required)]
    pub key: Option<ObserverKey>,
}

open_enum! {
    /// Whether an observer still looks.
    pub enum ObserverState { Active = "active", Retired = "retired" }
}

open_enum! {
    /// Which observer answers come from.
    pub enum ObserverRole { Primary = "primary", Secondary = "secondary" }
}

/// As far as the operator has said; null elsewhere.
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

/// A name that we send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverIdentity {
    pub id: String,
    pub label: String,
    /// Null for our own reader, which is compared with nobody.
    #[schema(required)]
    pub role: Option<Role>,
    pub user_agent: String,
    /// The robots.txt token of the agent whose name this is; null when it is nobody's.
    #[schema(required)]
    pub agent_imitated: Option<String>,
    pub note: String,
}

/// One network, under one of the two names that feeds of crawlers use.
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

/// How a site owner tells our requests from forged ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverVerify {
    pub how: Vec<String>,
    #[schema(required)]
    pub reverse_dns_suffix: Option<String>,
}

/// How a site owner makes it stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverRobots {
    pub product_token: String,
    pub honoured: bool,
    pub opt_out: String,
}

/// How often we come at most. Null where there is no such limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObserverLimits {
    /// Requests to one host that are under way at a time.
    pub requests_at_once_per_host: u32,
    pub scans_at_once_per_domain: u32,
    /// A domain scanned within this time is not scanned again.
    pub rescan_seconds: u64,
    pub live_budget_ms: u64,
    #[schema(required)]
    pub requests_per_domain_per_day: Option<u32>,
    #[schema(required)]
    pub min_delay_ms: Option<u32>,
}
