//! `/log/`: the log as a folder of files, as C2SP tlog-tiles lays it out. Whoever copies the folder
//! has the whole log. Not limited: the files are small, and nearly all of them never change.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::errors::ErrorV1;
use http::{HeaderMap, Uri};
use proof::tlog::TileFile;
use service::{Service, log::RecordAsk};

use super::{failed, record, witness};
use crate::{
    address::{self, PathText},
    documents::{BYTES, Document, FOR_EVER, FOR_MINUTES, FOR_SECONDS, JSON, JSON_LINES},
    errors::ApiError,
};

/// Heads in one file.
const HEADS_IN_A_FILE: u64 = 1_000;

pub(crate) async fn checkpoint_file(
    State(service): State<Arc<Service>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    witness::checkpoint(&service, &headers).await
}

pub(crate) async fn record_file(
    State(service): State<Arc<Service>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    record::reply(&service, RecordAsk::Head, &headers).await
}

pub(crate) async fn keys_file(State(service): State<Arc<Service>>, headers: HeaderMap) -> Response {
    Document::new(service.key_directory().content, JSON, FOR_MINUTES).reply(&headers)
}

pub(crate) async fn rotation_file(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
) -> Response {
    Document::new(service.key_rotation(), JSON, FOR_MINUTES).reply(&headers)
}

/// Read a tile
///
/// A file of the log by the rules of C2SP tlog-tiles: `tile/<L>/<N>[.p/<W>]` holds hashes of the
/// tree over all leaves, `tile/entries/<N>[.p/<W>]` what the leaves are the hashes of. Not limited.
/// Beside it are `checkpoint`, `log.json`, `keys.json`, `rotation.json` and `sths/`: the folder is a
/// whole copy of the log.
#[utoipa::path(
    get,
    path = "/log/tile/{path}",
    operation_id = "getLogTile",
    tag = "log",
    params(("path" = String, Path, description = "The tile, such as `0/000` or `0/x001/234.p/5`.",
        example = "0/000.p/1")),
    responses(
        (status = 200, description = "The tile.", body = Vec<u8>,
            content_type = "application/octet-stream"),
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "The log has no such tile: `not_found`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_tile(
    State(service): State<Arc<Service>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // As it was sent: a path has one spelling, and another one is another file.
    let file = uri.path().strip_prefix(service::log::LOG_FILES_PATH).unwrap_or_default();
    let file: TileFile = file.parse().map_err(|_| ApiError::not_found())?;
    let bytes = service.log_tile(&file).await.map_err(failed)?.ok_or_else(ApiError::not_found)?;
    let cache = if file.is_full() { FOR_EVER } else { FOR_MINUTES };
    Ok(Document::new(bytes, BYTES, cache).reply(&headers))
}

/// Read a file of heads
///
/// The signed heads of a thousand batches, one a line, the oldest first: `000000000.jsonl` holds
/// those of batches 0 to 999, `000001000.jsonl` the next. Not limited.
#[utoipa::path(
    get,
    path = "/log/sths/{file}",
    operation_id = "getLogHeadsFile",
    tag = "log",
    params(("file" = String, Path, description = "Nine digits and `.jsonl`.",
        example = "000000000.jsonl")),
    responses(
        (status = 200, description = "The heads.", body = String,
            content_type = "application/jsonl"),
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "The log has no such file: `not_found`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_heads_file(
    State(service): State<Arc<Service>>,
    PathText(file): PathText,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let first = first_of(&file).ok_or_else(ApiError::not_found)?;
    let heads = service.log_heads_between(first, first + HEADS_IN_A_FILE - 1).await;
    let heads = heads.map_err(failed)?;
    if heads.is_empty() {
        return Err(ApiError::not_found());
    }
    let mut lines = Vec::with_capacity(heads.iter().map(|head| head.len() + 1).sum());
    for head in &heads {
        lines.extend_from_slice(head);
        lines.push(b'\n');
    }
    let whole = heads.len() as u64 == HEADS_IN_A_FILE;
    let cache = if whole { FOR_EVER } else { FOR_SECONDS };
    Ok(Document::new(lines, JSON_LINES, cache).reply(&headers))
}

/// The batch that a file begins with.
fn first_of(file: &str) -> Option<u64> {
    let digits = file.strip_suffix(".jsonl")?;
    let good = digits.len() == 9 && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|first| good && first % HEADS_IN_A_FILE == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_heads_has_one_name() {
        assert_eq!(first_of("000000000.jsonl"), Some(0));
        assert_eq!(first_of("000012000.jsonl"), Some(12_000));
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
            assert_eq!(first_of(bad), None, "{bad}");
        }
    }
}
