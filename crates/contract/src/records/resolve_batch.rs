//! Resolving several domains in one request, and looking up domains by a prefix of their digest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::request_bounds::{DomainText, RequestList, optional_number};
use super::request_words::{optional_word, word_or_null_schema};
use super::{ResolveAnswer, Signature};
use crate::errors::ErrorCode;
use crate::limits::MAX_AGE_HOURS_MAX;
use crate::{Timestamp, open_enum};

/// The body of `POST /api/v1/resolve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ResolveBatchRequest {
    /// Bare domains or full http(s) addresses.
    /// A name may appear more than once: it is resolved once, and answered at each position.
    #[schema(value_type = Vec<DomainText>, min_items = 1, max_items = 100)]
    pub domains: RequestList<DomainText, 1, 100, false>,
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<LiveReadMode>)]
    pub live: Option<LiveReadMode>,
    /// Read the site again when its evidence is older than this, if `live` permits it.
    #[serde(
        default,
        deserialize_with = "optional_number::<_, _, MAX_AGE_HOURS_MAX>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(minimum = 0, maximum = 87600)]
    pub max_age_hours: Option<u32>,
    /// The members to return. With this, the response contains excerpts, each with the digest of
    /// its answer, instead of whole answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeSet<AnswerMember>>, min_items = 1, max_items = 41)]
    pub fields: Option<RequestList<AnswerMember, 1, { AnswerMember::WORDS.len() }>>,
}

objects_only!(ResolveBatchRequest);

closed_enum! {
    /// A member of a resolve answer.
    pub enum AnswerMember {
        Kind = "kind",
        V = "v",
        Schema = "schema",
        Domain = "domain",
        AnsweredAt = "answered_at",
        Reading = "reading",
        Status = "status",
        Basis = "basis",
        Subject = "subject",
        Freshness = "freshness",
        Observers = "observers",
        CrawlPolicy = "crawl_policy",
        Delivery = "delivery",
        MachineFiles = "machine_files",
        Capabilities = "capabilities",
        Entity = "entity",
        Findings = "findings",
        Confidence = "confidence",
        Contradictions = "contradictions",
        Evidence = "evidence",
        Assurance = "assurance",
        Impersonation = "impersonation",
        Dns = "dns",
        Tls = "tls",
        Upgrade = "upgrade",
        ContentClock = "content_clock",
        SelfClaims = "self_claims",
        ReadEquivalence = "read_equivalence",
        Rights = "rights",
        StoredSections = "stored_sections",
        ServedFrom = "served_from",
        Incident = "incident",
        HighRiskFields = "high_risk_fields",
        Actions = "actions",
        Absences = "absences",
        Control = "control",
        AssuranceLadder = "assurance_ladder",
        Code = "code",
        ReplacedSignature = "replaced_signature",
        Transparency = "transparency",
        Sha256 = "sha256",
        Signature = "signature",
    }
}

open_enum! {
    /// Whether the site is read for an answer.
    pub enum LiveReadMode {
        /// When no fresh reading is stored.
        Auto = "auto",
        Never = "never",
        /// Always, unless it was read within the last minutes.
        Always = "always",
    }
}

request_words!(LiveReadMode);

/// `{brand}-resolve-batch`. Each answer is signed, and so is the batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResolveBatch {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub answered_at: Timestamp,
    /// How many domains were requested.
    pub count: u32,
    /// In request order, without those that failed. Empty when excerpts were requested.
    #[schema(value_type = Vec<ResolveAnswer>)]
    pub answers: Vec<Value>,
    /// One result per domain, in request order.
    pub results: Vec<BatchResult>,
    pub errors: Vec<BatchError>,
    pub live: BatchLiveReads,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BatchResult {
    pub index: u32,
    /// The domain as parsed; if it could not be parsed, the text as sent, truncated.
    pub domain: String,
    pub state: BatchState,
    #[schema(required)]
    pub answer_sha256: Option<String>,
    /// The requested members, when excerpts were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Object)]
    pub excerpt: Option<BTreeMap<String, Value>>,
    /// The address of the whole answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address: Option<String>,
}

open_enum! {
    /// The result for one domain.
    pub enum BatchState { Answered = "answered", Error = "error" }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchError {
    /// The index in the request.
    pub index: u32,
    pub domain: String,
    /// One sentence for people.
    pub error: String,
    pub code: ErrorCode,
}

/// The live readings for the batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchLiveReads {
    /// How many domains were requested.
    pub asked: u32,
    /// How many of them were answered.
    pub done: u32,
    pub budget_ms: u32,
    /// Domains that were not read because the time budget was used up.
    pub not_read_in_budget: Vec<String>,
}

/// The response of `GET /api/v1/resolve-prefix/{hex}`: the answers of all domains with this prefix,
/// so that the service does not learn which domain the caller wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PrefixBucket {
    pub kind: String,
    pub v: u32,
    pub prefix: String,
    /// How many domains share the prefix.
    pub in_bucket: u32,
    pub answers: Vec<PrefixAnswer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PrefixAnswer {
    /// SHA-256 of the domain in lower case.
    pub domain_sha256: String,
    #[schema(value_type = ResolveAnswer)]
    pub answer: Value,
}
