//! `GET /.well-known/crawlcheck-observers.json`: who knocks, from where, and how to make it stop.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::ObserverDirectory,
};
use http::{HeaderMap, HeaderValue, Uri, header::LAST_MODIFIED};
use service::Service;

use crate::{
    address,
    documents::{Document, FOR_AN_HOUR, JSON},
    errors::ApiError,
};

/// Read who looks at sites for this service
///
/// For site owners: who runs the service, the networks that requests come from as far as they are
/// published, every name that is sent and whose name it is, how often we come, what we never do, and
/// how robots.txt makes it stop. `prefixes` and `creationTime` have the form of the feeds that
/// crawlers publish.
#[utoipa::path(
    get,
    path = "/.well-known/crawlcheck-observers.json",
    operation_id = "getObservers",
    tag = "resolve",
    responses(
        (status = 200, description = "The signed directory.", body = ObserverDirectory,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 503, description = "`signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_observers(
    State(service): State<Arc<Service>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    let signed = service.observers().map_err(|error| {
        ApiError::new(ErrorCode::SigningUnavailable, "The directory could not be signed.")
            .retry_after(30)
            .because(error.to_string())
    })?;
    let document = Document::named(signed.bytes, &signed.digest, JSON, FOR_AN_HOUR);
    let mut reply = document.reply(&headers);
    let made = signed.document.get("generated_at").and_then(|value| value.as_str());
    if let Some(date) = made.and_then(http_date) {
        reply.headers_mut().insert(LAST_MODIFIED, date);
    }
    Ok(reply)
}

/// A moment as HTTP writes it.
fn http_date(text: &str) -> Option<HeaderValue> {
    let moment: contract::Timestamp = text.parse().ok()?;
    let since = std::time::Duration::from_millis(u64::try_from(moment.as_millis()).ok()?);
    let written = httpdate::fmt_http_date(std::time::UNIX_EPOCH.checked_add(since)?);
    HeaderValue::from_str(&written).ok()
}
