//! The first page of `/manage`: the form to sign in, or what the licence has, uses and made.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use service::{Service, SignedIn, StoreError};

use super::session_form;
use crate::{
    handlers::{
        error_mapping::store_unreadable,
        page_forms::{page_response, page_with_error},
    },
    pages::{self, manage::AccountParts},
    rate_limits::PrincipalReadLimit,
    response::ApiError,
    state::ServiceInfo,
};

pub(crate) async fn overview(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    PrincipalReadLimit(principal): PrincipalReadLimit,
) -> Result<Response, ApiError> {
    match session_form::signed_in(&principal) {
        None => Ok(page_response(pages::manage::render_sign_in(None))),
        Some(signed_in) => {
            let parts = collect(&service, &service_info, signed_in).await.map_err(unreadable)?;
            Ok(page_response(pages::manage::render_account(&parts, None)))
        }
    }
}

/// The page again, with the reason why something was not done.
pub(super) async fn overview_with_error(
    service: &Service,
    service_info: &ServiceInfo,
    signed_in: &SignedIn,
    error: ApiError,
) -> Response {
    match collect(service, service_info, signed_in).await {
        Ok(parts) => {
            page_with_error(pages::manage::render_account(&parts, Some(error.message())), &error)
        }
        Err(_) => axum::response::IntoResponse::into_response(error),
    }
}

async fn collect(
    service: &Service,
    service_info: &ServiceInfo,
    signed_in: &SignedIn,
) -> Result<AccountParts, StoreError> {
    let (access, licence) = (&service.access, &signed_in.licence);
    Ok(AccountParts {
        quota: access.quota(licence).await?,
        usage: access.usage_of_month(licence).await?,
        keys: access.keys(licence).await?,
        sessions: access.sessions(signed_in).await?,
        scans: access.scans_of(licence, None).await?,
        plan: access.plan_of(licence),
        form_secret: access.form_secret(signed_in),
        session_id: signed_in.session_id(),
        licence: licence.clone(),
        now: service.now(),
        key_header: service_info.issuer.brand.key_header(),
        base_url: service_info.issuer.base_url.clone(),
    })
}

pub(super) fn unreadable(error: StoreError) -> ApiError {
    store_unreadable().with_internal_message(error.to_string())
}
