//! `/log/`: the log as a folder of files, in the layout of C2SP tlog-tiles. A copy of the folder is a
//! copy of the whole log. Their rate limit is far above what copying needs: the files are small, and nearly
//! all of them never change.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::errors::ErrorV1;
use http::{HeaderMap, Uri};
use proof::tlog::TileFile;
use service::{Service, log::LogRecordQuery};

use super::{overview, witness};
use crate::{
    handlers::error_mapping::log_to_api_error,
    rate_limits::LogFileLimit,
    request::{PathParameter, query_parameters},
    response::{
        ApiError, CACHE_FIVE_MINUTES, CACHE_FIVE_SECONDS, CACHE_FOREVER, HttpDocument, JSON,
        JSON_LINES, OCTET_STREAM,
    },
};

/// Number of heads in one file.
const HEADS_PER_FILE: u64 = 1_000;

pub(crate) async fn checkpoint_file(
    State(service): State<Arc<Service>>,
    _: LogFileLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    witness::checkpoint_response(&service, &headers).await
}

pub(crate) async fn record_file(
    State(service): State<Arc<Service>>,
    _: LogFileLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    overview::log_record_response(&service, LogRecordQuery::Head, &headers).await
}

pub(crate) async fn keys_file(
    State(service): State<Arc<Service>>,
    _: LogFileLimit,
    headers: HeaderMap,
) -> Response {
    service.keys.refresh().await;
    HttpDocument::new(service.keys.directory().content, JSON, CACHE_FIVE_MINUTES).reply(&headers)
}

pub(crate) async fn rotation_file(
    State(service): State<Arc<Service>>,
    _: LogFileLimit,
    headers: HeaderMap,
) -> Response {
    service.keys.refresh().await;
    HttpDocument::new(service.keys.rotation_record(), JSON, CACHE_FIVE_MINUTES).reply(&headers)
}

/// Read a tile
///
/// A file of the log, as defined by C2SP tlog-tiles: `tile/<L>/<N>[.p/<W>]` has hashes of the tree over
/// all leaves, `tile/entries/<N>[.p/<W>]` the entries whose hashes are the leaves. The
/// folder also has `checkpoint`, `log.json`, `keys.json`, `rotation.json` and `sths/`: it is a complete
/// copy of the log.
#[utoipa::path(
    get,
    path = "/log/tile/{path}",
    operation_id = "getLogTile",
    tag = "log",
    params(("path" = String, Path, description = "The tile, such as `0/000` or `0/x001/234.p/5`.",
        example = "0/000.p/1")),
    responses(
        (status = 200, description = "The tile.", body = inline(crate::openapi::BinaryBody),
            content_type = "application/octet-stream"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "The log has no such tile: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_tile(
    State(service): State<Arc<Service>>,
    _: LogFileLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // The raw path: a tile has exactly one spelling, so percent-encoding is not decoded.
    let file = uri.path().strip_prefix(service::log::LOG_FILES_PATH).unwrap_or_default();
    let file: TileFile = file.parse().map_err(|_| ApiError::not_found())?;
    let bytes = service
        .log
        .tile_file(&file)
        .await
        .map_err(log_to_api_error)?
        .ok_or_else(ApiError::not_found)?;
    let cache = if file.is_full() { CACHE_FOREVER } else { CACHE_FIVE_MINUTES };
    Ok(HttpDocument::new(bytes, OCTET_STREAM, cache).reply(&headers))
}

/// Read a file of heads
///
/// The signed heads of 1,000 batches, one per line, oldest first: `000000000.jsonl` has batches 0 to 999,
/// `000001000.jsonl` the next 1,000.
#[utoipa::path(
    get,
    path = "/log/sths/{file}",
    operation_id = "getLogHeadsFile",
    tag = "log",
    params(("file" = String, Path, description = "The number of the first batch in nine digits, and `.jsonl`.",
        example = "000000000.jsonl")),
    responses(
        (status = 200, description = "The heads.", body = String,
            content_type = "application/jsonl"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "The log has no such file: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_heads_file(
    State(service): State<Arc<Service>>,
    _: LogFileLimit,
    PathParameter(file): PathParameter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let first = first_batch_in_file(&file).ok_or_else(ApiError::not_found)?;
    let heads = service.log.heads_between(first, first + HEADS_PER_FILE - 1).await;
    let heads = heads.map_err(log_to_api_error)?;
    if heads.is_empty() {
        return Err(ApiError::not_found());
    }
    let mut lines = Vec::with_capacity(heads.iter().map(|head| head.len() + 1).sum());
    for head in &heads {
        lines.extend_from_slice(head);
        lines.push(b'\n');
    }
    let whole = heads.len() as u64 == HEADS_PER_FILE;
    let cache = if whole { CACHE_FOREVER } else { CACHE_FIVE_SECONDS };
    Ok(HttpDocument::new(lines, JSON_LINES, cache).reply(&headers))
}

/// The number of the first batch in a file, from the file's name.
fn first_batch_in_file(file: &str) -> Option<u64> {
    let digits = file.strip_suffix(".jsonl")?;
    let good = digits.len() == 9 && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|first| good && first % HEADS_PER_FILE == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_heads_has_exactly_one_name() {
        assert_eq!(first_batch_in_file("000000000.jsonl"), Some(0));
        assert_eq!(first_batch_in_file("000012000.jsonl"), Some(12_000));
        for bad in [
            "",
            ".jsonl",
            "0.jsonl",
            "000000001.jsonl",
            "0000000000.jsonl",
            "000000000",
            "+00000000.jsonl",
            "000000000.JSONL",
            "00000000é.jsonl",
        ] {
            assert_eq!(first_batch_in_file(bad), None, "{bad}");
        }
    }
}
