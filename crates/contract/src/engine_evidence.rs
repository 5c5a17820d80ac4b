//! What an AI engine answered when it was asked about a business, or why it did not. Like all evidence it
//! contains no judgement: the text of the engine is kept as it came, and whoever shows it must treat it as
//! the text of a stranger ([`crate::text::display_safe`]).

use serde::{Deserialize, Serialize};

use crate::{Domain, Timestamp, open_enum};

/// The version of [`EngineReading`].
pub const ENGINE_READING_VERSION: u32 = 1;
/// The most bytes of [`EngineReading::answer`].
pub const MAX_ENGINE_ANSWER_BYTES: usize = 16 << 10;
/// The most entries of [`EngineReading::sources`], and the most characters of each.
pub const MAX_ENGINE_SOURCES: usize = 20;
pub const MAX_ENGINE_SOURCE_CHARS: usize = 300;

/// One question to one engine, and what came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineReading {
    pub v: u32,
    /// The operator's name for the engine.
    pub engine: String,
    /// The model that was asked for.
    pub model: String,
    /// The model that answered, as the engine says; null if it does not.
    pub answered_by: Option<String>,
    pub question: EngineQuestion,
    pub prompt_version: u32,
    /// The digest of the fixed part of the prompt: all but the question.
    pub prompt_sha256: String,
    /// Whether the engine was asked to search the web.
    pub web_search: bool,
    /// Whether the answer was asked for in the form of a schema; false if the engine cannot do that.
    pub structured: bool,
    pub asked_at: Timestamp,
    pub took_ms: u32,
    /// How many requests were sent.
    pub requests: u32,
    /// The status of the last response; null if there was none.
    pub status: Option<u16>,
    /// The text of the engine as it came; null if there is none.
    pub answer: Option<String>,
    /// Whether the text goes on: the engine stopped at its limit, or we cut it.
    pub answer_cut: bool,
    /// The sources that the engine named beside its text.
    pub sources: Vec<String>,
    /// The tokens that the engine counted; null if it did not say.
    pub usage: Option<EngineUsage>,
    /// Why there is no answer; null if there is one.
    pub failure: Option<EngineFailure>,
}

/// What an engine was told about the business, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineQuestion {
    pub domain: Domain,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// Tokens as the engine counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EngineUsage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub total_tokens: u64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineFailure {
    pub reason: EngineFailureReason,
    /// One sentence for people. Contains no text sent by the engine.
    pub detail: String,
    /// How long the engine asks to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

open_enum! {
    /// The kinds of [`EngineFailure`].
    pub enum EngineFailureReason {
        /// The engine did not accept the key (401, 403) or wants to be paid (402).
        Refused = "refused",
        /// Too many requests or tokens (429).
        RateLimited = "rate_limited",
        /// The engine does not take the request (other 4xx), for example because it has no such model.
        Rejected = "rejected",
        /// The engine failed (5xx).
        ServerError = "server_error",
        /// The server redirects, which is not followed.
        Redirect = "redirect",
        /// No answer in time.
        Timeout = "timeout",
        /// The response was longer than we read.
        TooLarge = "too_large",
        /// No connection, or none that can be trusted.
        NotReached = "not_reached",
        /// The response is not one of this protocol, or has no text.
        NotUnderstood = "not_understood",
        /// The model declined to answer.
        Declined = "declined",
    }
}
