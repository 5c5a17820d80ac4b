//! `GET /api/v1/content-clock`: when a page changes. Reading it starts a clock.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, limits::CLOCK_VERSIONS_MAX, records::ContentClockRecord};
use http::{HeaderMap, Uri};
use service::{
    AddressBlock, Service,
    content_clock::{ClockAsk, ClockError},
};

use super::{kept, log::count};
use crate::{
    address,
    client_address::ClientAddress,
    documents::{Document, FOR_MINUTES, JSON, NOT_AT_ALL},
    errors::ApiError,
    limits::{LiveReads, Reads},
};

/// Read when a page changes
///
/// Reading this address starts a clock: the page is read once now and every 12 hours from then on,
/// behind its robots.txt and only if it changed, until 90 days after the last reader. What changed is
/// told by digests of its own text and bytes; dates that the site declares are claims beside them.
/// `start=0` reads without starting. A site may have 3 clocks and an address start 20 a day; what is
/// over that, or unwelcome, is answered with `state` `refused` and why.
#[utoipa::path(
    get,
    path = "/api/v1/content-clock",
    operation_id = "getContentClock",
    tag = "resolve",
    params(
        ("url" = String, Query, description = "The page; its query and fragment are dropped.",
            example = "https://example.com/"),
        ("start" = Option<u8>, Query, description = "0 starts no clock."),
        ("versions" = Option<u32>, Query, description = "Versions shown, 1 to 100."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = ContentClockRecord,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `bad_url`, `target_not_public`, \
            `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_content_clock(
    State(service): State<Arc<Service>>,
    _: Reads,
    ClientAddress(client): ClientAddress,
    live_reads: LiveReads,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["url", "start", "versions"])?;
    let ask = ClockAsk {
        page: kept::page(&service, &asked)?,
        start: kept::switch(&asked, "start", true)?,
        versions: count(&asked, "versions", CLOCK_VERSIONS_MAX)?.unwrap_or(CLOCK_VERSIONS_MAX),
        block: AddressBlock::of(client),
        may_read: Arc::new(live_reads),
    };
    let reply = service.content_clock(ask).await.map_err(failed)?;
    // What was only now begun looks otherwise a moment later.
    let cache = if reply.running { FOR_MINUTES } else { NOT_AT_ALL };
    let (bytes, digest) = (reply.document.bytes, reply.document.digest);
    Ok(Document::named(bytes, &digest, JSON, cache).reply(&headers))
}

fn failed(error: ClockError) -> ApiError {
    let said = error.to_string();
    match error {
        ClockError::Store(_) => kept::store_unreadable().because(said),
        ClockError::Signing(_) => kept::not_signed().because(said),
        ClockError::Internal(_) => ApiError::internal(said),
    }
}
