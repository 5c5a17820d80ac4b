//! `GET /api/v1/read-equivalence`: whether AI identities receive the same page as a browser.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, records::ReadEquivalenceRecord};
use http::{HeaderMap, Uri};
use service::{EquivalenceError, LiveReadPermit, Service};

use super::error_mapping;
use crate::{
    rate_limits::{LiveReadLimit, ReadLimit},
    request::{
        parameters::{page_parameter, switch_parameter},
        query_parameters,
    },
    response::{ApiError, CACHE_FIVE_MINUTES, HttpDocument, JSON},
};

/// Compare the page that different identities receive
///
/// How similar the text for AI identities is to the browser's text, how similar two browser requests are
/// to each other, and the results of earlier readings. Only home pages are compared. We send all
/// requests from our own network under the agents' names: the site may treat the real agents
/// differently. `live=1` reads the site now, unless it was read within the last minutes.
#[utoipa::path(
    get,
    path = "/api/v1/read-equivalence",
    operation_id = "getReadEquivalence",
    tag = "resolve",
    params(
        ("url" = String, Query, description = "The page; its query and fragment are dropped.",
            example = "https://example.com/"),
        ("live" = Option<u8>, Query, description = "1: read the site now."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = ReadEquivalenceRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_url`, `target_not_public`, \
            `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_read_equivalence(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    live_reads: LiveReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["url", "live"])?;
    let page = page_parameter(&service, &parameters)?;
    let live = switch_parameter(&parameters, "live", false)?;
    let may_read = live.then(|| Arc::new(live_reads) as Arc<dyn LiveReadPermit>);
    let signed =
        service.answers.read_equivalence(&page, may_read).await.map_err(|error| match error {
            EquivalenceError::Report(error) => error_mapping::report_to_api_error(error),
            EquivalenceError::Resolve(error) => error_mapping::resolve_to_api_error(error),
        })?;
    Ok(HttpDocument::with_etag(signed.bytes, &signed.digest, JSON, CACHE_FIVE_MINUTES)
        .reply(&headers))
}
