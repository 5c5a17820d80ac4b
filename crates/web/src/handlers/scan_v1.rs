//! `POST /api/v1/scan`: read a domain now, for a licence holder, in the stable form.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::ErrorV1,
    records::{PublicReportV1, ScanRequestV1},
};
use http::{
    HeaderMap,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::{AddressBlock, Service};

use super::scan;
use crate::{
    client_address::ClientAddress,
    credential::Holder,
    documents,
    errors::ApiError,
    once::{Once, OnceJson},
    state::Site,
};

/// Scan a domain with a licence
///
/// Reads a domain as `POST /api/scan` does and answers with the versioned report: an allowlist of
/// the record, with the earlier public scans of the domain. Needs a licence key for the domain, in
/// the header `x-svc-key` or as a bearer token. Not bound by the limits of free scans; one scan of
/// a domain at a time, and the two minutes' window, hold here too. The report is public.
#[utoipa::path(
    post,
    path = "/api/v1/scan",
    operation_id = "scanDomainV1",
    tag = "scans",
    params(("Idempotency-Key" = Option<String>, Header, description = "A key of your own, up to \
        255 visible characters: the same request with the same key is done once and answered with \
        the same bytes for 24 hours.")),
    request_body(content = ScanRequestV1, content_type = "application/json"),
    security(("licence_key" = []), ("bearer" = [])),
    responses(
        (status = 200, description = "The versioned report.", body = PublicReportV1,
            content_type = "application/json"),
        (status = 400, description = "Not a public domain, no JSON body, a body that is not \
            understood, or two different keys: `bad_domain`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 401, description = "No key, or none that is in force: `unauthorized`.",
            body = ErrorV1),
        (status = 403, description = "The licence is not for this domain: `forbidden`.",
            body = ErrorV1),
        (status = 409, description = "A request with this key is under way: \
            `idempotency_in_flight`.", body = ErrorV1),
        (status = 413, description = "A body of more than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 422, description = "The key was used with another body: `idempotency_reused`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`, or a scan of this domain is still running: \
            `scan_in_progress`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `store_unreadable`, `signing_unavailable`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn scan_domain_v1(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
    Holder(licence): Holder,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    OnceJson { request, keyed }: OnceJson<ScanRequestV1>,
) -> Result<Response, ApiError> {
    let block = AddressBlock::of(address);
    let once = Once { operation: "scanDomainV1", block, site: &site, headers: &headers };
    let scanning = Arc::clone(&service);
    let work = async move {
        let report = scanning.scan_v1(request.domain, licence).await.map_err(scan::refusal)?;
        let body =
            serde_json::to_vec(&report).map_err(|error| ApiError::internal(error.to_string()))?;
        let headers = [(CONTENT_TYPE, documents::JSON), (CACHE_CONTROL, documents::NOT_AT_ALL)];
        Ok((headers, body).into_response())
    };
    once.run(&service, keyed, work).await
}
