//! The sections that carry their own state and time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::section::Section;
use crate::open_enum;

// The derive asks an alias for its name and schema; see `Section`.
pub type CrawlPolicySection = Section<CrawlPolicy>;
pub type DeliverySection = Section<Delivery>;
pub type MachineFilesSection = Section<MachineFiles>;
pub type CapabilitiesSection = Section<Capabilities>;
pub type EntitySection = Section<Entity>;
pub type ImpersonationSection = Section<Impersonation>;
pub type DnsSection = Section<Dns>;
pub type TlsSection = Section<Tls>;

/// What robots.txt says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CrawlPolicy {
    /// The address of the policy file.
    pub source: String,
    #[schema(required)]
    pub http_status: Option<u16>,
    pub path_tested: String,
    pub agents: Vec<AgentPolicy>,
    /// Signal name to its value; null when the file gives no such signal.
    #[schema(required)]
    pub content_signal: Option<BTreeMap<String, String>>,
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentPolicy {
    pub agent: String,
    pub allowed_homepage: bool,
}

/// What each identity was given. Every one is sent by us, from our own network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    pub url: String,
    pub identity_basis: String,
    pub identities: Vec<DeliveryIdentity>,
    /// Null when fewer than two identities were answered.
    #[schema(required)]
    pub same_bytes_for_every_identity: Option<bool>,
}

/// Null where no answer came.
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
    /// Of the body.
    #[schema(required)]
    pub sha256: Option<String>,
}

/// The files a site puts up for machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MachineFiles {
    pub files: Vec<MachineFile>,
    /// What the digests are taken over, in words.
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
    /// False for every answer that is not a success; null when there was no answer.
    #[schema(required)]
    pub present: Option<bool>,
    #[schema(required)]
    pub sha256: Option<String>,
}

/// What the site says it can do, from declarations alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Capabilities {
    pub declared: u32,
    pub by_safety_class: BTreeMap<String, u32>,
    pub verified: u32,
    pub mismatches: u32,
    /// What may be called for verification, in words.
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
    /// Written by the site: not to be trusted.
    pub untrusted_name: String,
    /// Where the site says it answers; null when it does not say. Not to be trusted either.
    #[schema(required)]
    pub untrusted_endpoint: Option<String>,
    /// The path of the file that declares it.
    pub declared_in: String,
    pub safety_class: SafetyClass,
    /// Null until it was called and compared.
    #[schema(required)]
    pub as_declared: Option<bool>,
}

open_enum! {
    /// What calling a capability could do. Only `read_only_public` is ever called.
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

/// Who the site says is behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Entity {
    /// Written by the site: not to be trusted.
    #[schema(required)]
    pub untrusted_name: Option<String>,
    /// Types of a public vocabulary.
    pub types: Vec<String>,
    #[schema(required)]
    pub url: Option<String>,
    /// Other addresses the site says are the same entity's.
    pub same_as: Vec<String>,
    /// The addresses this was read from.
    pub sources: Vec<String>,
}

/// Whether the name looks like somebody else's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Impersonation {
    pub verdict: ImpersonationVerdict,
    /// The ranking whose names it is compared with.
    pub brand_frame: String,
    /// The names it is like, the strongest first.
    #[serde(default)]
    #[schema(required)]
    pub likeness: Vec<Likeness>,
}

impl Impersonation {
    pub const MAX_LIKENESS: usize = 5;
}

/// One name of the ranking that the domain is like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Likeness {
    pub of: String,
    /// Its place in the ranking, the first being 1.
    pub rank: u64,
    pub class: LikenessClass,
    pub why: String,
}

open_enum! {
    /// In which way one name is like another.
    pub enum LikenessClass {
        /// Characters of other scripts, or with marks, that look like the name's own.
        IdnHomograph = "idn_homograph",
        /// Letters and digits of ASCII that look like the name's own.
        Confusable = "confusable",
        /// The name and a word that goes with signing in or paying.
        BrandWithLure = "brand_with_lure",
        BrandWithWord = "brand_with_word",
        /// The name stands left of somebody else's domain.
        BrandSubdomain = "brand_subdomain",
        Hyphenation = "hyphenation",
        Transposition = "transposition",
        DoubledLetter = "doubled_letter",
        Omission = "omission",
        Insertion = "insertion",
        /// A key beside the right one, or another vowel.
        Replacement = "replacement",
        /// One bit of one character is another.
        Bitsquat = "bitsquat",
        /// The same label under another suffix.
        OtherSuffix = "other_suffix",
    }
}

open_enum! {
    /// Whether a name imitates another.
    pub enum ImpersonationVerdict {
        NoLookalike = "no_lookalike",
        /// Like another name, and nothing more is known.
        Lookalike = "lookalike",
        Suspected = "suspected",
    }
}

/// What the resolver says about the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Dns {
    pub resolver: String,
    /// Null when the resolver gave no answer that says.
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

/// How the site answers over https.
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
    /// What the certificate shows, in words; null when there was none.
    #[schema(required)]
    pub certificate: Option<String>,
    /// Whether its chain, name and time hold; null when there was none.
    #[serde(default)]
    #[schema(required)]
    pub certificate_holds: Option<bool>,
    pub note: String,
}
