//! `/registry/{domain}/claim`: claiming a domain, by the API. `claim_pages` has the same for people.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::ErrorV1,
    records::{ClaimChallenge, ClaimCheckRequest, ClaimOffer, ClaimRequest, ControlRecord},
};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, VARY},
};
use service::{ClaimDetails, Service, access::LiveReadPermit};

use super::{DomainPath, claim_pages, to_api_error};
use crate::{
    handlers::page_forms::PageToken,
    principal::claim_secret::presented_secret,
    rate_limits::{LiveReadLimit, live_read_limit_error},
    request::{StrictJson, content_negotiation},
    response::{ApiError, JSON, NO_STORE},
    state::ServiceInfo,
};

/// Read how control of a domain is proven
///
/// The state of the domain, and every method with its place and what it proves. An HTML page with a form,
/// or the offer if `Accept` prefers `application/json`.
#[utoipa::path(
    get,
    path = "/registry/{domain}/claim",
    operation_id = "getClaimOffer",
    tag = "domains",
    params(("domain" = String, Path, description = "The domain.", example = "example.com")),
    responses(
        (status = 200, description = "The offer.", content(
            (String = "text/html"),
            (ClaimOffer = "application/json"),
        )),
        (status = 400, description = "`bad_domain`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_claim_offer(
    State(service): State<Arc<Service>>,
    path: DomainPath,
    token: PageToken,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let offer = service.control.offer(&path.domain).await.map_err(to_api_error)?;
    let mut response = if content_negotiation::prefers(&headers, "application/json", "text/html") {
        json_response(StatusCode::OK, &offer)?
    } else {
        claim_pages::claim_page(&service, &path, &offer, token, None).await
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept, Cookie, Authorization"));
    Ok(response)
}

/// Begin a claim
///
/// Returns a token that nobody else has, where to publish it, and the secret that shows later that you are
/// the claimant. Nothing is stored until the proof is found.
#[utoipa::path(
    post,
    path = "/registry/{domain}/claim",
    operation_id = "beginClaim",
    tag = "domains",
    params(("domain" = String, Path, description = "The domain.", example = "example.com")),
    request_body(content = ClaimRequest, content_type = "application/json"),
    responses(
        (status = 201, description = "What to publish, and where.", body = ClaimChallenge,
            content_type = "application/json"),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 413, description = "`body_too_large`.", body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn begin_claim(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    path: DomainPath,
    StrictJson(request): StrictJson<ClaimRequest>,
) -> Result<Response, ApiError> {
    let block = path.principal.block;
    let challenge = service
        .control
        .begin_claim(&path.domain, &request.method, block)
        .await
        .map_err(to_api_error)?;
    let mut response = json_response(StatusCode::CREATED, &challenge)?;
    let control = service_info.issuer.domain_url("/api/v1/domain/control", &path.domain);
    if let Ok(address) = HeaderValue::try_from(control) {
        response.headers_mut().insert(LOCATION, address);
    }
    Ok(response)
}

/// Look for the proof of a claim
///
/// Reads the place of the proof once. If the token is there, the claim is stored, and the secret opens
/// what owners may see and do. For a claim that is proven already, this checks the proof again.
#[utoipa::path(
    post,
    path = "/registry/{domain}/claim/verify",
    operation_id = "verifyClaim",
    tag = "domains",
    params(("domain" = String, Path, description = "The domain.", example = "example.com")),
    request_body(content = ClaimCheckRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "Control is proven: the signed record, with what was read.",
            body = ControlRecord, content_type = "application/json"),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 401, description = "The secret of the claim is missing or does not belong to it: \
            `unauthorized`.", body = ErrorV1),
        (status = 409, description = "The proof was not found; `errors` says what was seen: \
            `proof_not_found`. The token does not count any more: `conflict`.", body = ErrorV1),
        (status = 413, description = "`body_too_large`.", body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "This address had the proof looked for too often today, or it is \
            being looked for now: `rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn verify_claim(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    path: DomainPath,
    live_reads: LiveReadLimit,
    headers: HeaderMap,
    StrictJson(request): StrictJson<ClaimCheckRequest>,
) -> Result<Response, ApiError> {
    let secret = presented_secret(&headers, &service_info.issuer.brand)
        .ok_or_else(|| to_api_error(service::ControlError::UnknownClaim))?;
    live_reads.acquire().map_err(live_read_limit_error)?;
    let ClaimCheckRequest { claim_id, organization, contact } = request;
    let details = ClaimDetails { organization, contact };
    let block = path.principal.block;
    let proven = service
        .control
        .check_claim(&path.domain, &claim_id, &secret, details, block)
        .await
        .map_err(to_api_error)?;
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)];
    Ok((headers, proven.document.bytes).into_response())
}

/// Withdraw a claim
///
/// Gives up the claim of the caller and ends its sessions. Claims of others stay.
#[utoipa::path(
    delete,
    path = "/registry/{domain}/claim",
    operation_id = "withdrawClaim",
    tag = "domains",
    params(("domain" = String, Path, description = "The domain.", example = "example.com")),
    responses(
        (status = 204, description = "Withdrawn."),
        (status = 400, description = "`bad_domain`.", body = ErrorV1),
        (status = 401, description = "`unauthorized`.", body = ErrorV1),
        (status = 403, description = "The secret is for another domain: `forbidden`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn withdraw_claim(
    State(service): State<Arc<Service>>,
    path: DomainPath,
) -> Result<StatusCode, ApiError> {
    let owner = path.require_owner()?;
    service.control.withdraw(owner).await.map_err(to_api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A document that nobody may store.
pub(super) fn json_response<T: serde::Serialize>(
    status: StatusCode,
    document: &T,
) -> Result<Response, ApiError> {
    let bytes = serde_json::to_vec(document).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok((status, [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)], bytes).into_response())
}
