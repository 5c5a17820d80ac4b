//! 2.1, further members: what a scan read, by topic. Each says where it comes from (ids of readings)
//! and leaves null what was not measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RightsValue;
use crate::ratio::Ratio;
use crate::{Timestamp, open_enum};

/// What the site declares about who may read it, and what for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PolicyReading {
    pub robots: RobotsReading,
    /// Per agent and path, what robots.txt declares, and the line that decides.
    pub access: Vec<AccessRule>,
    /// Every rights signal that was read, in the order it was read.
    pub signals: Vec<SignalStatement>,
    /// What is wrong with signals.
    pub signal_faults: Vec<SignalFault>,
    /// Per use (`train`, `ground`, `summarize`, `cite`, `transact`) what the signals come to.
    pub rights: BTreeMap<String, RightsDecision>,
}

/// robots.txt as a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RobotsReading {
    pub state: RobotsState,
    #[schema(required)]
    pub http_status: Option<u16>,
    /// What the state rests on.
    pub why: String,
    /// Whether every identity was given the same file; null when it was not read as several.
    #[schema(required)]
    pub same_for_every_identity: Option<bool>,
    /// The identities that were given another file than our own reader.
    pub differs_for: Vec<String>,
    /// Seconds asked for between requests, by token (`*` for everyone).
    pub crawl_delay: BTreeMap<String, String>,
    /// Lines that were put there by something between the site and us, as `first-last: who`.
    pub managed_blocks: Vec<String>,
    pub faults: Vec<FileFault>,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

open_enum! {
    /// What robots.txt comes to.
    pub enum RobotsState {
        /// It was read and sets rules, or none.
        Declared = "declared",
        /// There is none: nothing is forbidden, and nothing said.
        Absent = "absent",
        /// It was refused. Formally that forbids nothing; in practice a wall stands before it.
        Refused = "refused",
        /// It could not be read, which a crawler must take as a full disallow.
        Unreachable = "unreachable",
        /// Something was served there that is no policy.
        NotAPolicy = "not_a_policy",
        NotRead = "not_read",
    }
}

/// What robots.txt declares for one agent and path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccessRule {
    /// The robots.txt token.
    pub agent: String,
    /// What the agent reads for: `training`, `search`, `user`; null for everyone (`*`).
    #[schema(required)]
    pub purpose: Option<String>,
    pub path: String,
    pub allowed: bool,
    /// Whether a group names the agent, or the one for everyone decides, or none does.
    pub scope: AccessScope,
    /// The line of the deciding rule; null when no rule matched.
    #[schema(required)]
    pub line: Option<u32>,
    /// The deciding rule as it stands there. Written by the site: not to be trusted.
    #[schema(required)]
    pub rule: Option<String>,
}

open_enum! {
    /// Which group of robots.txt spoke.
    pub enum AccessScope { Named = "named", Everyone = "everyone", Nobody = "nobody" }
}

/// One thing the site says about the use of its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignalStatement {
    /// `content_signal`, `aipref`, `tdmrep`, `rsl`, `x_robots_tag`, …
    pub mechanism: String,
    /// Where it stands: `robots_txt`, `header`, `meta`, `file`, `status`.
    pub carrier: String,
    /// Use to `allow`, `disallow` or `conditional`.
    pub uses: BTreeMap<String, String>,
    /// The agents it is for; empty for everyone.
    pub agents: Vec<String>,
    #[schema(required)]
    pub path: Option<String>,
    /// As it stands there. Written by the site: not to be trusted.
    pub untrusted_raw: String,
    #[schema(required)]
    pub line: Option<u32>,
    #[schema(required)]
    pub note: Option<String>,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

/// Something that is wrong with a rights signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignalFault {
    pub mechanism: String,
    pub carrier: String,
    pub fault: FileFault,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

/// What the signals come to for one use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsDecision {
    pub value: RightsValue,
    /// The statement that decides, as a place in `signals`; null when none does.
    #[schema(required)]
    pub decided_by: Option<u32>,
    /// Statements that say otherwise.
    pub conflicts: u32,
    /// What makes the value doubtful, in stable words.
    pub doubts: Vec<String>,
}

/// Something in a file that is not as its standard asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileFault {
    /// A stable word.
    pub code: String,
    pub weight: FaultWeight,
    /// A line, a pointer into the document, a header field; empty when the whole is meant.
    pub at: String,
    pub problem: String,
    pub fix: String,
}

open_enum! {
    /// How much a fault spoils.
    pub enum FaultWeight { Note = "note", Warning = "warning", Error = "error" }
}

/// What the home page says, to a reader that runs no scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContentReading {
    /// The reading that stands for the page: the browser's, or the first that was served.
    #[schema(required)]
    pub reading: Option<String>,
    /// Null when no page was served that could be read.
    #[schema(required)]
    pub words: Option<u32>,
    /// Without navigation, headers, footers and the like.
    #[schema(required)]
    pub main_words: Option<u32>,
    /// Whether the page is a shell that a script would fill.
    #[schema(required)]
    pub script_shell: Option<bool>,
    /// Written by the site: not to be trusted.
    #[schema(required)]
    pub untrusted_title: Option<String>,
    #[schema(required)]
    pub untrusted_description: Option<String>,
    #[schema(required)]
    pub language: Option<String>,
    #[schema(required)]
    pub canonical: Option<String>,
    /// Whether the page is also given as Markdown; null when that was not measured.
    #[schema(required)]
    pub markdown: Option<bool>,
    /// How like the page's main text the Markdown is; null without one.
    #[schema(required)]
    pub markdown_similarity: Option<Ratio>,
    /// What is wrong with the Markdown that is given.
    pub markdown_faults: Vec<FileFault>,
    /// Text that reads like an instruction to a machine.
    pub instruction_like: Vec<InstructionLike>,
    /// Relations of the Link fields and elements, each with its target. Written by the site.
    pub links: Vec<DeclaredLink>,
}

/// Text that reads like an instruction to a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InstructionLike {
    /// Where it stands: `visible`, `css_hidden`, `comment`, …
    pub surface: String,
    /// The rule that found it.
    pub rule: String,
    /// Whether a person does not see it.
    pub concealed: bool,
    /// Whether only AI identities were given it.
    pub only_ai: bool,
    /// Written by the site: not to be trusted, and never to be followed.
    pub untrusted_excerpt: String,
    /// What invisible characters spell, if they do.
    #[schema(required)]
    pub untrusted_decoded: Option<String>,
    /// The identities that were given it.
    pub identities: Vec<String>,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

/// A relation the site declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeclaredLink {
    pub rel: String,
    /// Written by the site: not to be trusted.
    pub untrusted_target: String,
    /// `header` or `element`.
    pub carrier: String,
}

/// How the site is reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TransportReading {
    /// Whether the home page came over https; null when it did not come.
    #[schema(required)]
    pub https: Option<bool>,
    /// Where plain http leads: `https`, `other`, `served`, `closed`; null when not measured.
    #[schema(required)]
    pub plain_http: Option<String>,
    /// The Strict-Transport-Security field; null when there is none or it was not measured.
    #[schema(required)]
    pub hsts: Option<String>,
    /// Its max-age in seconds.
    #[schema(required)]
    pub hsts_max_age: Option<u64>,
    /// Versions that were spoken: `1.1`, `2`.
    pub http_versions: Vec<String>,
    /// Whether the site offers HTTP/3 (Alt-Svc), which was not tried.
    #[schema(required)]
    pub http3_offered: Option<bool>,
    #[schema(required)]
    pub tls: Option<TlsReading>,
    pub dns: DnsSummary,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

/// The certificate and what it was carried by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TlsReading {
    pub version: String,
    pub trusted: bool,
    pub errors: Vec<String>,
    #[schema(required)]
    pub issuer: Option<String>,
    #[schema(required)]
    pub not_after: Option<Timestamp>,
    /// Whole days from the reading to the end of the certificate; negative when it is past.
    #[schema(required)]
    pub days_left: Option<i64>,
}

/// What the resolver said of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DnsSummary {
    #[schema(required)]
    pub resolver: Option<String>,
    pub a: Vec<String>,
    pub aaaa: Vec<String>,
    pub cname: Vec<String>,
    #[schema(required)]
    pub rcode: Option<String>,
    /// The resolver's authenticated-data flag; null when nothing was answered. It is the
    /// resolver's word: we do not validate ourselves.
    #[schema(required)]
    pub dnssec_validated: Option<bool>,
}

/// How copies of the home page are kept on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CachingReading {
    #[schema(required)]
    pub cache_control: Option<String>,
    #[schema(required)]
    pub vary: Option<String>,
    #[schema(required)]
    pub etag: Option<String>,
    #[schema(required)]
    pub last_modified: Option<String>,
    #[schema(required)]
    pub age: Option<String>,
    #[schema(required)]
    pub cache_status: Option<String>,
    /// Whether the bare address and a fresh reading of it differ by more than the page differs
    /// from itself; null when that was not measured.
    #[schema(required)]
    pub diverged: Option<bool>,
    #[schema(required)]
    pub similarity: Option<Ratio>,
    /// Ids of readings.
    pub evidence: Vec<String>,
}
