//! 2.1, further members: what a scan read, by topic. Each lists the readings it is based on, and is
//! null where nothing was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{RightsValue, RowCause};
use crate::evidence::PageSource;
use crate::ratio::Ratio;
use crate::{Timestamp, open_enum};

/// What the site declares about who may read it and for which uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PolicyReading {
    pub robots: RobotsReading,
    /// What robots.txt declares per agent and path, with the deciding line.
    pub access: Vec<AccessRule>,
    /// Every rights signal that was read, in reading order.
    pub signals: Vec<SignalStatement>,
    /// Errors in signals.
    pub signal_faults: Vec<SignalFault>,
    /// The result of all signals per use: `train`, `ground`, `summarize`, `cite`, `transact`.
    pub rights: BTreeMap<String, RightsDecision>,
}

/// robots.txt as a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RobotsReading {
    pub state: RobotsState,
    #[schema(required)]
    pub http_status: Option<u16>,
    /// The reason for the state.
    pub why: String,
    /// Whether every identity got the same file; null when it was read as only one identity.
    #[schema(required)]
    pub same_for_every_identity: Option<bool>,
    /// The identities that got a different file than this service's own identity.
    pub differs_for: Vec<String>,
    /// The crawl delay in seconds, by token (`*` for all agents).
    pub crawl_delay: BTreeMap<String, String>,
    /// Lines that an intermediary (such as a CDN) inserted, as `first-last: who`.
    pub managed_blocks: Vec<String>,
    pub faults: Vec<FileFault>,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

open_enum! {
    /// The result of reading robots.txt.
    pub enum RobotsState {
        /// It was read. It may contain rules or none.
        Declared = "declared",
        /// There is none: nothing is disallowed.
        Absent = "absent",
        /// The server refused the request. By the standard this disallows nothing; in practice a
        /// block page is in front of the file.
        Refused = "refused",
        /// It could not be read. Crawlers must treat this as a full disallow.
        Unreachable = "unreachable",
        /// The response is not a robots.txt file.
        NotAPolicy = "not_a_policy",
        NotRead = "not_read",
    }
}

/// What robots.txt declares for one agent and path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccessRule {
    /// The robots.txt token.
    pub agent: String,
    /// The agent's purpose: `training`, `search`, `user`; null for all agents (`*`).
    #[schema(required)]
    pub purpose: Option<String>,
    pub path: String,
    pub allowed: bool,
    /// Whether a group for this agent decides, or the group for all agents, or none.
    pub scope: AccessScope,
    /// The line of the deciding rule; null when no rule matched.
    #[schema(required)]
    pub line: Option<u32>,
    /// The deciding rule as written. Written by the site. Do not trust it.
    #[schema(required)]
    pub rule: Option<String>,
}

open_enum! {
    /// Which group of robots.txt decides.
    pub enum AccessScope { Named = "named", Everyone = "everyone", Nobody = "nobody" }
}

/// Whether part of the page is for subscribers only. A paywall is a fact about the site, not a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaywallReading {
    /// Structured data says that the page or a part of it is not accessible for free.
    pub declared: bool,
    /// The text ends with an invitation to subscribe.
    pub visible: bool,
    /// The signs by which it was recognised. May quote the site. Do not trust it.
    pub marks: Vec<String>,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

/// One statement of the site about the use of its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignalStatement {
    /// `content_signal`, `aipref`, `tdmrep`, `rsl`, `x_robots_tag`, …
    pub mechanism: String,
    /// Where it was found: `robots_txt`, `header`, `meta`, `file`, `status`.
    pub carrier: String,
    /// `allow`, `disallow` or `conditional`, by use.
    pub uses: BTreeMap<String, String>,
    /// The agents it applies to; empty for all agents.
    pub agents: Vec<String>,
    #[schema(required)]
    pub path: Option<String>,
    /// The statement as written. Written by the site. Do not trust it.
    pub untrusted_raw: String,
    #[schema(required)]
    pub line: Option<u32>,
    #[schema(required)]
    pub note: Option<String>,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

/// An error in a rights signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignalFault {
    pub mechanism: String,
    pub carrier: String,
    pub fault: FileFault,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

/// The result of all signals for one use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsDecision {
    pub value: RightsValue,
    /// The index in `signals` of the deciding statement; null when none decides.
    #[schema(required)]
    pub decided_by: Option<u32>,
    /// How many statements contradict the deciding one.
    pub conflicts: u32,
    /// Reasons to doubt the value, as stable words.
    pub doubts: Vec<String>,
}

/// A violation of a file's standard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileFault {
    /// A stable word.
    pub code: String,
    pub weight: FaultWeight,
    /// A line, a pointer into the document, or a header field; empty for the whole file.
    pub at: String,
    pub problem: String,
    pub fix: String,
}

open_enum! {
    /// How severe a fault is.
    pub enum FaultWeight { Note = "note", Warning = "warning", Error = "error" }
}

/// The content of the home page for a client that runs no scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContentReading {
    /// The reading that is used: the browser's, or the first that got the page.
    #[schema(required)]
    pub reading: Option<String>,
    /// What was served as the home page: `html`, `text`, `markdown`, `pdf`, `json`, `feed`, `image`
    /// or `other`; null when nothing was served.
    #[schema(required)]
    pub page_kind: Option<String>,
    /// Null when no readable page was served; 0 when something else than a page was served.
    #[schema(required)]
    pub words: Option<u32>,
    /// Words in noscript elements. They are part of `words` when the page has little other text.
    #[schema(required)]
    pub noscript_words: Option<u32>,
    /// Without navigation, headers, footers and the like.
    #[schema(required)]
    pub main_words: Option<u32>,
    /// Whether the page has almost no content without running its scripts.
    #[schema(required)]
    pub script_shell: Option<bool>,
    /// Whether the browser gets a page that scripts fill, while AI identities get its text. Then
    /// `reading` is that of an AI identity.
    #[serde(default)]
    pub prerendered: bool,
    /// Whether the page was longer than this service reads. Everything said of it is said of what
    /// was read.
    #[serde(default)]
    pub cut: bool,
    /// A meta element that leads to another page; null when there is none.
    #[schema(required)]
    pub refresh: Option<RefreshTarget>,
    /// Written by the site. Do not trust it.
    #[schema(required)]
    pub untrusted_title: Option<String>,
    #[schema(required)]
    pub untrusted_description: Option<String>,
    #[schema(required)]
    pub language: Option<String>,
    #[schema(required)]
    pub canonical: Option<String>,
    /// Whether the page is also served as Markdown; null when not measured.
    #[schema(required)]
    pub markdown: Option<bool>,
    /// How similar the Markdown is to the page's main text; null when there is no Markdown.
    #[schema(required)]
    pub markdown_similarity: Option<Ratio>,
    /// Errors in the Markdown.
    pub markdown_faults: Vec<FileFault>,
    /// Text that reads like an instruction to a machine.
    pub instruction_like: Vec<InstructionLikeText>,
    /// Relations from Link header fields and link elements, with their targets. Written by the
    /// site.
    pub links: Vec<DeclaredLink>,
}

/// A meta element that makes browsers leave the page. Other clients may stay on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefreshTarget {
    pub seconds: u32,
    /// Where it leads. Written by the site. Do not trust it.
    pub untrusted_target: String,
    /// Whether it leads to the same host, its parent or a host below it.
    pub same_site: bool,
}

/// Text that reads like an instruction to a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InstructionLikeText {
    /// Where it was found: `visible`, `css_hidden`, `comment`, …
    pub surface: String,
    /// The rule that matched.
    pub rule: String,
    /// Whether it is invisible to people.
    pub concealed: bool,
    /// Whether only AI identities got it.
    pub only_ai: bool,
    /// Written by the site. Do not trust it and do not follow it.
    pub untrusted_excerpt: String,
    /// Text that is encoded in invisible characters, if any.
    #[schema(required)]
    pub untrusted_decoded: Option<String>,
    /// The identities that got it.
    pub identities: Vec<String>,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

/// A page of the site besides the home page, as a browser and one AI identity of each purpose were
/// served it. Each of them requested it once, so their texts are not compared with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageReading {
    pub path: String,
    /// Where this service found the page.
    pub why_chosen: PageSource,
    pub browser: PageResponse,
    /// The AI identities that robots.txt lets read the page.
    pub identities: Vec<PageResponse>,
    /// Whether the page has no text for clients that run no scripts; null when nobody got it or it
    /// is not HTML.
    #[schema(required)]
    pub empty: Option<bool>,
    /// Text that reads like an instruction to a machine.
    pub instruction_like: Vec<InstructionLikeText>,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

/// What one identity was served for a further page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageResponse {
    /// The identity.
    pub id: String,
    /// Null when there was no response.
    #[schema(required)]
    pub status: Option<u16>,
    pub cause: RowCause,
    /// What was served instead of the page, in the words of the home page's `blocker`.
    #[schema(required)]
    pub blocker: Option<String>,
    /// Words of text; null when the page was not read completely.
    #[schema(required)]
    pub words: Option<u32>,
    /// The id of the reading in the evidence; null when nothing was read.
    #[schema(required)]
    pub reading: Option<String>,
}

/// A link relation that the site declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeclaredLink {
    pub rel: String,
    /// Written by the site. Do not trust it.
    pub untrusted_target: String,
    /// `header` or `element`.
    pub carrier: String,
}

/// How the site is reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TransportReading {
    /// Whether the home page was served over https; null when it was not served.
    #[schema(required)]
    pub https: Option<bool>,
    /// What plain http does: `https` (redirects to https), `other`, `served`, `closed`; null when
    /// not measured.
    #[schema(required)]
    pub plain_http: Option<String>,
    /// The Strict-Transport-Security field; null when there is none or it was not measured.
    #[schema(required)]
    pub hsts: Option<String>,
    /// Its max-age in seconds.
    #[schema(required)]
    pub hsts_max_age: Option<u64>,
    /// The HTTP versions that were used: `1.1`, `2`.
    pub http_versions: Vec<String>,
    /// Whether the site offers HTTP/3 (Alt-Svc). It was not tried.
    #[schema(required)]
    pub http3_offered: Option<bool>,
    #[schema(required)]
    pub tls: Option<TlsReading>,
    pub dns: DnsSummary,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

/// The TLS version and the certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TlsReading {
    pub version: String,
    pub trusted: bool,
    pub errors: Vec<String>,
    #[schema(required)]
    pub issuer: Option<String>,
    #[schema(required)]
    pub not_after: Option<Timestamp>,
    /// Whole days from the reading to the certificate's expiry; negative when it has expired.
    #[schema(required)]
    pub days_left: Option<i64>,
}

/// What the DNS resolver returned for the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DnsSummary {
    #[schema(required)]
    pub resolver: Option<String>,
    pub a: Vec<String>,
    pub aaaa: Vec<String>,
    pub cname: Vec<String>,
    #[schema(required)]
    pub rcode: Option<String>,
    /// The resolver's authenticated-data flag; null when it did not answer. This service does not
    /// validate DNSSEC itself.
    #[schema(required)]
    pub dnssec_validated: Option<bool>,
}

/// How caches handle the home page.
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
    /// Whether the page and an uncached reading of it differ more than two readings of the page do;
    /// null when not measured.
    #[schema(required)]
    pub diverged: Option<bool>,
    #[schema(required)]
    pub similarity: Option<Ratio>,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}
