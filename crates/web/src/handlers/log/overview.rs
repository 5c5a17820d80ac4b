//! `GET /api/v1/log`: the signed overview of the log.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, limits::LOG_LIST_MAX, records::LogRecord};
use http::{HeaderMap, Uri};
use service::{Service, log::LogRecordQuery};

use crate::{
    handlers::error_mapping::log_to_api_error,
    rate_limits::FeedLimit,
    request::{
        parameters::{count_parameter, leaf_parameter, number_parameter},
        query_parameters,
    },
    response::{ApiError, CACHE_THIRTY_SECONDS, HttpDocument, JSON},
};

/// Read the overview of the log
///
/// The newest signed head, the number of batches and leaves, the rules, the key, and the addresses of
/// the tiles, the checkpoint and the witnesses. With `limit` or `cursor`: also a list of batches, newest
/// first. With `leaf`: the position of that leaf. The limit is 30 requests in a minute per address, for
/// all log operations below `/api/v1` together.
#[utoipa::path(
    get,
    path = "/api/v1/log",
    operation_id = "getLog",
    tag = "log",
    params(
        ("cursor" = Option<String>, Query, description = "The `cursor` of the previous \
            response."),
        ("limit" = Option<u32>, Query, description = "Maximum number of batches, 1 to 100."),
        ("leaf" = Option<String>, Query, description = "A leaf hash: 64 lower-case hex digits."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = LogRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["cursor", "limit", "leaf"])?;
    let limit = count_parameter(&parameters, "limit", LOG_LIST_MAX)?;
    let from = number_parameter(&parameters, "cursor")?;
    let ask = match (leaf_parameter(&parameters)?, from, limit) {
        (Some(leaf), None, None) => LogRecordQuery::Leaf(leaf),
        (Some(_), _, _) => {
            let sentence = "`leaf` cannot be combined with `cursor` or `limit`.";
            return Err(ApiError::bad_request(sentence).param("leaf"));
        }
        (None, None, None) => LogRecordQuery::Head,
        (None, from, limit) => LogRecordQuery::List { from, limit: limit.unwrap_or(LOG_LIST_MAX) },
    };
    log_record_response(&service, ask, &headers).await
}

pub(super) async fn log_record_response(
    service: &Service,
    ask: LogRecordQuery,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let record = service.log.signed_record(ask).await.map_err(log_to_api_error)?;
    Ok(HttpDocument::with_etag(record.bytes, &record.digest, JSON, CACHE_THIRTY_SECONDS)
        .reply(headers))
}
