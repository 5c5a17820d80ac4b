//! `GET /api/v1/read-equivalence`: whether AI identities are given the page a browser is given.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, records::ReadEquivalenceRecord};
use http::{HeaderMap, Uri};
use service::{EquivalenceError, MayRead, Service};

use super::kept;
use crate::{
    address,
    documents::{Document, FOR_MINUTES, JSON},
    errors::ApiError,
    limits::{LiveReads, Reads},
};

/// Compare what readers of a page are given
///
/// How the text that AI identities were given compares with the browser's, against how the browser's
/// compares with itself, and what earlier readings came to. Only home pages are compared. Every
/// identity is a name sent from our own network: a refusal here is no proof of what the real agent
/// gets. `live=1` reads the site now, unless it was read within the last minutes.
#[utoipa::path(
    get,
    path = "/api/v1/read-equivalence",
    operation_id = "getReadEquivalence",
    tag = "resolve",
    params(
        ("url" = String, Query, description = "The page; its query and fragment are dropped.",
            example = "https://example.com/"),
        ("live" = Option<u8>, Query, description = "1 reads the site now."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = ReadEquivalenceRecord,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `bad_url`, `target_not_public`, \
            `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_read_equivalence(
    State(service): State<Arc<Service>>,
    _: Reads,
    live_reads: LiveReads,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["url", "live"])?;
    let page = kept::page(&service, &asked)?;
    let live = kept::switch(&asked, "live", false)?;
    let may_read = live.then(|| Arc::new(live_reads) as Arc<dyn MayRead>);
    let signed = service.read_equivalence(&page, may_read).await.map_err(|error| match error {
        EquivalenceError::Report(error) => kept::failed(error),
        EquivalenceError::Resolve(error) => kept::not_resolved(error),
    })?;
    Ok(Document::named(signed.bytes, &signed.digest, JSON, FOR_MINUTES).reply(&headers))
}
