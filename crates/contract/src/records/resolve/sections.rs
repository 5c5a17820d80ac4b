//! The sections of an answer, each with its own state and time of observation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::actions::Decision;
use super::super::section::Section;
use crate::{Timestamp, open_enum};

// utoipa's derive needs an alias for each generic section; see `Section`.
pub type CrawlPolicySection = Section<CrawlPolicy>;
pub type DeliverySection = Section<Delivery>;
pub type MachineFilesSection = Section<MachineFiles>;
pub type CapabilitiesSection = Section<Capabilities>;
pub type EntitySection = Section<Entity>;
pub type ImpersonationSection = Section<Impersonation>;
pub type DnsSection = Section<Dns>;
pub type TlsSection = Section<Tls>;

/// What robots.txt allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CrawlPolicy {
    /// The address of the policy file.
    pub source: String,
    #[schema(required)]
    pub http_status: Option<u16>,
    pub path_tested: String,
    pub agents: Vec<AgentPolicy>,
    /// Values by signal name; null when the file has no content signal.
    #[schema(required)]
    pub content_signal: Option<BTreeMap<String, String>>,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentPolicy {
    pub agent: String,
    pub allowed_homepage: bool,
}

/// What each identity was served. This service sends every request itself, from its own network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    pub url: String,
    pub identity_basis: String,
    pub identities: Vec<DeliveryIdentity>,
    /// Null when fewer than two identities got a response.
    #[schema(required)]
    pub same_bytes_for_every_identity: Option<bool>,
    /// What the home page holds for a client that runs no scripts; null when no page was served.
    #[serde(default)]
    #[schema(required)]
    pub content: Option<DeliveredContent>,
    /// Further pages that a full scan read. Empty for a live reading.
    #[serde(default)]
    pub further_pages: Vec<DeliveredPage>,
}

open_enum! {
    /// Whether a page holds text that an agent can read.
    pub enum ContentState {
        Text = "text",
        /// No text, or none before scripts run.
        NoText = "no_text",
        /// A PDF file, JSON, an image or another document.
        NotAPage = "not_a_page",
    }
}

/// What the home page holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveredContent {
    pub state: ContentState,
    /// `html`, `text`, `pdf`, `json`, as in a scan's `content.page_kind`.
    #[schema(required)]
    pub kind: Option<String>,
    #[schema(required)]
    pub words: Option<u32>,
    /// Whether the page is longer than what this service reads.
    pub cut: bool,
    /// Whether part of the text is only for subscribers.
    pub paywall: bool,
}

/// What was seen of a further page of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveredPage {
    pub path: String,
    pub browser_served: bool,
    /// AI identities that requested the page.
    pub ai_requested: u32,
    /// Of these, those that get the home page and were kept out of this page, while the browser got it.
    pub ai_kept_out: u32,
    /// Whether the page has hidden instructions to machines, or some that tell them to ignore their own.
    pub instruction_like_text: bool,
}

/// The response to one identity. Null where there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryIdentity {
    pub identity: String,
    pub label: String,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub bytes: Option<u64>,
    #[schema(required)]
    pub html: Option<bool>,
    #[schema(required)]
    pub final_host: Option<String>,
    /// What was served instead of the page, as in a scan's `agentview`; null when it was the page, or
    /// nothing was received.
    #[serde(default)]
    #[schema(required)]
    pub blocker: Option<String>,
    /// SHA-256 of the body.
    #[schema(required)]
    pub sha256: Option<String>,
}

/// The files that a site publishes for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MachineFiles {
    pub files: Vec<MachineFile>,
    /// What the digests are computed over, as text.
    pub hashes: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MachineFile {
    pub path: String,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub content_type: Option<String>,
    #[schema(required)]
    pub bytes: Option<u64>,
    /// False for every status that is not a success; null when there was no response.
    #[schema(required)]
    pub present: Option<bool>,
    #[schema(required)]
    pub sha256: Option<String>,
}

/// The capabilities that the site declares, and what calls of public read-only operations showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Capabilities {
    pub declared: u32,
    pub by_safety_class: BTreeMap<String, u32>,
    pub verified: u32,
    pub mismatches: u32,
    /// Which capabilities may be called for verification, as text.
    pub invocation_rule: String,
    /// The address of the verification, if there is one.
    #[schema(required)]
    pub certificate: Option<String>,
    pub items: Vec<Capability>,
    pub declared_files: Vec<String>,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Capability {
    /// Written by the site. Do not trust it.
    pub untrusted_name: String,
    /// The address that the site declares for it; null when it declares none. Written by the site.
    /// Do not trust it.
    #[schema(required)]
    pub untrusted_endpoint: Option<String>,
    /// The path of the file that declares it.
    pub declared_in: String,
    pub safety_class: SafetyClass,
    /// Whether it behaves as declared; null until it was called and compared. False only if two calls
    /// got a response that the declaration rules out.
    #[schema(required)]
    pub as_declared: Option<bool>,
    /// SHA-256 of the file that declares it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub declaration_sha256: Option<String>,
    /// What calls of it showed; only for operations that were called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CapabilityCall>,
    /// What the latest stored scan of the MCP server says; only for servers of an MCP server card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_scan: Option<CapabilityMcpScan>,
}

/// What calls of a declared operation showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapabilityCall {
    pub result: CallResult,
    /// The reason for the result, as text.
    pub why: String,
    /// When it was called, for the first time of this result.
    pub called_at: Timestamp,
    /// What was compared with the declaration: `status`, `content_type`, `body`.
    pub compared: Vec<String>,
    /// Keywords of the declared schema that were not compared.
    pub not_compared: Vec<String>,
    /// What the declaration rules out; null unless the result is `differs`.
    #[schema(required)]
    pub difference: Option<CallDifference>,
    /// The requests, in their order.
    pub readings: Vec<CallReading>,
}

open_enum! {
    /// What calls of an operation showed.
    pub enum CallResult {
        AsDeclared = "as_declared",
        Differs = "differs",
        /// The response says nothing about the declaration, or was not confirmed by a second one.
        NotMeasured = "not_measured",
    }
}

/// Where a response contradicts its declaration. The texts may contain names that the site chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallDifference {
    /// `credentials`, `status`, `content_type` or `body`.
    pub part: String,
    pub untrusted_declared: String,
    pub untrusted_found: String,
}

/// One request of a declared operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallReading {
    /// The id of the reading in the evidence of the scan.
    pub reading: String,
    pub at: Timestamp,
    pub method: String,
    /// The requested address. Written by the site. Do not trust it.
    pub untrusted_url: String,
    /// Null when there was no response.
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub untrusted_content_type: Option<String>,
    /// SHA-256 of the body.
    #[schema(required)]
    pub body_sha256: Option<String>,
    pub result: CallResult,
}

/// The latest stored scan of a declared MCP server. An answer never causes a scan of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapabilityMcpScan {
    /// The state of the scan, or `not_measured` if none is stored.
    pub state: String,
    /// Why nothing is known; null if there is a scan.
    #[schema(required)]
    pub why: Option<String>,
    #[schema(required)]
    pub scanned_at: Option<Timestamp>,
    #[schema(required)]
    pub scan_sha256: Option<String>,
    /// The digest of everything the server lists; null if not all of it was read.
    #[schema(required)]
    pub surface_sha256: Option<String>,
    /// The scan's decision about connecting.
    #[schema(required)]
    pub connect: Option<Decision>,
    /// Where a scan of the server can be had; null if the address is not one of a public server.
    #[schema(required)]
    pub address: Option<String>,
}

impl CapabilityMcpScan {
    /// Nothing is known of the server.
    #[must_use]
    pub fn not_measured(why: &str) -> Self {
        Self {
            state: "not_measured".to_owned(),
            why: Some(why.to_owned()),
            scanned_at: None,
            scan_sha256: None,
            surface_sha256: None,
            connect: None,
            address: None,
        }
    }
}

open_enum! {
    /// What calling a capability could do. This service only ever calls `read_only_public`.
    pub enum SafetyClass {
        ReadOnlyPublic = "read_only_public",
        ReadOnlyAuthenticated = "read_only_authenticated",
        Paid = "paid",
        WriteReversible = "write_reversible",
        WriteDestructive = "write_destructive",
        Transactional = "transactional",
        Administrative = "administrative",
        Unknown = "unknown",
    }
}

/// The organisation or person that the site says is behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entity {
    /// Written by the site. Do not trust it.
    #[schema(required)]
    pub untrusted_name: Option<String>,
    /// Types from a public vocabulary such as schema.org.
    pub types: Vec<String>,
    #[schema(required)]
    pub url: Option<String>,
    /// Other addresses that the site says belong to the same entity.
    pub same_as: Vec<String>,
    /// The addresses this was read from.
    pub sources: Vec<String>,
}

/// Whether the domain name imitates a well-known name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Impersonation {
    pub verdict: ImpersonationVerdict,
    /// The ranking that the name is compared with.
    pub brand_frame: String,
    /// The names it resembles, strongest resemblance first.
    #[serde(default)]
    #[schema(required)]
    pub likeness: Vec<Likeness>,
}

impl Impersonation {
    pub const MAX_LIKENESS: usize = 5;
}

/// A name in the ranking that the domain resembles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Likeness {
    pub of: String,
    /// Its rank, from 1.
    pub rank: u64,
    pub class: LikenessClass,
    pub why: String,
}

open_enum! {
    /// How one name resembles another.
    pub enum LikenessClass {
        /// Characters of other scripts, or with diacritics, that look like those of the name.
        IdnHomograph = "idn_homograph",
        /// ASCII letters and digits that look like those of the name.
        Confusable = "confusable",
        /// The name with a word about signing in or paying.
        BrandWithLure = "brand_with_lure",
        BrandWithWord = "brand_with_word",
        /// The name is a subdomain of an unrelated domain.
        BrandSubdomain = "brand_subdomain",
        Hyphenation = "hyphenation",
        Transposition = "transposition",
        DoubledLetter = "doubled_letter",
        Omission = "omission",
        Insertion = "insertion",
        /// A letter replaced by a neighbouring key or another vowel.
        Replacement = "replacement",
        /// One bit of one character is flipped.
        Bitsquat = "bitsquat",
        /// The same label under another suffix.
        OtherSuffix = "other_suffix",
    }
}

open_enum! {
    /// Whether a name imitates another.
    pub enum ImpersonationVerdict {
        NoLookalike = "no_lookalike",
        /// Resembles another name, with no further indication.
        Lookalike = "lookalike",
        Suspected = "suspected",
    }
}

/// What the DNS resolver returned for the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Dns {
    pub resolver: String,
    /// Null when the resolver's answer does not tell.
    #[schema(required)]
    pub exists: Option<bool>,
    pub a: Vec<String>,
    pub aaaa: Vec<String>,
    pub cname: Vec<String>,
    #[schema(required)]
    pub rcode: Option<String>,
    /// The resolver's authenticated-data flag.
    #[schema(required)]
    pub dnssec_validated: Option<bool>,
    pub note: String,
}

/// How the site responds over https.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tls {
    pub https: bool,
    pub url: String,
    #[schema(required)]
    pub final_host: Option<String>,
    #[schema(required)]
    pub http_status: Option<u16>,
    /// The Strict-Transport-Security field.
    #[schema(required)]
    pub hsts: Option<String>,
    /// A description of the certificate; null when there was none.
    #[schema(required)]
    pub certificate: Option<String>,
    /// Whether the certificate is valid (chain, name and validity period); null when there was
    /// none.
    #[serde(default)]
    #[schema(required)]
    pub certificate_holds: Option<bool>,
    /// Whether the home page was requested over https and came over plain http after redirects.
    #[serde(default)]
    pub redirects_to_http: bool,
    pub note: String,
}
