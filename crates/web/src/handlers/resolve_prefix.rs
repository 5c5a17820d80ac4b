//! `GET /api/v1/resolve-prefix/{hex}`: a domain looked up without being named.

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
    resolve::{HexPrefix, PrefixError},
};

use crate::{
    address::{self, PathText},
    documents::{Document, FOR_A_MINUTE, JSON},
    errors::{ApiError, sentence},
    limits::Decides,
};

/// Look a domain up without naming it
///
/// The prefix is the first 2 to 8 hex digits of the SHA-256 of the domain (in lower case, without
/// scheme, `www.`, path or port). The newest kept answer of every domain in the bucket is given;
/// nothing is read, and which one was meant is not known to us.
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
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "Not 2 to 8 hex digits: `bad_request`.", body = ErrorV1),
        (status = 413, description = "More than 100 domains share the prefix; give one more digit: \
            `bucket_too_large`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn resolve_prefix_v1(
    State(service): State<Arc<Service>>,
    _: Decides,
    PathText(hex): PathText,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    let prefix = HexPrefix::parse(&hex).ok_or_else(|| {
        let sentence = format!(
            "The prefix is {PREFIX_DIGITS_MIN} to {PREFIX_DIGITS_MAX} hexadecimal digits, in lower case."
        );
        ApiError::bad_request(sentence).param("hex")
    })?;
    let bucket = service.resolve_prefix(prefix).await.map_err(|error| match error {
        PrefixError::TooMany => {
            let sentence = sentence(&format!("{error}; give one more digit"));
            ApiError::new(ErrorCode::BucketTooLarge, sentence).param("hex")
        }
        PrefixError::Store(why) => {
            ApiError::new(ErrorCode::StoreUnreadable, "What is kept cannot be read now; try again.")
                .retry_after(5)
                .because(why.to_string())
        }
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
    Ok(Document::new(bytes, JSON, FOR_A_MINUTE).reply(&headers))
}
