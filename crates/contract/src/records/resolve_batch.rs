//! Many domains in one call, and looking one up by a prefix of its digest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::requests::{RequestWord, closed_or_null, known_or_none};
use super::{ResolveAnswer, Signature};
use crate::errors::ErrorCode;
use crate::{Timestamp, open_enum};

/// The body of `POST /api/v1/resolve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ResolveBatchRequest {
    /// Bare domains or full http(s) addresses.
    #[schema(min_items = 1, max_items = 100)]
    pub domains: Vec<String>,
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<LiveAsk>)]
    pub live: Option<LiveAsk>,
    /// Older evidence than this is read anew, when it may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_hours: Option<u32>,
    /// Members of the answers that are wanted. Then no whole answers are sent, but excerpts with
    /// the digest of the answer each is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
}

objects_only!(ResolveBatchRequest);

open_enum! {
    /// Whether a site is read for an answer.
    pub enum LiveAsk {
        /// When nothing fresh is kept.
        Auto = "auto",
        Never = "never",
        /// Unless it was read within the last minutes.
        Always = "always",
    }
}

impl RequestWord for LiveAsk {
    const WORDS: &[&str] = Self::WORDS;
    fn known(word: &str) -> Option<Self> {
        Self::known(word)
    }
}

/// `{brand}-resolve-batch`. Each answer is signed by itself, and so is the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResolveBatch {
    pub kind: String,
    pub v: u32,
    pub schema: String,
    pub answered_at: Timestamp,
    /// How many were asked for.
    pub count: u32,
    /// In the order asked, without those that failed. Empty when excerpts were asked for.
    #[schema(value_type = Vec<ResolveAnswer>)]
    pub answers: Vec<Value>,
    /// One for each domain, in the order asked.
    pub results: Vec<BatchResult>,
    pub errors: Vec<BatchError>,
    pub live: BatchLive,
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
    /// As it was understood; as it was sent (cut short), when it was not.
    pub domain: String,
    pub state: BatchState,
    #[schema(required)]
    pub answer_sha256: Option<String>,
    /// The wanted members, when excerpts were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Object)]
    pub excerpt: Option<BTreeMap<String, Value>>,
    /// Where the whole answer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub address: Option<String>,
}

open_enum! {
    /// What came of one domain.
    pub enum BatchState { Answered = "answered", Error = "error" }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchError {
    /// The place in the request.
    pub index: u32,
    pub domain: String,
    /// One sentence for people.
    pub error: String,
    pub code: ErrorCode,
}

/// How much was read for the batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchLive {
    pub asked: u32,
    pub done: u32,
    pub budget_ms: u32,
    /// Domains that were not read because the time of the call was over.
    pub not_read_in_budget: Vec<String>,
}

/// The answer of `GET /api/v1/resolve-prefix/{hex}`: everything in a bucket, so that nobody learns
/// which domain was meant.
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
    /// Of the domain in lower case.
    pub domain_sha256: String,
    #[schema(value_type = ResolveAnswer)]
    pub answer: Value,
}
