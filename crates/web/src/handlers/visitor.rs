//! `/api/v1/visitor`: whether visitors are the agents that they claim to be. Nothing about a visitor is
//! stored, and no error repeats it.

use std::sync::Arc;

use axum::{body::Body, extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{VisitorAnswer, VisitorBatch, VisitorBatchAnswer, VisitorQuery},
};
use http::{
    HeaderValue, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use proof::SignedRecord;
use service::{Service, visitors::VisitorError};

use crate::{
    rate_limits::VisitorLimit,
    request::{StrictJson, parameters::required, query_parameters},
    response::{ApiError, CONTENT_DIGEST, JSON, NO_STORE, content_digest_header},
};

/// Check a visitor
///
/// Whether a visitor of your site is the agent that its user agent names: by the addresses and DNS names
/// that the agent's operator publishes. `ranges_as_of` says how old the oldest list is that decided. Without
/// `ip`, only the named agent is looked up. Nothing about the visitor is stored.
#[utoipa::path(
    get,
    path = "/api/v1/visitor",
    operation_id = "visitorResolveV1",
    tag = "visitors",
    params(
        ("ua" = String, Query, description = "The visitor's user agent.",
            example = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot"),
        ("ip" = Option<String>, Query, description = "The visitor's IP address.", example = "192.0.2.7"),
    ),
    responses(
        (status = 200, description = "The signed verdict.", body = VisitorAnswer,
            content_type = "application/json"),
        (status = 400, description = "`bad_request`, `unknown_field`: the message says what is wrong with \
            the address.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn visitor_resolve_v1(
    State(service): State<Arc<Service>>,
    _: VisitorLimit,
    uri: Uri,
) -> Result<Response, ApiError> {
    let mut parameters = query_parameters(&uri, &["ua", "ip"])?;
    let ua = required(parameters.remove("ua"), "ua")?;
    let query = VisitorQuery { ip: parameters.remove("ip"), ua, headers: None, authority: None };
    let answer = service.visitors.check_one(&query).await.map_err(to_api_error)?;
    Ok(reply(answer))
}

/// Check up to 100 visitors
///
/// Answered in the order of the request. An item whose address is not valid is `unverifiable`, and its `why`
/// says what is wrong; the others are answered. With `headers` and `authority` of an item, the signature of
/// the visitor's request is checked too (Web Bot Auth). A batch counts as its number of visitors. Nothing
/// about the visitors is stored.
#[utoipa::path(
    post,
    path = "/api/v1/visitor",
    operation_id = "visitorResolveBatchV1",
    tag = "visitors",
    request_body(content = VisitorBatch, content_type = "application/json"),
    responses(
        (status = 200, description = "The signed verdicts.", body = VisitorBatchAnswer,
            content_type = "application/json"),
        (status = 400, description = "`batch_size`, `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn visitor_resolve_batch_v1(
    State(service): State<Arc<Service>>,
    limit: VisitorLimit,
    StrictJson(request): StrictJson<VisitorBatch>,
) -> Result<Response, ApiError> {
    limit.acquire_batch(request.visitors.len())?;
    let answer = service.visitors.check_batch(&request.visitors).await.map_err(to_api_error)?;
    Ok(reply(answer))
}

fn reply(answer: SignedRecord) -> Response {
    let mut response = Response::new(Body::from(answer.bytes));
    let headers = response.headers_mut();
    // The middleware adds about as many again.
    headers.reserve(12);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(NO_STORE));
    // Signing has hashed the bytes, so the middleware does not do it again.
    headers.insert(CONTENT_DIGEST, content_digest_header(&answer.content_digest));
    response
}

pub(super) fn to_api_error(error: VisitorError) -> ApiError {
    match error {
        VisitorError::Address(error) => ApiError::bad_request(error.to_string()).param("ip"),
        VisitorError::Signing(error) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The answer could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(error.to_string()),
    }
}
