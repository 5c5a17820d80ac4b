//! `GET /api/v1/content-clock`: when a page changed. The first request starts a clock for the page.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, limits::CLOCK_VERSIONS_MAX, records::ContentClockRecord};
use http::{HeaderMap, Uri};
use service::{
    AddressBlock, Service,
    answers::content_clock::{ContentClockError, ContentClockRequest},
};

use super::error_mapping;
use crate::{
    rate_limits::{LiveReadLimit, ReadLimit},
    request::{
        ClientAddress,
        parameters::{count_parameter, page_parameter, switch_parameter},
        query_parameters,
    },
    response::{ApiError, CACHE_FIVE_MINUTES, HttpDocument, JSON, NO_STORE},
};

/// Read when a page changed
///
/// A request starts a clock for the page: we read the page now and then every 12 hours, until 90 days
/// after the last request for the clock. We obey robots.txt and send conditional requests. Changes are
/// detected by digests of the page's text and bytes; dates that the site declares are only listed as
/// claims. `start=0` starts no clock. A site can have 3 clocks, and an address can start 20 a day. A
/// clock above these limits, or one that robots.txt forbids, has `state` `refused` and the reason.
#[utoipa::path(
    get,
    path = "/api/v1/content-clock",
    operation_id = "getContentClock",
    tag = "resolve",
    params(
        ("url" = String, Query, description = "The page; its query and fragment are dropped.",
            example = "https://example.com/"),
        ("start" = Option<u8>, Query, description = "0: do not start a clock."),
        ("versions" = Option<u32>, Query, description = "Maximum number of versions, 1 to 100."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = ContentClockRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_url`, `target_not_public`, \
            `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_content_clock(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    ClientAddress(client): ClientAddress,
    live_reads: LiveReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["url", "start", "versions"])?;
    let ask = ContentClockRequest {
        page: page_parameter(&service, &parameters)?,
        start: switch_parameter(&parameters, "start", true)?,
        versions: count_parameter(&parameters, "versions", CLOCK_VERSIONS_MAX)?
            .unwrap_or(CLOCK_VERSIONS_MAX),
        block: AddressBlock::from_address(client),
        live_read_permit: Arc::new(live_reads),
    };
    let reply = service.clocks.content_clock(ask).await.map_err(to_api_error)?;
    // The record of a new clock changes within moments, so it is not cached.
    let cache = if reply.was_running { CACHE_FIVE_MINUTES } else { NO_STORE };
    let (bytes, digest) = (reply.document.bytes, reply.document.digest);
    Ok(HttpDocument::with_etag(bytes, &digest, JSON, cache).reply(&headers))
}

fn to_api_error(error: ContentClockError) -> ApiError {
    let message = error.to_string();
    match error {
        ContentClockError::Store(_) => {
            error_mapping::store_unreadable().with_internal_message(message)
        }
        ContentClockError::Signing(_) => {
            error_mapping::signing_unavailable().with_internal_message(message)
        }
        ContentClockError::Internal(_) => ApiError::internal(message),
    }
}
