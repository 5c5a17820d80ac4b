//! `GET /api/v1/resolve-prefix/{hex}`: looks up a domain by a prefix of its hash, for privacy.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::{PREFIX_DIGITS_MAX, PREFIX_DIGITS_MIN},
    records::{PrefixAnswer, PrefixBucket},
};
use http::{HeaderMap, Uri};
use service::{
    Service,
    answers::resolve::{HexPrefix, PrefixError},
};

use crate::{
    rate_limits::DecisionLimit,
    request::{PathParameter, query_parameters},
    response::{ApiError, CACHE_ONE_MINUTE, HttpDocument, JSON, to_sentence},
};

/// Look a domain up without naming it
///
/// The prefix is the first 2 to 8 hex digits of the SHA-256 of the domain (in lower case, without
/// scheme, `www.`, path or port). Returns the newest stored answer of every domain whose hash begins
/// with it, so we do not learn which domain you mean. No site is read.
#[utoipa::path(
    get,
    path = "/api/v1/resolve-prefix/{hex}",
    operation_id = "resolvePrefixV1",
    tag = "resolve",
    params(("hex" = String, Path, description = "2 to 8 hex digits, in lower case.",
        example = "ab")),
    responses(
        (status = 200, description = "The bucket.", body = PrefixBucket,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "Not 2 to 8 hex digits: `bad_request`.", body = ErrorV1),
        (status = 413, description = "More than 100 domains share the prefix; use a longer one: \
            `bucket_too_large`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn resolve_prefix_v1(
    State(service): State<Arc<Service>>,
    _: DecisionLimit,
    PathParameter(hex): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let prefix = HexPrefix::parse(&hex).ok_or_else(|| {
        let sentence = format!(
            "The prefix must be {PREFIX_DIGITS_MIN} to {PREFIX_DIGITS_MAX} lower-case hex digits."
        );
        ApiError::bad_request(sentence).param("hex")
    })?;
    let bucket = service.answers.resolve_prefix(prefix).await.map_err(|error| match error {
        PrefixError::TooMany => {
            let sentence = to_sentence(&format!("{error}; use a longer prefix"));
            ApiError::new(ErrorCode::BucketTooLarge, sentence).param("hex")
        }
        PrefixError::Store(why) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The stored data cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(why.to_string()),
        PrefixError::Signing(why) => ApiError::internal(why.to_string()),
    })?;
    let answers: Vec<PrefixAnswer> = bucket
        .answers
        .iter()
        .filter_map(|(domain_sha256, bytes)| {
            let answer = serde_json::from_slice(bytes).ok()?;
            Some(PrefixAnswer { domain_sha256: domain_sha256.to_hex(), answer })
        })
        .collect();
    let record = PrefixBucket {
        kind: service.brand().kind("resolve-prefix"),
        v: 1,
        prefix: hex,
        in_bucket: u32::try_from(answers.len()).unwrap_or(u32::MAX),
        answers,
    };
    let bytes = serde_json::to_vec(&record).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(HttpDocument::new(bytes, JSON, CACHE_ONE_MINUTE).reply(&headers))
}
