//! `POST /api/v1/resolve`: many domains in one call.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::{RESOLVE_BATCH_BUDGET, RESOLVE_BATCH_MAX, RESOLVE_BATCH_MIN},
    records::{
        BatchError, BatchLive, BatchResult, BatchState, LiveAsk, ResolveBatch, ResolveBatchRequest,
    },
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::Value;
use service::{
    Service,
    resolve::{Live, Many, ManyAsk, NotAnswered},
};

use super::resolve::failed;
use crate::{
    body::StrictJson,
    documents::{JSON, NOT_AT_ALL},
    errors::ApiError,
    limits::{Decides, LiveReads},
};

/// Resolve many domains
///
/// From 1 to 100, answered in the order asked; each answer is signed by itself. Bad names are in
/// `errors`, and the good ones are answered. At most ten sites are read side by side, and all of it
/// takes at most five seconds: what was not read by then is in `errors` too. With `fields`, excerpts
/// are sent with the digest of the answer they are from. A batch counts as its number of domains.
#[utoipa::path(
    post,
    path = "/api/v1/resolve",
    operation_id = "resolveBatchV1",
    tag = "resolve",
    request_body(content = ResolveBatchRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The answers.", body = ResolveBatch,
            content_type = "application/json"),
        (status = 400, description = "`batch_size`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 413, description = "A body of more than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`, `overloaded`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn resolve_batch_v1(
    State(service): State<Arc<Service>>,
    decides: Decides,
    live_reads: LiveReads,
    StrictJson(request): StrictJson<ResolveBatchRequest>,
) -> Result<Response, ApiError> {
    let count = request.domains.len();
    if !(RESOLVE_BATCH_MIN..=RESOLVE_BATCH_MAX).contains(&count) {
        let sentence =
            format!("`domains` holds from {RESOLVE_BATCH_MIN} to {RESOLVE_BATCH_MAX} names.");
        return Err(ApiError::new(ErrorCode::BatchSize, sentence).param("domains"));
    }
    decides.batch(count)?;
    let live = match request.live {
        None | Some(LiveAsk::Auto) => Live::Auto,
        Some(LiveAsk::Never) => Live::Never,
        _ => Live::Always,
    };
    let many = service
        .resolve_many(ManyAsk {
            domains: request.domains.clone(),
            live,
            max_age_hours: request.max_age_hours,
            may_read: Arc::new(live_reads),
        })
        .await;
    let record = record(&request, many, &service);
    let signed = service.sign_resolve_batch(&record).map_err(|error| {
        ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.")
            .retry_after(30)
            .because(error.to_string())
    })?;
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NOT_AT_ALL)];
    Ok((headers, signed).into_response())
}

fn record(request: &ResolveBatchRequest, many: Many, service: &Service) -> ResolveBatch {
    let wanted = request.fields.as_deref();
    let (mut answers, mut results, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let mut not_read = Vec::new();
    let count = count(many.0.len());
    for (index, (asked, told)) in (0..).zip(request.domains.iter().zip(many.0)) {
        match told {
            Ok(hot) => {
                let document: Value = serde_json::from_slice(&hot.bytes).unwrap_or_default();
                let domain = hot.domain.to_string();
                let excerpt = wanted.map(|wanted| {
                    let member =
                        |name: &String| Some((name.clone(), document.get(name.as_str())?.clone()));
                    wanted.iter().filter_map(member).collect()
                });
                results.push(BatchResult {
                    index,
                    address: Some(format!("{}/api/v1/resolve?domain={domain}", service.base_url())),
                    domain,
                    state: BatchState::Answered,
                    answer_sha256: Some(hot.sha256.to_hex()),
                    excerpt,
                });
                if wanted.is_none() {
                    answers.push(document);
                }
            }
            Err(why) => {
                // What was sent is given back, as far as it is short enough to be a name.
                let domain: String = asked.chars().take(253).collect();
                let (code, error) = match why {
                    NotAnswered::Failed(error) => {
                        let error = failed(error);
                        (error.code().clone(), error.sentence().to_owned())
                    }
                    NotAnswered::TimeIsUp => {
                        not_read.push(domain.clone());
                        let sentence =
                            "The time of this call was over before it was read; ask again.";
                        (ErrorCode::Deadline, sentence.to_owned())
                    }
                };
                results.push(BatchResult {
                    index,
                    domain: domain.clone(),
                    state: BatchState::Error,
                    answer_sha256: None,
                    excerpt: None,
                    address: None,
                });
                errors.push(BatchError { index, domain, error, code });
            }
        }
    }
    ResolveBatch {
        kind: service.brand().kind("resolve-batch"),
        v: 1,
        schema: contract::schema::address("resolve-batch", service.brand(), service.base_url()),
        answered_at: service.now(),
        live: BatchLive {
            asked: count,
            done: count - self::count(errors.len()),
            budget_ms: u32::try_from(RESOLVE_BATCH_BUDGET.as_millis()).unwrap_or(u32::MAX),
            not_read_in_budget: not_read,
        },
        count,
        answers,
        results,
        errors,
        sha256: None,
        signature: None,
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
