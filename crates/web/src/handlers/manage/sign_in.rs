//! Signing in with a licence key, and out again.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use http::{HeaderMap, header::USER_AGENT};
use service::{LicenceKey, PresentedKey, Service};

use super::session_form::SessionForm;
use crate::{
    handlers::{
        error_mapping::store_unreadable,
        page_forms::{PageForm, page_with_error},
    },
    pages,
    principal::session_cookie::{self, with_cookie},
    rate_limits::{PublicReadLimit, WrongKeyLimit},
    response::ApiError,
    state::ServiceInfo,
};

/// Answers the form of `/manage`. Guesses are slowed like wrong keys anywhere; a valid key works however many
/// wrong ones came from the same address.
pub(crate) async fn sign_in(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    limit: Result<PublicReadLimit, ApiError>,
    keys: WrongKeyLimit,
    headers: HeaderMap,
    form: PageForm,
) -> Response {
    let signed_in = match limit {
        Ok(_) => {
            let key = LicenceKey::parse(form.field("key").trim());
            let presented = key.map_or(PresentedKey::Malformed, PresentedKey::Key);
            let client = describe_client(&headers);
            keys.count_if_wrong(service.access.sign_in(&presented, &client).await)
        }
        Err(refused) => Err(refused),
    };
    match signed_in {
        Ok(token) => {
            with_cookie(to_overview(), session_cookie::set_cookie(&service_info.issuer, &token))
        }
        Err(error) => page_with_error(pages::manage::render_sign_in(Some(error.message())), &error),
    }
}

pub(crate) async fn sign_out(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    form: SessionForm,
) -> Result<Response, ApiError> {
    service
        .access
        .sign_out(&form.signed_in)
        .await
        .map_err(|error| store_unreadable().with_internal_message(error.to_string()))?;
    Ok(signed_out(&service_info))
}

pub(crate) async fn sign_out_everywhere(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    form: SessionForm,
) -> Result<Response, ApiError> {
    service
        .access
        .sign_out_everywhere(&form.signed_in)
        .await
        .map_err(|error| store_unreadable().with_internal_message(error.to_string()))?;
    Ok(signed_out(&service_info))
}

/// Back to the form, without the cookie.
pub(super) fn signed_out(service_info: &ServiceInfo) -> Response {
    with_cookie(to_overview(), session_cookie::clear_cookie(&service_info.issuer))
}

fn to_overview() -> Response {
    Redirect::to("/manage").into_response()
}

/// What a holder recognises the session by: the browser's own description.
fn describe_client(headers: &HeaderMap) -> String {
    let agent = headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    agent.unwrap_or("a client without a name").to_owned()
}
