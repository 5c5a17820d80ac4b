//! `POST /api/v1/scan`: scan a domain now, for a licence holder, with the versioned report.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, State},
    response::{IntoResponse, Response},
};
use contract::{
    errors::ErrorV1,
    records::{PublicReportV1, ScanRequestV1},
};
use http::{
    HeaderMap,
    header::{CACHE_CONTROL, CONTENT_TYPE},
    request::Parts,
};
use service::{Caller, Service};

use super::scan;
use crate::{
    principal::Principal,
    rate_limits::ScanLimit,
    request::{IdempotencyJson, IdempotencyScope},
    response::{ApiError, JSON, NO_STORE},
    state::{AppState, ServiceInfo},
};

/// Scan a domain with a licence
///
/// Scans a domain as `POST /api/scan` does and answers with the versioned report: a fixed set of the
/// record's members, and the earlier public scans of the domain. Needs a licence for the domain: its key
/// in the header `x-svc-key` or as a bearer token, or the session of somebody who signed in at `/manage`. If
/// the operator set `access.free_scans_v1`, a request without a key is a free scan instead of 401. The limits
/// of free scans do not apply to licences. As for free
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
    V1Scan { limit, caller }: V1Scan,
    headers: HeaderMap,
    IdempotencyJson { request, idempotency_key }: IdempotencyJson<ScanRequestV1>,
) -> Result<Response, ApiError> {
    let block = limit.principal.block;
    let slot = limit.into_slot();
    let scope = IdempotencyScope {
        operation: "scanDomainV1",
        block,
        brand: &service_info.issuer.brand,
        headers: &headers,
    };
    let scanning = Arc::clone(&service);
    let (scan_slot, is_stored) = (slot.copy(), idempotency_key.is_some());
    let work = async move {
        let scanned = scanning.scanning.scan_v1(request.domain, caller).await;
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

/// Extractor: who scans, within the limits of scans. Whoever may not is refused before the body is read.
#[derive(Debug)]
pub(crate) struct V1Scan {
    limit: ScanLimit,
    caller: Caller,
}

impl FromRequestParts<AppState> for V1Scan {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Ok(principal) = Principal::from_request_parts(parts, state).await;
        let caller = caller(principal, state.service_info.free_scans_v1)?;
        Ok(Self { limit: ScanLimit::from_request_parts(parts, state).await?, caller })
    }
}

/// A key that is not valid is an error in any case: whoever sends one does not want a free scan.
fn caller(principal: Principal, is_free_without_key: bool) -> Result<Caller, ApiError> {
    let is_anonymous = principal.holder.is_none() && principal.key_problem.is_none();
    if is_anonymous && is_free_without_key {
        return Ok(Caller::Anonymous(principal.block));
    }
    Ok(Caller::LicenceHolder(principal.require_holder()?.licence))
}
