//! `POST /api/v1/scan`: scan a domain now, for a licence holder, with the versioned report.

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
    rate_limits::LicenceHolder,
    request::{ClientAddress, IdempotencyJson, IdempotencyScope},
    response::{ApiError, JSON, NO_STORE},
    state::ServiceInfo,
};

/// Scan a domain with a licence
///
/// Scans a domain as `POST /api/scan` does and answers with the versioned report: a fixed set of the
/// record's members, and the earlier public scans of the domain. Needs a licence key for the domain,
/// in the header `x-svc-key` or as a bearer token. The limits of free scans do not apply. As for free
/// scans, one scan of a domain runs at a time, and a public scan of the last two minutes is reused. The
/// report is public.
#[utoipa::path(
    post,
    path = "/api/v1/scan",
    operation_id = "scanDomainV1",
    tag = "scans",
    params(("Idempotency-Key" = Option<String>, Header, description = "A key that you \
        choose, up to 255 visible characters. The same request with the same key is carried out \
        once and answered with the same bytes for 24 hours.")),
    request_body(content = ScanRequestV1, content_type = "application/json"),
    security(("licence_key" = []), ("bearer" = [])),
    responses(
        (status = 200, description = "The versioned report.", body = PublicReportV1,
            content_type = "application/json"),
        (status = 400, description = "Not a public domain, no JSON body, an invalid body, or \
            two different licence keys: `bad_domain`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 401, description = "No licence key, or an invalid one: `unauthorized`.",
            body = ErrorV1),
        (status = 403, description = "The licence is not for this domain: `forbidden`.",
            body = ErrorV1),
        (status = 409, description = "A request with this key is still running: \
            `idempotency_in_flight`.", body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 422, description = "The key was used with a different body: `idempotency_reused`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`, or a scan of this domain is still running: \
            `scan_in_progress`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `store_unreadable`, `signing_unavailable`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn scan_domain_v1(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    holder: LicenceHolder,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    IdempotencyJson { request, idempotency_key }: IdempotencyJson<ScanRequestV1>,
) -> Result<Response, ApiError> {
    let (licence, slot) = holder.into_parts();
    let block = AddressBlock::from_address(address);
    let scope = IdempotencyScope {
        operation: "scanDomainV1",
        block,
        brand: &service_info.issuer.brand,
        headers: &headers,
    };
    let scanning = Arc::clone(&service);
    let (scan_slot, is_stored) = (slot.copy(), idempotency_key.is_some());
    let work = async move {
        let scanned = scanning.scanning.scan_v1(request.domain, licence).await;
        let (report, is_earlier_report) = scanned.map_err(|error| scan::to_api_error(&error))?;
        // With a key, the reply is stored for a day, so that it counts.
        if is_earlier_report && !is_stored {
            scan_slot.release();
        }
        let body =
            serde_json::to_vec(&report).map_err(|error| ApiError::internal(error.to_string()))?;
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)];
        Ok((headers, body).into_response())
    };
    let result = scope.run(&service, idempotency_key, work).await;
    slot.settle(&result);
    result
}
