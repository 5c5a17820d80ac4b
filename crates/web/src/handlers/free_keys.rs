//! `POST /api/v1/keys/free`: asks for a free key by mail. Only in deployments that offer them.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::FREE_KEY_LINK_HOURS,
    policies::{FREE_KEY_DAY, FREE_KEY_DAY_TOTAL},
    records::{FreeKeyAccepted, FreeKeyRequest},
};
use http::{
    StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::{AddressBlock, FreeKeyError, FreeKeys, Service};

use super::error_mapping;
use crate::{
    rate_limits::ReadLimit,
    request::{ClientAddress, StrictJson},
    response::{ApiError, JSON, NO_STORE, to_sentence},
};

/// What is said to everybody, whatever becomes of the request.
const NOTE: &str =
    "If this mail address can have a key, a link was sent to it. Each mail address gets one key.";

/// Ask for a free key by mail
///
/// Sends a link to the mail address. Whoever opens it and presses the button gets a licence key, which is
/// shown once. Each mail address gets one key, and one mail in a UTC day; an address on the network can ask
/// once in a UTC day. The response does not tell whether the mail address has a key. We do not store the
/// mail address, only a digest of it that others cannot compute.
///
/// Not every service offers free keys. One that does not answers with 404.
#[utoipa::path(
    post,
    path = "/api/v1/keys/free",
    operation_id = "requestFreeKey",
    tag = "keys",
    request_body(content = FreeKeyRequest, content_type = "application/json"),
    responses(
        (status = 202, description = "The request was taken. The same for every mail address.",
            body = FreeKeyAccepted, content_type = "application/json"),
        (status = 400, description = "Not one mail address, or one of a domain that gets no keys: \
            `bad_request`; `unknown_field`.", body = ErrorV1),
        (status = 404, description = "This service offers no free keys: `not_found`.",
            body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "This address, or everybody together, asked for as many keys as \
            a day has: `rate_limited`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn request_free_key(
    State(service): State<Arc<Service>>,
    ClientAddress(address): ClientAddress,
    _: ReadLimit,
    StrictJson(request): StrictJson<FreeKeyRequest>,
) -> Result<Response, ApiError> {
    let free_keys = offered(&service)?;
    let taken = free_keys.request_key(&request.email, AddressBlock::from_address(address)).await;
    taken.map_err(to_api_error)?;
    let accepted = FreeKeyAccepted {
        accepted: true,
        link_valid_hours: FREE_KEY_LINK_HOURS,
        note: NOTE.to_owned(),
    };
    let body =
        serde_json::to_vec(&accepted).map_err(|error| ApiError::internal(error.to_string()))?;
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)];
    Ok((StatusCode::ACCEPTED, headers, body).into_response())
}

/// Without free keys there are no routes to them, so this does not fail.
pub(super) fn offered(service: &Service) -> Result<&Arc<FreeKeys>, ApiError> {
    service.free_keys.as_ref().ok_or_else(ApiError::not_found)
}

pub(super) fn to_api_error(error: FreeKeyError) -> ApiError {
    let message = error.to_string();
    let limited = |retry_after_s: u64, policy: &str| {
        let sentence = format!("{} Try again after 00:00 UTC.", to_sentence(&message));
        ApiError::new(ErrorCode::RateLimited, sentence)
            .retry_after(retry_after_s)
            .with_violated_policies(vec![policy.to_owned()])
    };
    match error {
        FreeKeyError::BadMailbox(_) => ApiError::bad_request(to_sentence(&message)).param("email"),
        FreeKeyError::RefusedDomain => {
            let sentence = format!("{} Use another mail address.", to_sentence(&message));
            ApiError::bad_request(sentence).param("email")
        }
        FreeKeyError::AddressLimitReached { retry_after_s }
        | FreeKeyError::NetworkLimitReached { retry_after_s, .. } => {
            limited(retry_after_s, FREE_KEY_DAY.name)
        }
        FreeKeyError::ServiceLimitReached { retry_after_s } => {
            limited(retry_after_s, FREE_KEY_DAY_TOTAL.name)
        }
        FreeKeyError::Busy => {
            let sentence = "Too many mails are waiting to be sent. Try again in 30 s.";
            ApiError::new(ErrorCode::Overloaded, sentence).retry_after(30)
        }
        FreeKeyError::Store(_) => error_mapping::store_unreadable().with_internal_message(message),
        FreeKeyError::NoChance(_) => ApiError::internal(message),
    }
}
