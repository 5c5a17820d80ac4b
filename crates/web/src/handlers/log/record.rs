//! `GET /api/v1/log`: the log as it stands.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, limits::LOG_LIST_MAX, records::LogRecord};
use http::{HeaderMap, Uri};
use service::{Service, log::RecordAsk};

use super::{count, failed, leaf, number};
use crate::{
    address,
    documents::{Document, FOR_HALF_A_MINUTE, JSON},
    errors::ApiError,
    limits::Feeds,
};

/// Read what the log is
///
/// The newest signed head, how many batches and leaves there are, the rules, the key, and where
/// tiles, checkpoint and witnesses are. With `limit` or `cursor`, batches as well, the newest first;
/// with `leaf`, where that leaf is. 30 requests in a minute from one address, together with the
/// other addresses of the log below `/api/v1`.
#[utoipa::path(
    get,
    path = "/api/v1/log",
    operation_id = "getLog",
    tag = "log",
    params(
        ("cursor" = Option<String>, Query, description = "Where the list goes on, from `cursor` \
            of the answer before."),
        ("limit" = Option<u32>, Query, description = "Batches in the list, at most 100."),
        ("leaf" = Option<String>, Query, description = "A leaf's hash, 64 hexadecimal digits."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = LogRecord,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["cursor", "limit", "leaf"])?;
    let limit = count(&asked, "limit", LOG_LIST_MAX)?;
    let from = number(&asked, "cursor")?;
    let ask = match (leaf(&asked)?, from, limit) {
        (Some(leaf), None, None) => RecordAsk::Leaf(leaf),
        (Some(_), _, _) => {
            let sentence = "`leaf` does not go together with `cursor` or `limit`.";
            return Err(ApiError::bad_request(sentence).param("leaf"));
        }
        (None, None, None) => RecordAsk::Head,
        (None, from, limit) => RecordAsk::List { from, limit: limit.unwrap_or(LOG_LIST_MAX) },
    };
    reply(&service, ask, &headers).await
}

pub(super) async fn reply(
    service: &Service,
    ask: RecordAsk,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let record = service.log_record(ask).await.map_err(failed)?;
    Ok(Document::named(record.bytes, &record.digest, JSON, FOR_HALF_A_MINUTE).reply(headers))
}
