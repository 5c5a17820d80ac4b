//! `POST /api/v1/resolve`: resolves many domains in one call.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::RESOLVE_BATCH_BUDGET,
    records::{
        AnswerMember, BatchError, BatchLiveReads, BatchResult, BatchState, LiveReadMode,
        ResolveBatch, ResolveBatchRequest,
    },
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::Value;
use service::{
    Service,
    answers::resolve::{
        BatchItemError, CachedAnswer, LivePolicy, ResolveBatchQuery, ResolveBatchResults,
    },
};

use super::resolve::to_api_error;
use crate::{
    off_worker::run_off_worker,
    rate_limits::{DecisionLimit, LiveReadLimit},
    request::StrictJson,
    response::{ApiError, JSON, NO_STORE},
};

/// Resolve many domains
///
/// From 1 to 100 domains, answered in the order of the request; each answer has its own signature.
/// Invalid names are listed in `errors`; the others are answered. At most ten sites are read at the same
/// time, and the call takes at most five seconds: sites not read by then are listed in `errors` too.
/// With `fields`, only excerpts are sent, with the digest of the full answer. A batch counts as its
/// number of domains.
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
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`, `overloaded`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn resolve_batch_v1(
    State(service): State<Arc<Service>>,
    decides: DecisionLimit,
    live_reads: LiveReadLimit,
    StrictJson(request): StrictJson<ResolveBatchRequest>,
) -> Result<Response, ApiError> {
    decides.acquire_batch(request.domains.len())?;
    let live = match request.live {
        None | Some(LiveReadMode::Auto) => LivePolicy::Auto,
        Some(LiveReadMode::Never) => LivePolicy::Never,
        _ => LivePolicy::Always,
    };
    let many = service
        .answers
        .resolve_batch(ResolveBatchQuery {
            domains: request.domains.iter().map(|name| name.to_string()).collect(),
            live,
            max_age_hours: request.max_age_hours,
            live_read_permit: Arc::new(live_reads),
        })
        .await;
    // A hundred answers are put together, hashed and signed.
    let signed = run_off_worker(move || {
        let (record, answers) = build_batch_record(&request, many, &service);
        service.answers.sign_resolve_batch(&record, &answers)
    });
    let signed = signed.await?.map_err(|error| {
        ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(error.to_string())
    })?;
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)];
    Ok((headers, signed).into_response())
}

/// The record of the batch without the answers, and the answers that belong into it.
fn build_batch_record(
    request: &ResolveBatchRequest,
    many: ResolveBatchResults,
    service: &Service,
) -> (ResolveBatch, Vec<Arc<CachedAnswer>>) {
    let fields = request.fields.as_deref();
    let (mut answers, mut results, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let mut not_read = Vec::new();
    let count = to_u32(many.0.len());
    for (index, (name, result)) in (0..).zip(request.domains.iter().zip(many.0)) {
        match result {
            Ok(hot) => {
                let domain = hot.domain.to_string();
                let excerpt = fields.map(|fields| {
                    let document: Value = serde_json::from_slice(&hot.bytes).unwrap_or_default();
                    let member = |member: &AnswerMember| {
                        let name = member.as_str();
                        Some((name.to_owned(), document.get(name)?.clone()))
                    };
                    fields.iter().filter_map(member).collect()
                });
                results.push(BatchResult {
                    index,
                    address: Some(format!("{}/api/v1/resolve?domain={domain}", service.base_url())),
                    domain,
                    state: BatchState::Answered,
                    answer_sha256: Some(hot.sha256.to_hex()),
                    excerpt,
                });
                if fields.is_none() {
                    answers.push(hot);
                }
            }
            Err(why) => {
                // Repeats what was sent, cut to the maximum length of a name.
                let domain: String = name.chars().take(253).collect();
                let (code, error) = match why {
                    BatchItemError::Failed(error) => {
                        let error = to_api_error(error);
                        (error.code().clone(), error.message().to_owned())
                    }
                    BatchItemError::TimeLimitReached => {
                        not_read.push(domain.clone());
                        let sentence =
                            "The site was not read within the time of this call. Try again.";
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
    let record = ResolveBatch {
        kind: service.brand().kind("resolve-batch"),
        v: 1,
        schema: contract::schema::schema_url("resolve-batch", service.brand(), service.base_url()),
        answered_at: service.now(),
        live: BatchLiveReads {
            asked: count,
            done: count - self::to_u32(errors.len()),
            budget_ms: u32::try_from(RESOLVE_BATCH_BUDGET.as_millis()).unwrap_or(u32::MAX),
            not_read_in_budget: not_read,
        },
        count,
        answers: Vec::new(),
        results,
        errors,
        sha256: None,
        signature: None,
    };
    (record, answers)
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
