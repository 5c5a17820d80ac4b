//! Signed heads of the log, and the leaves of their batches.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::{LOG_HEADS_DEFAULT, LOG_HEADS_MAX},
    records::{LogLeaves, LogSth, LogSths},
};
use http::{
    HeaderMap, HeaderValue, Uri,
    header::{CONTENT_LOCATION, LINK},
};
use proof::Digest;
use service::{Service, log::PublishedBatch};

use crate::{
    handlers::error_mapping::log_to_api_error,
    rate_limits::FeedLimit,
    request::{
        PathParameter,
        parameters::{count_parameter, number_parameter, parse_whole_number},
        query_parameters,
    },
    response::{ApiError, CACHE_FOREVER, CACHE_THIRTY_SECONDS, HttpDocument, JSON},
};

/// Read a signed head
///
/// The signed head of a batch, the witnesses that cosigned the log at its end, and the batch's leaves,
/// from which anybody can recompute `batch_root`. With `latest`, the newest head; `Content-Location`
/// says which one it is. A head never changes; witnesses may be added for an hour.
#[utoipa::path(
    get,
    path = "/api/v1/log/sth/{batch}",
    operation_id = "getLogHead",
    tag = "log",
    params(("batch" = String, Path, description = "The number of the batch, or `latest`.",
        example = "0")),
    responses(
        (status = 200, description = "The head.", body = LogSth,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "No such batch yet: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_head(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    PathParameter(batch): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let newest = service.log.head().map_err(log_to_api_error)?.map(|head| head.chain.batch);
    let is_latest = batch == "latest";
    let number = if is_latest { newest } else { Some(parse_batch_number(&batch)?) };
    let shown = match number {
        Some(number) => service.log.published_batch(number).await.map_err(log_to_api_error)?,
        None => None,
    };
    let shown = shown.ok_or_else(batch_not_found)?;
    let number = shown.head.chain.batch;
    let has_next = newest > Some(number);
    // Cached briefly while the link to the next head is missing or witnesses may still be added.
    let cache =
        if shown.settled && has_next && !is_latest { CACHE_FOREVER } else { CACHE_THIRTY_SECONDS };
    let mut response = head_document(shown, cache)?.reply(&headers);
    let reply = response.headers_mut();
    let mut links = vec![format!("</api/v1/log/leaves/{number}>; rel=\"item\"")];
    let before = number.checked_sub(1).map(|before| ("prev", before));
    for (rel, other) in before.into_iter().chain(has_next.then(|| ("next", number + 1))) {
        links.push(format!("</api/v1/log/sth/{other}>; rel=\"{rel}\""));
    }
    let here = format!("/api/v1/log/sth/{number}");
    if let Ok(links) = HeaderValue::from_str(&links.join(", ")) {
        reply.insert(LINK, links);
    }
    if let (true, Ok(here)) = (is_latest, HeaderValue::from_str(&here)) {
        reply.insert(CONTENT_LOCATION, here);
    }
    Ok(response)
}

/// The ETag is the digest of the head, unless there are witnesses, whose number can change.
fn head_document(shown: PublishedBatch, cache: &'static str) -> Result<HttpDocument, ApiError> {
    let name = shown.head.chain.sha256;
    let alone = shown.witnesses.is_empty() && shown.replaced_signature.is_none();
    let body = LogSth {
        sth: shown.head.document,
        witnesses: shown.witnesses,
        leaves: to_hex_list(&shown.leaves),
        replaced_signature: shown.replaced_signature,
    };
    if !alone {
        return HttpDocument::json(&body, cache);
    }
    let bytes = serde_json::to_vec(&body).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(HttpDocument::with_etag(bytes, &name, JSON, cache))
}

fn parse_batch_number(text: &str) -> Result<u64, ApiError> {
    let sentence = "The number of the batch must be a whole number.";
    parse_whole_number(text).ok_or_else(|| ApiError::bad_request(sentence).param("batch"))
}

/// Read many signed heads
///
/// Heads up to batch `to`, newest first. Without `to`, or if that batch does not exist yet, up to the
/// newest.
#[utoipa::path(
    get,
    path = "/api/v1/log/sths",
    operation_id = "getLogHeads",
    tag = "log",
    params(
        ("to" = Option<u64>, Query, description = "The last batch."),
        ("n" = Option<u32>, Query, description = "Maximum number of heads, 1 to 200; default 50."),
    ),
    responses(
        (status = 200, description = "The heads.", body = LogSths,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_heads(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["to", "n"])?;
    let to = number_parameter(&parameters, "to")?;
    let n = count_parameter(&parameters, "n", LOG_HEADS_MAX)?.unwrap_or(LOG_HEADS_DEFAULT);
    let heads = service.log.heads_up_to(to, n).await.map_err(log_to_api_error)?;
    let sths: Result<Vec<serde_json::Value>, _> =
        heads.iter().map(|bytes| serde_json::from_slice(bytes)).collect();
    let sths = sths.map_err(|e| ApiError::internal(e.to_string()))?;
    let last = sths.first().and_then(|head| head.get("batch")?.as_u64());
    let cache = if to.is_some() && to == last { CACHE_FOREVER } else { CACHE_THIRTY_SECONDS };
    let body = LogSths { n: sths.len() as u64, sths, to: last };
    Ok(HttpDocument::json(&body, cache)?.reply(&headers))
}

/// Read a batch's leaves
///
/// In the order of the batch's tree, strictly ascending. Anybody can recompute `batch_root` from them.
#[utoipa::path(
    get,
    path = "/api/v1/log/leaves/{batch}",
    operation_id = "getLogLeaves",
    tag = "log",
    params(("batch" = u64, Path, description = "The number of the batch.", example = 0)),
    responses(
        (status = 200, description = "The leaves.", body = LogLeaves,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "No such batch yet: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_leaves(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    PathParameter(batch): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let shown =
        service.log.published_batch(parse_batch_number(&batch)?).await.map_err(log_to_api_error)?;
    let PublishedBatch { head, leaves, .. } = shown.ok_or_else(batch_not_found)?;
    let chain = head.chain;
    let body = LogLeaves {
        log_id: chain.log_id,
        batch: chain.batch,
        first_index: chain.first_index,
        batch_size: chain.batch_size,
        batch_root: chain.batch_root.to_hex(),
        sth_sha256: chain.sha256.to_hex(),
        leaves: to_hex_list(&leaves),
    };
    Ok(HttpDocument::json(&body, CACHE_FOREVER)?.reply(&headers))
}

pub(super) fn batch_not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "The log has no batch with this number yet.").param("batch")
}

pub(super) fn to_hex_list(digests: &[Digest]) -> Vec<String> {
    digests.iter().map(Digest::to_hex).collect()
}
