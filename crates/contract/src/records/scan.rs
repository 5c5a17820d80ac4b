//! 2.1: the record of one scan.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Bitemporal, CachingReading, ContentReading, EquivalenceVerdict, FactLineage, FileFault,
    FindingsSummary, Headroom, Nap, PolicyReading, Provenance, Signature, TransportReading,
    Visibility,
};
use crate::evidence::Failure;
use crate::ratio::{Quotient, Ratio};
use crate::{Domain, Timestamp, open_enum};

/// What one scan of a domain found. The answer of `POST /api/scan`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScanRecord {
    /// `{brand}-scan`.
    pub kind: String,
    pub v: u32,
    /// The address of this record's schema.
    pub schema: String,
    /// Null when nothing answered; then nothing is kept either.
    #[schema(required)]
    pub id: Option<String>,
    pub domain: Domain,
    /// The host where the home page finally answered; the one that was asked, when none did.
    pub scanned_host: String,
    /// The page that was read as every identity.
    pub path: String,
    #[serde(rename = "scannedAt")]
    pub scanned_at: Timestamp,
    pub visibility: Visibility,
    /// True when this is an earlier report and nothing was fetched for it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cached: Option<bool>,
    /// True when nothing answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub unreachable: Option<bool>,
    pub score_version: u32,
    pub rulepack: Rulepack,
    /// Null when too little was measured for one.
    #[schema(required)]
    pub grade: Option<Grade>,
    /// 0 to 100; null when too little was measured.
    #[schema(required, maximum = 100)]
    pub overall: Option<u32>,
    pub grade_detail: GradeDetail,
    pub section_scores: Vec<SectionScore>,
    pub score_ledger: ScoreLedger,
    /// What could still be won; null without a score.
    #[schema(required)]
    pub headroom: Option<Headroom>,
    pub findings: Vec<Finding>,
    pub findings_summary: FindingsSummary,
    pub checks: Vec<Check>,
    pub agentview: AgentView,
    pub policy: PolicyReading,
    pub content: ContentReading,
    /// Null when no page was read that could name a business.
    #[schema(required)]
    pub nap: Option<Nap>,
    #[schema(required)]
    pub fact_lineage: Option<FactLineage>,
    pub caching: CachingReading,
    pub transport: TransportReading,
    pub confidence: Confidence,
    /// What was planned and not seen. Never a sign of absence.
    pub non_observations: Vec<NonObservation>,
    pub self_audit: SelfAudit,
    /// How many of a hundred statements of this record point to a kept reading; null when there
    /// are none.
    #[schema(required, maximum = 100)]
    pub proof_overall: Option<u32>,
    pub provenance: Provenance,
    pub bitemporal: Bitemporal,
    /// The digest of the kept evidence document; null when none is kept.
    #[schema(required)]
    pub evidence_sha256: Option<String>,
    pub links: Links,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    /// The letter of a scan.
    pub enum Grade { A = "A", B = "B", C = "C", D = "D", F = "F" }
}

/// Which rules judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rulepack {
    pub version: u32,
    pub sha256: String,
}

/// Why the grade is not simply the sum of its sections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GradeDetail {
    pub capped: bool,
    /// The most that `overall` could be.
    #[schema(required)]
    pub cap: Option<u32>,
    #[schema(required)]
    pub cap_reason: Option<String>,
    pub unscored_affects_grade: bool,
    /// The titles of the sections without a score.
    pub unscored: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SectionScore {
    pub id: String,
    pub title: String,
    /// Null for a section that is not scored.
    #[schema(required, maximum = 100)]
    pub score: Option<u32>,
    /// Points of the ledger's rows of this section.
    pub points: u32,
    /// What they could have been.
    pub of: u32,
    /// Why there is no score; null when there is one.
    #[schema(required)]
    pub why: Option<String>,
}

/// How the score came about, row by row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScoreLedger {
    #[schema(required)]
    pub score: Option<u32>,
    #[schema(required)]
    pub letter: Option<Grade>,
    #[schema(required)]
    pub cap: Option<u32>,
    pub capped: bool,
    /// Whether the score is held down because agents could not reach the site.
    pub held_at_reach: bool,
    /// Whether the rows add up to the score of the record.
    pub matches_record: bool,
    pub rows: Vec<LedgerRow>,
    pub rows_withheld: u32,
    /// How rows become a score, in words.
    pub method: String,
}

/// One rule applied: what it gave of what it could give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerRow {
    /// The rule's id in the rulepack.
    pub rule: String,
    /// The section's id.
    pub section: String,
    pub title: String,
    pub state: LedgerState,
    /// Null when the rule was not applied; then it counts on neither side.
    #[schema(required)]
    pub points: Option<u32>,
    /// What the rule could give in this scan: its share of the 100 points that the applied rules
    /// have among them. 0 when it was not applied.
    pub of: u32,
    /// Its weight in the rulepack.
    pub weight: u32,
    pub why: String,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

open_enum! {
    /// What became of a rule. Only `partial` and `failed` cost points.
    pub enum LedgerState {
        Passed = "passed",
        Partial = "partial",
        Failed = "failed",
        /// The site has no need of it.
        NotApplicable = "not_applicable",
        /// It could not be told.
        NotAssessed = "not_assessed",
    }
}

/// Something worth telling the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    pub id: String,
    pub severity: Severity,
    /// The section's id.
    pub section: String,
    pub title: String,
    /// What was seen.
    pub seen: String,
    /// Why it matters.
    pub why: String,
    /// Whom it matters to: `agents`, `site_owner`, `readers`.
    pub matters_to: Vec<String>,
    /// What to do about it.
    #[schema(required)]
    pub fix: Option<String>,
    /// Text to copy, where there is some.
    #[schema(required)]
    pub paste: Option<String>,
    /// The rule of the ledger it explains; null when it costs no points.
    #[schema(required)]
    pub rule: Option<String>,
    /// The standard it is measured against.
    #[schema(required)]
    pub standard: Option<String>,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

open_enum! {
    /// How much a finding matters.
    pub enum Severity { Info = "info", Low = "low", Medium = "medium", High = "high" }
}

/// One path that was read, and what came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Check {
    pub path: String,
    /// What kind of file it should be: `robots_txt`, `sitemap`, `llms_txt`, …
    pub file: String,
    /// The standard it is held against.
    #[schema(required)]
    pub standard: Option<String>,
    /// Whether any site is better off with it, or only one that offers what it describes.
    pub optional: bool,
    /// The identity that asked.
    pub identity: String,
    /// Null when no answer came.
    #[schema(required)]
    pub status: Option<u16>,
    #[serde(rename = "contentType")]
    #[schema(required)]
    pub content_type: Option<String>,
    #[schema(required)]
    pub bytes: Option<u64>,
    #[serde(rename = "cacheControl")]
    #[schema(required)]
    pub cache_control: Option<String>,
    #[serde(rename = "cfCacheStatus")]
    #[schema(required)]
    pub cf_cache_status: Option<String>,
    #[schema(required)]
    pub ms: Option<u32>,
    /// The beginning of the body. Written by the site: not to be trusted.
    #[schema(required)]
    pub excerpt: Option<String>,
    /// The sitemap lines of a robots.txt, as they stand there.
    #[schema(required)]
    pub sitemap_lines: Option<String>,
    pub verdict: CheckVerdict,
    /// What the verdict rests on, where that is not plain.
    #[schema(required)]
    pub why: Option<String>,
    /// What the file holds, in our words; null when it was not read.
    #[schema(required)]
    pub summary: Option<String>,
    /// The version of its standard, by its shape.
    #[schema(required)]
    pub version: Option<String>,
    pub faults: Vec<FileFault>,
    #[schema(required)]
    pub body_sha256: Option<String>,
    /// The id of the reading in the evidence; null when nothing was read.
    #[schema(required)]
    pub reading: Option<String>,
    #[serde(rename = "cacheSplit", default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cache_split: Option<CacheSplit>,
}

open_enum! {
    /// What one check came to.
    pub enum CheckVerdict {
        Ok = "ok",
        Absent = "absent",
        /// The site answers, but not us, or not for this.
        Refused = "refused",
        /// Answered with success, and with the same as a path that cannot exist.
        Soft404 = "soft_404",
        /// There, and not what it should be.
        Invalid = "invalid",
        NotRead = "not_read",
        Unreachable = "unreachable",
    }
}

/// The same path once as it is and once past the cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CacheSplit {
    #[schema(required)]
    pub bare_status: Option<u16>,
    #[schema(required)]
    pub fresh_status: Option<u16>,
    #[schema(required)]
    pub bare_html: Option<bool>,
    #[schema(required)]
    pub fresh_html: Option<bool>,
    /// The cache status field of the bare answer.
    #[schema(required)]
    pub bare_cf: Option<String>,
    pub diverged: bool,
    #[schema(required)]
    pub bare_bytes: Option<u64>,
    #[schema(required)]
    pub fresh_bytes: Option<u64>,
}

/// The home page as each identity was given it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentView {
    pub rows: Vec<AgentRow>,
    /// Whether the same identity is given the same page twice; null when it was not asked twice.
    #[schema(required)]
    pub deterministic: Option<bool>,
    #[schema(required)]
    pub self_similarity: Option<Ratio>,
    pub split: Split,
    #[schema(required)]
    pub split_evidence: Option<SplitEvidence>,
    /// Whether every AI identity was refused; null when none was asked.
    #[schema(required)]
    pub all_refused: Option<bool>,
    /// The words the AI identities were given, as a share of the browser's.
    #[schema(required)]
    pub answer_word_share: Option<Ratio>,
    /// True as long as the crawler names we send are only names: a site that checks addresses can
    /// tell, and may treat the real crawler otherwise.
    pub claims_unverified: bool,
    /// Ids of readings.
    pub evidence: Vec<String>,
    pub conflicts: Vec<AccessConflict>,
    /// Whom the refusals are aimed at, from the contrast between identities: `none`, `named_agents`,
    /// `one_purpose`, `one_agent`, `non_browser`, `network`, `unknown`.
    pub aimed_at: String,
    /// The same in a sentence.
    pub aimed_at_why: String,
    /// Who stands in front of the site, by their marks. Says nothing of a refusal.
    pub vendors_present: Vec<String>,
}

open_enum! {
    /// How the identities differ in what they were given.
    pub enum Split {
        None = "none",
        /// Some were refused.
        Refused = "refused",
        /// Some were asked to prove that they are people.
        Challenged = "challenged",
        /// Some were asked to pay.
        Payment = "payment",
        /// Some were given other text.
        Content = "content",
        NotMeasured = "not_measured",
    }
}

/// What shows that identities were treated differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SplitEvidence {
    /// The identities that were treated otherwise than the browser.
    pub identities: Vec<String>,
    pub detail: String,
    /// Ids of readings.
    pub readings: Vec<String>,
}

/// What the site declares and what it does do not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccessConflict {
    pub identity: String,
    pub declared: String,
    pub served: String,
    pub why: String,
    /// Ids of readings.
    pub evidence: Vec<String>,
}

/// What one identity was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentRow {
    pub id: String,
    pub label: String,
    pub role: Role,
    /// As sent.
    pub user_agent: String,
    /// Null when no answer came.
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub bytes: Option<u64>,
    /// Words of visible text.
    #[schema(required)]
    pub words: Option<u32>,
    /// The X-Robots-Tag field.
    #[schema(required)]
    pub xrobots: Option<String>,
    #[schema(required)]
    pub redirected_to: Option<String>,
    #[schema(required)]
    pub final_url: Option<String>,
    /// What stood in the way: a word for the kind of wall (`block`, `challenge`, `captcha`,
    /// `rate_limit`, `payment`, `login`, `legal`).
    #[schema(required)]
    pub blocker: Option<String>,
    /// Whose wall it is.
    #[schema(required)]
    pub vendor: Option<String>,
    /// What the wall was known by.
    pub blocker_marks: Vec<String>,
    /// What is asked for the page, where the answer says so. Written by the site.
    #[schema(required)]
    pub price: Option<String>,
    /// A command line that asks the same.
    pub repro: String,
    /// To the browser's text.
    #[schema(required)]
    pub similarity: Option<Ratio>,
    /// The share of this text that stands in the browser's.
    #[schema(required)]
    pub containment: Option<Ratio>,
    /// Words for each word of the browser.
    #[schema(required)]
    pub text_ratio: Option<Quotient>,
    /// How the text compares with the browser's, against how the browser's compares with itself.
    pub equivalence: EquivalenceVerdict,
    /// Whether the text holds what reads like an instruction to a machine; null when it was not read.
    #[schema(required)]
    pub instruction_like_text: Option<bool>,
    pub cause: RowCause,
    /// When it was asked, how long the answer took, and over what.
    #[schema(required)]
    pub asked_at: Option<Timestamp>,
    #[schema(required)]
    pub ms: Option<u32>,
    #[schema(required)]
    pub http: Option<String>,
    /// The address that was dialled.
    #[schema(required)]
    pub address: Option<String>,
    #[schema(required)]
    pub body_sha256: Option<String>,
    /// Why no answer came.
    #[schema(required)]
    pub error: Option<Failure>,
    /// The id of the reading in the evidence; null when nothing was read.
    #[schema(required)]
    pub reading: Option<String>,
}

open_enum! {
    /// What an identity stands for.
    pub enum Role {
        Browser = "browser",
        /// Names nobody: shows what a stranger is given.
        Control = "control",
        Train = "train",
        Search = "search",
        User = "user",
    }
}

open_enum! {
    /// Why a row is as it is.
    pub enum RowCause {
        Served = "served",
        Refused = "refused",
        Challenge = "challenge",
        PaymentRequired = "payment_required",
        RateLimited = "rate_limited",
        ServerError = "server_error",
        /// Told to come back later, or an error, while others of its kind were served: it may be our
        /// own haste, and shows nothing about this identity.
        Busy = "busy",
        /// Another answer that is not the page.
        OtherStatus = "other_status",
        /// Something answered, and the page did not come, or not to its end.
        Incomplete = "incomplete",
        Unreachable = "unreachable",
        NotRead = "not_read",
    }
}

/// How much the record rests on. There is no single figure for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Confidence {
    pub v: u32,
    pub sections_scored: Share,
    pub identities_answered: Share,
    pub fetches_kept: Share,
    /// Stages of the scan that could not be finished.
    pub stage_failures: u32,
    pub non_observations: u32,
    pub non_observations_attempted: u32,
    /// Networks we looked from.
    pub vantages: u32,
    /// Whether the site refused us as a whole.
    pub refused: bool,
    pub note: String,
}

/// So many of so many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Share {
    pub n: u32,
    pub of: u32,
    /// Null when `of` is 0.
    #[schema(required)]
    pub ratio: Option<Ratio>,
}

impl Share {
    #[must_use]
    pub fn of(n: u32, of: u32) -> Self {
        Self { n, of, ratio: Ratio::of(n.into(), of.into()) }
    }
}

/// A read that was planned and gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NonObservation {
    pub what: String,
    pub path: String,
    pub identity: String,
    /// A stable word for the reason.
    pub why: String,
}

/// The record checked against its own evidence before it is given out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SelfAudit {
    /// Statements checked.
    pub checked: u32,
    /// Statements that did not hold.
    pub findings: u32,
    /// The largest difference found, in points; 0 when all held.
    pub worst: u32,
}

/// Where the rest is. Null for what does not exist for this record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Links {
    #[schema(required)]
    pub report: Option<String>,
    #[schema(required)]
    pub graph: Option<String>,
    #[schema(required)]
    pub raw: Option<String>,
    #[schema(required)]
    pub schema: Option<String>,
    #[schema(required)]
    pub docs: Option<String>,
}
