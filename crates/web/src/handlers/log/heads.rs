//! Heads of the log, and the leaves under them.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::ErrorV1,
    limits::{LOG_HEADS_DEFAULT, LOG_HEADS_MAX},
    records::{LogLeaves, LogSth, LogSths},
};
use http::{
    HeaderMap, HeaderValue, Uri,
    header::{CONTENT_LOCATION, LINK},
};
use service::{Service, log::ShownBatch};

use super::{count, document, failed, hex, no_such_batch, number, whole};
use crate::{
    address::{self, PathText},
    documents::{Document, FOR_EVER, FOR_HALF_A_MINUTE, JSON},
    errors::ApiError,
    limits::Feeds,
};

/// Read a signed head
///
/// The signed head of a batch, who has cosigned the log at its end, and the batch's leaves, from
/// which anybody can make `batch_root` anew. `latest` for the newest; `Content-Location` says which
/// that is. A head never changes; witnesses may be added within an hour.
#[utoipa::path(
    get,
    path = "/api/v1/log/sth/{batch}",
    operation_id = "getLogHead",
    tag = "log",
    params(("batch" = String, Path, description = "The batch's number, or `latest`.",
        example = "0")),
    responses(
        (status = 200, description = "The head.", body = LogSth,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "No such batch yet: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_head(
    State(service): State<Arc<Service>>,
    _: Feeds,
    PathText(batch): PathText,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    let newest = service.log_head().map_err(failed)?.map(|head| head.chain.batch);
    let is_latest = batch == "latest";
    let number = if is_latest { newest } else { Some(batch_number(&batch)?) };
    let shown = match number {
        Some(number) => service.log_shown(number).await.map_err(failed)?,
        None => None,
    };
    let shown = shown.ok_or_else(no_such_batch)?;
    let number = shown.head.chain.batch;
    let has_next = newest > Some(number);
    // What points to the next one, or may still be cosigned, is not kept for long.
    let cache = if shown.settled && has_next && !is_latest { FOR_EVER } else { FOR_HALF_A_MINUTE };
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

/// Named by the head's own digest, while there is nothing beside it that can change.
fn head_document(shown: ShownBatch, cache: &'static str) -> Result<Document, ApiError> {
    let name = shown.head.chain.sha256;
    let alone = shown.witnesses.is_empty();
    let body =
        LogSth { sth: shown.head.document, witnesses: shown.witnesses, leaves: hex(&shown.leaves) };
    if !alone {
        return document(&body, cache);
    }
    let bytes = serde_json::to_vec(&body).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(Document::named(bytes, &name, JSON, cache))
}

fn batch_number(text: &str) -> Result<u64, ApiError> {
    let sentence = "A batch is named by its number, written in digits.";
    whole(text).ok_or_else(|| ApiError::bad_request(sentence).param("batch"))
}

/// Read many signed heads
///
/// Heads up to batch `to` (the newest, if it is left out or not there yet), the newest first.
#[utoipa::path(
    get,
    path = "/api/v1/log/sths",
    operation_id = "getLogHeads",
    tag = "log",
    params(
        ("to" = Option<u64>, Query, description = "The last batch."),
        ("n" = Option<u32>, Query, description = "How many, at most 200; 50 if left out."),
    ),
    responses(
        (status = 200, description = "The heads.", body = LogSths,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_heads(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["to", "n"])?;
    let to = number(&asked, "to")?;
    let n = count(&asked, "n", LOG_HEADS_MAX)?.unwrap_or(LOG_HEADS_DEFAULT);
    let heads = service.log_heads(to, n).await.map_err(failed)?;
    let sths: Result<Vec<serde_json::Value>, _> =
        heads.iter().map(|bytes| serde_json::from_slice(bytes)).collect();
    let sths = sths.map_err(|e| ApiError::internal(e.to_string()))?;
    let last = sths.first().and_then(|head| head.get("batch")?.as_u64());
    let cache = if to.is_some() && to == last { FOR_EVER } else { FOR_HALF_A_MINUTE };
    let body = LogSths { n: sths.len() as u64, sths, to: last };
    Ok(document(&body, cache)?.reply(&headers))
}

/// Read a batch's leaves
///
/// In the order of the batch's tree: strictly ascending. With them anybody can make `batch_root`
/// anew.
#[utoipa::path(
    get,
    path = "/api/v1/log/leaves/{batch}",
    operation_id = "getLogLeaves",
    tag = "log",
    params(("batch" = u64, Path, description = "The batch's number.", example = 0)),
    responses(
        (status = 200, description = "The leaves.", body = LogLeaves,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "No such batch yet: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_leaves(
    State(service): State<Arc<Service>>,
    _: Feeds,
    PathText(batch): PathText,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    let shown = service.log_shown(batch_number(&batch)?).await.map_err(failed)?;
    let ShownBatch { head, leaves, .. } = shown.ok_or_else(no_such_batch)?;
    let chain = head.chain;
    let body = LogLeaves {
        log_id: chain.log_id,
        batch: chain.batch,
        first_index: chain.first_index,
        batch_size: chain.batch_size,
        batch_root: chain.batch_root.to_hex(),
        sth_sha256: chain.sha256.to_hex(),
        leaves: hex(&leaves),
    };
    Ok(document(&body, FOR_EVER)?.reply(&headers))
}
