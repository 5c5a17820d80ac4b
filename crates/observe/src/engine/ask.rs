//! One question to one engine, from start to end.

use std::time::Duration;

use contract::Timestamp;
use contract::engine_evidence::{
    ENGINE_READING_VERSION, EngineFailure, EngineFailureReason, EngineReading,
};
use door::operator::{Call, CallError, KeyedCall, KeyedResponse};
use tokio::time::Instant;

use super::prompt::{PROMPT_VERSION, prompt_sha256};
use super::question::Question;
use super::request::{MAX_REASONING_TOKENS, RequestForm, request_body};
use super::response::{CompletionText, MAX_RESPONSE_BYTES, parse_completion};
use super::settings::Engine;
use crate::retry_after::parse_retry_after;

/// What the prompt has at most, in tokens.
const PROMPT_TOKENS: u64 = 1_200;

/// Asks one engine about one business. `budget` is for all of it: an engine that rejects the request is
/// asked once more, without what not all engines know.
pub async fn ask_engine(
    engine: &Engine,
    question: &Question<'_>,
    asked_at: Timestamp,
    budget: Duration,
) -> EngineReading {
    let start = Instant::now();
    let mut reading = EngineReading {
        v: ENGINE_READING_VERSION,
        engine: engine.name.clone(),
        model: engine.model.clone(),
        answered_by: None,
        question: question.as_sent(),
        prompt_version: PROMPT_VERSION,
        prompt_sha256: prompt_sha256().to_owned(),
        web_search: engine.web_search,
        structured: true,
        asked_at,
        took_ms: 0,
        requests: 0,
        status: None,
        answer: None,
        answer_cut: false,
        sources: Vec::new(),
        usage: None,
        failure: None,
    };
    let mut form = RequestForm::Structured;
    let response = loop {
        let body = request_body(engine, &reading.question, form);
        reading.structured = form == RequestForm::Structured;
        reading.requests += 1;
        match send(engine, &body, budget.saturating_sub(start.elapsed())).await {
            Ok(response) if is_rejection(response.status) && reading.structured => {
                reading.status = Some(response.status);
                form = RequestForm::after_rejection(&response.body);
            }
            response => break response,
        }
    };
    match response {
        Ok(response) => {
            reading.status = Some(response.status);
            record_response(&mut reading, &response);
        }
        Err(error) => {
            if let CallError::Redirect(status) = error {
                reading.status = Some(status);
            }
            reading.failure = Some(describe_error(&error));
        }
    }
    reading.took_ms = u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX);
    reading
}

/// How many tokens a question has cost. Where the engine did not count, the most that it can have cost, so
/// that an engine that does not count is not asked without a limit.
#[must_use]
pub fn spent_tokens(reading: &EngineReading) -> u64 {
    if let Some(usage) = reading.usage {
        return usage.total_tokens;
    }
    let reason = reading.failure.as_ref().map(|failure| &failure.reason);
    match reason {
        Some(
            EngineFailureReason::Refused
            | EngineFailureReason::RateLimited
            | EngineFailureReason::Rejected
            | EngineFailureReason::Redirect
            | EngineFailureReason::NotReached,
        ) => 0,
        _ => PROMPT_TOKENS + MAX_REASONING_TOKENS,
    }
}

async fn send(engine: &Engine, body: &str, timeout: Duration) -> Result<KeyedResponse, CallError> {
    let call = Call {
        method: "POST",
        url: &engine.url(),
        body: Some((body.as_bytes(), "application/json")),
        accept: "application/json",
        max_response_bytes: MAX_RESPONSE_BYTES,
        timeout,
    };
    let Engine { key, key_header, authorities, .. } = engine;
    KeyedCall { call, key, key_header, authorities }.send().await
}

/// The statuses with which engines reject members of the request that they do not know.
fn is_rejection(status: u16) -> bool {
    matches!(status, 400 | 422)
}

fn record_response(reading: &mut EngineReading, response: &KeyedResponse) {
    if let Some(failure) = describe_status(response, reading.asked_at) {
        reading.failure = Some(failure);
        return;
    }
    let Some(completion) = parse_completion(&response.body) else {
        let detail = "The engine's response is not a chat completion.";
        reading.failure = Some(failure(EngineFailureReason::NotUnderstood, detail));
        return;
    };
    reading.answered_by = completion.model;
    reading.sources = completion.sources;
    reading.usage = completion.usage;
    match completion.text {
        CompletionText::Answer { text, cut } => {
            reading.answer = Some(text);
            reading.answer_cut = cut;
        }
        CompletionText::Declined => {
            let detail = "The model declined to answer.";
            reading.failure = Some(failure(EngineFailureReason::Declined, detail));
        }
        CompletionText::Missing => {
            let detail = "The engine's response has no text.";
            reading.failure = Some(failure(EngineFailureReason::NotUnderstood, detail));
        }
    }
}

/// Why a response with this status is no answer; `None` if it is one.
fn describe_status(response: &KeyedResponse, asked_at: Timestamp) -> Option<EngineFailure> {
    let status = response.status;
    let (reason, detail) = match status {
        200..=299 => return None,
        401 | 403 => {
            (EngineFailureReason::Refused, format!("The engine refused the key (status {status})."))
        }
        402 => {
            (EngineFailureReason::Refused, "The engine wants to be paid (status 402).".to_owned())
        }
        429 => (
            EngineFailureReason::RateLimited,
            "The engine's rate limit is reached (status 429).".to_owned(),
        ),
        400..=499 => (
            EngineFailureReason::Rejected,
            format!("The engine rejected the request (status {status})."),
        ),
        _ => (EngineFailureReason::ServerError, format!("The engine failed (status {status}).")),
    };
    let wait = response.retry_after.as_deref().and_then(|value| parse_retry_after(value, asked_at));
    // Whoever adds it to a time must not overflow.
    let retry_after_s = wait.map(|wait| wait.as_secs().min(u64::from(u32::MAX)));
    Some(EngineFailure { reason, detail, retry_after_s })
}

/// The texts of errors below HTTP may quote the server, so they are not passed on.
fn describe_error(error: &CallError) -> EngineFailure {
    let (reason, detail) = match error {
        CallError::Timeout(_) => {
            (EngineFailureReason::Timeout, "The engine did not answer in time.")
        }
        CallError::TooLarge(_) => {
            (EngineFailureReason::TooLarge, "The engine's response was longer than we read.")
        }
        CallError::Redirect(_) => (
            EngineFailureReason::Redirect,
            "The engine's address redirects elsewhere, where we do not send the key.",
        ),
        CallError::Connect(_) => {
            (EngineFailureReason::NotReached, "The engine could not be reached.")
        }
        CallError::Tls(_) => (
            EngineFailureReason::NotReached,
            "No TLS connection to the engine: its certificate is not trusted, or TLS failed.",
        ),
        CallError::Exchange(_) => (
            EngineFailureReason::NotUnderstood,
            "The connection to the engine ended without a valid HTTP response.",
        ),
        CallError::Address | CallError::Token | CallError::KeyWithoutTls => {
            (EngineFailureReason::NotReached, "The engine's address or key cannot be used.")
        }
    };
    failure(reason, detail)
}

fn failure(reason: EngineFailureReason, detail: &str) -> EngineFailure {
    EngineFailure { reason, detail: detail.to_owned(), retry_after_s: None }
}
