//! `GET /.well-known/crawlcheck-observers.json`: who requests sites, from which networks, and how site
//! owners can stop it.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::ObserverDirectory,
};
use http::{HeaderMap, HeaderValue, Uri, header::LAST_MODIFIED};
use service::Service;

use crate::{
    rate_limits::ReadLimit,
    request::query_parameters,
    response::{ApiError, CACHE_ONE_HOUR, HttpDocument, JSON},
};

/// Read which requests this service sends to sites
///
/// For site owners: who operates the service, the published networks that the requests come from, every
/// user agent name that is sent and whose name it is, how often the service visits, what it never does,
/// and how to stop it with robots.txt. `prefixes` and `creationTime` have the form of the IP range feeds
/// that crawlers publish.
#[utoipa::path(
    get,
    path = "/.well-known/crawlcheck-observers.json",
    operation_id = "getObservers",
    tag = "resolve",
    responses(
        (status = 200, description = "The signed directory.", body = ObserverDirectory,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 503, description = "`signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_observers(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let signed = service.signed_observer_directory().map_err(|error| {
        ApiError::new(
            ErrorCode::SigningUnavailable,
            "The directory could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(error.to_string())
    })?;
    let document = HttpDocument::with_etag(signed.bytes, &signed.digest, JSON, CACHE_ONE_HOUR);
    let mut reply = document.reply(&headers);
    let made = signed.document.get("generated_at").and_then(|value| value.as_str());
    if let Some(date) = made.and_then(http_date) {
        reply.headers_mut().insert(LAST_MODIFIED, date);
    }
    Ok(reply)
}

/// A timestamp as an HTTP date.
fn http_date(text: &str) -> Option<HeaderValue> {
    let timestamp: contract::Timestamp = text.parse().ok()?;
    let since = std::time::Duration::from_millis(u64::try_from(timestamp.as_millis()).ok()?);
    let written = httpdate::fmt_http_date(std::time::UNIX_EPOCH.checked_add(since)?);
    HeaderValue::from_str(&written).ok()
}
