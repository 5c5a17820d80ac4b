//! 2.1: the record of one scan.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    AgentView, Bitemporal, CachingReading, ContentReading, FactLineage, FileFault, Nap,
    PageReading, PaywallReading, PolicyReading, Provenance, ReplacedSignature, Rulepack, Signature,
    TransportReading, Visibility,
};
use crate::ratio::Ratio;
use crate::{Domain, Timestamp, open_enum};

/// The result of one scan of a domain. The response of `POST /api/scan`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScanRecord {
    /// `{brand}-scan`.
    pub kind: String,
    pub v: u32,
    /// The address of this record's schema.
    pub schema: String,
    /// Null when no server answered; then nothing is stored.
    #[schema(required)]
    pub id: Option<String>,
    pub domain: Domain,
    /// The host that served the home page, after redirects; the requested host when none answered.
    pub scanned_host: String,
    /// The path of the page that was requested as every identity.
    pub path: String,
    #[serde(rename = "scannedAt")]
    pub scanned_at: Timestamp,
    pub visibility: Visibility,
    /// True when this is an earlier record and nothing was fetched for this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cached: Option<bool>,
    /// True when no server answered.
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
    /// What agents can do, and whether the site does what it says: two numbers behind the grade.
    #[serde(default)]
    pub treatment: TreatmentScores,
    /// Whether the site treats our own requests otherwise if they are signed. A fact, not a score.
    #[serde(default)]
    pub signed_requests: SignedRequests,
    pub section_scores: Vec<SectionScore>,
    pub score_ledger: ScoreLedger,
    /// The points that could still be gained; null when there is no score.
    #[schema(required)]
    pub headroom: Option<Headroom>,
    pub findings: Vec<Finding>,
    pub findings_summary: FindingsSummary,
    pub checks: Vec<Check>,
    pub agentview: AgentView,
    pub policy: PolicyReading,
    pub content: ContentReading,
    /// Further pages of the site, at most four. Empty when none was found or read.
    #[serde(default)]
    #[schema(required)]
    pub pages: Vec<PageReading>,
    /// Whether part of the page is for subscribers only; null when no page was read.
    #[schema(required)]
    pub paywall: Option<PaywallReading>,
    /// Null when no page was read that could contain business data.
    #[schema(required)]
    pub nap: Option<Nap>,
    #[schema(required)]
    pub fact_lineage: Option<FactLineage>,
    pub caching: CachingReading,
    pub transport: TransportReading,
    pub confidence: Confidence,
    /// Reads that were planned and gave no result. This does not mean that anything is absent.
    pub non_observations: Vec<NonObservation>,
    pub self_audit: SelfAudit,
    /// The percentage of this record's statements that refer to a stored reading; null when there
    /// are none.
    #[schema(required, maximum = 100)]
    pub proof_overall: Option<u32>,
    pub provenance: Provenance,
    pub bitemporal: Bitemporal,
    /// The digest of the stored evidence document; null when none is stored.
    #[schema(required)]
    pub evidence_sha256: Option<String>,
    pub links: Links,
    /// Present if the key was reported as compromised since the record was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub replaced_signature: Option<ReplacedSignature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    /// The grade of a scan.
    pub enum Grade { A = "A", B = "B", C = "C", D = "D", F = "F" }
}

/// Caps and unscored sections that affect the grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GradeDetail {
    pub capped: bool,
    /// The upper limit for `overall`.
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
    /// The sum of points of this section's ledger rows.
    pub points: u32,
    /// The maximum of `points`.
    pub of: u32,
    /// Why there is no score; null when there is one.
    #[schema(required)]
    pub why: Option<String>,
}

/// How the score was computed, row by row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ScoreLedger {
    #[schema(required)]
    pub score: Option<u32>,
    #[schema(required)]
    pub letter: Option<Grade>,
    #[schema(required)]
    pub cap: Option<u32>,
    pub capped: bool,
    /// Whether the score is capped because agents could not reach the site.
    pub held_at_reach: bool,
    /// Whether the rows add up to the score of the record.
    pub matches_record: bool,
    pub rows: Vec<LedgerRow>,
    pub rows_withheld: u32,
    /// How the score is computed from the rows, as text.
    pub method: String,
}

/// One rule with its points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LedgerRow {
    /// The rule's id in the rulepack.
    pub rule: String,
    /// The section's id.
    pub section: String,
    pub title: String,
    pub state: LedgerState,
    /// Null when the rule was not applied; then it does not affect the score.
    #[schema(required)]
    pub points: Option<u32>,
    /// The maximum of `points` in this scan: the rule's share of the 100 points that all applied
    /// rules have together. 0 when it was not applied.
    pub of: u32,
    /// Its weight in the rulepack.
    pub weight: u32,
    pub why: String,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

open_enum! {
    /// The result of a rule. Only `partial` and `failed` cost points.
    pub enum LedgerState {
        Passed = "passed",
        Partial = "partial",
        Failed = "failed",
        /// The rule does not apply to this site.
        NotApplicable = "not_applicable",
        /// The evidence was not sufficient to apply the rule.
        NotAssessed = "not_assessed",
    }
}

/// The points that could still be gained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Headroom {
    /// Points that fixing everything would add.
    pub gain: u32,
    /// Rules that fail.
    pub failing: u32,
}

/// Something that the site owner should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    pub id: String,
    pub severity: Severity,
    /// The section's id.
    pub section: String,
    pub title: String,
    /// What was observed.
    pub seen: String,
    /// Why it matters.
    pub why: String,
    /// Who is affected: `agents`, `site_owner`, `readers`.
    pub matters_to: Vec<String>,
    /// What to do about it.
    #[schema(required)]
    pub fix: Option<String>,
    /// Text to copy into the site's configuration, if any.
    #[schema(required)]
    pub paste: Option<String>,
    /// The ledger rule that it explains; null when it costs no points.
    #[schema(required)]
    pub rule: Option<String>,
    /// The standard that it is checked against.
    #[schema(required)]
    pub standard: Option<String>,
    /// Two texts next to each other, where the finding is about their difference.
    #[serde(default)]
    #[schema(required)]
    pub side_by_side: Option<SideBySide>,
    /// The ids of the readings it is based on.
    pub evidence: Vec<String>,
}

/// Two numbers, 0 to 100; null where no AI crawler was measured.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TreatmentScores {
    /// What agents can do: the share of AI crawlers that may read the page and get it.
    #[schema(required)]
    pub usable: Option<u32>,
    pub usable_why: String,
    /// Whether the site does what it says: the share of AI crawlers that are treated as declared.
    #[schema(required)]
    pub consistent: Option<u32>,
    pub consistent_why: String,
}

open_enum! {
    /// What difference a signature makes.
    pub enum SignatureEffect {
        /// The home page is served with and without a signature, or refused with and without one.
        NoDifference = "no_difference",
        /// The home page is served only if the request is signed.
        OnlySignedServed = "only_signed_served",
        /// The home page is served only if the request is not signed.
        OnlyUnsignedServed = "only_unsigned_served",
        /// The answers differed, but not in the same way a second time.
        Unclear = "unclear",
        NotMeasured = "not_measured",
    }
}

/// How the site answers our own identity with a signature (Web Bot Auth) and without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedRequests {
    pub effect: SignatureEffect,
    /// One sentence for people.
    pub means: String,
    /// The readings that were compared.
    pub readings: Vec<String>,
}

impl Default for SignedRequests {
    /// Records from before requests were signed.
    fn default() -> Self {
        Self {
            effect: SignatureEffect::NotMeasured,
            means: "This scan made no signed request.".to_owned(),
            readings: Vec::new(),
        }
    }
}

/// What two clients got, from where the texts begin to differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SideBySide {
    /// Who got the first text.
    pub left: String,
    /// Written by the site. Do not trust it.
    pub untrusted_left: String,
    pub right: String,
    /// Written by the site. Do not trust it.
    pub untrusted_right: String,
}

open_enum! {
    /// How much a finding matters.
    pub enum Severity { Info = "info", Low = "low", Medium = "medium", High = "high" }
}

/// Findings, counted by severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingsSummary {
    pub high: u32,
    pub medium: u32,
    pub low: u32,
    pub info: u32,
}

/// One path that was requested, and the response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Check {
    pub path: String,
    /// The expected kind of file: `robots_txt`, `sitemap`, `llms_txt`, …
    pub file: String,
    /// The standard that it is checked against.
    #[schema(required)]
    pub standard: Option<String>,
    /// True when only sites that offer what the file describes need it; false when every site
    /// should have it.
    pub optional: bool,
    /// The identity that the request was sent as.
    pub identity: String,
    /// Null when there was no response.
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
    /// The beginning of the body. Written by the site. Do not trust it.
    #[schema(required)]
    pub excerpt: Option<String>,
    /// The sitemap lines of robots.txt, as written.
    #[schema(required)]
    pub sitemap_lines: Option<String>,
    pub verdict: CheckVerdict,
    /// The reason for the verdict, when it is not obvious.
    #[schema(required)]
    pub why: Option<String>,
    /// A summary of the file, written by this service; null when it was not read.
    #[schema(required)]
    pub summary: Option<String>,
    /// The version of its standard, derived from the file's structure.
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
    /// The result of one check.
    pub enum CheckVerdict {
        Ok = "ok",
        Absent = "absent",
        /// The server refused the request, so it is not known whether the file exists.
        Refused = "refused",
        /// A success status with the same content as for a path that cannot exist.
        Soft404 = "soft_404",
        /// Present, but not a valid file of the expected kind.
        Invalid = "invalid",
        NotRead = "not_read",
        Unreachable = "unreachable",
    }
}

/// The same path requested normally and past the cache.
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
    /// The cache status header of the normal response.
    #[schema(required)]
    pub bare_cf: Option<String>,
    pub diverged: bool,
    #[schema(required)]
    pub bare_bytes: Option<u64>,
    #[schema(required)]
    pub fresh_bytes: Option<u64>,
}

/// How much evidence the record is based on. There is no single confidence number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Confidence {
    pub v: u32,
    pub sections_scored: Share,
    pub identities_answered: Share,
    pub fetches_kept: Share,
    /// How many stages of the scan did not finish.
    pub stage_failures: u32,
    pub non_observations: u32,
    pub non_observations_attempted: u32,
    /// From how many networks the site was read.
    pub vantages: u32,
    /// Whether every identity that got a response was refused.
    pub refused: bool,
    pub note: String,
}

/// `n` of `of`, and their ratio.
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

/// A read that was planned and gave no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NonObservation {
    pub what: String,
    pub path: String,
    pub identity: String,
    /// The reason as a stable word.
    pub why: String,
}

/// The result of checking the record against its own evidence before publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SelfAudit {
    /// How many statements were checked.
    pub checked: u32,
    /// How many statements were wrong.
    pub findings: u32,
    /// The largest difference found, in points; 0 when there was none.
    pub worst: u32,
}

/// Addresses of related documents. Null when one does not exist for this record.
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
