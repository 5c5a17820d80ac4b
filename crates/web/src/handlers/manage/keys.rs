//! Making and revoking the keys of one's own licence.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use contract::errors::ErrorCode;
use service::{
    Service,
    access::{account::AccountError, licence::KEY_OVERLAP_HOURS},
};

use super::{
    overview::{overview_with_error, unreadable},
    session_form::SessionForm,
};
use crate::{
    handlers::page_forms::page_response,
    pages,
    response::{ApiError, to_sentence},
    state::ServiceInfo,
};

/// Shows the new key, once.
pub(crate) async fn rotate_key(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    form: SessionForm,
) -> Response {
    let overlap = match form.field("overlap") {
        "none" => 0,
        "week" => 7 * 24,
        _ => KEY_OVERLAP_HOURS,
    };
    match service.access.rotate_key(&form.signed_in.licence, overlap).await {
        Ok(rotated) => page_response(pages::manage::render_new_key(
            rotated.key.reveal(),
            rotated.others_end_at,
            overlap == 0,
        )),
        Err(error) => {
            let error = account_error(error);
            overview_with_error(&service, &service_info, &form.signed_in, error).await
        }
    }
}

pub(crate) async fn revoke_key(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    form: SessionForm,
) -> Response {
    match service.access.revoke_key(&form.signed_in.licence, form.field("key")).await {
        Ok(()) => Redirect::to("/manage#keys").into_response(),
        Err(error) => {
            let error = account_error(error);
            overview_with_error(&service, &service_info, &form.signed_in, error).await
        }
    }
}

pub(super) fn account_error(error: AccountError) -> ApiError {
    let message = error.to_string();
    match error {
        AccountError::NoSuchKey => ApiError::new(ErrorCode::NotFound, to_sentence(&message)),
        AccountError::LastKey | AccountError::TooManyKeys => {
            ApiError::new(ErrorCode::Conflict, to_sentence(&message))
        }
        AccountError::Ended => ApiError::new(ErrorCode::Forbidden, to_sentence(&message)),
        AccountError::Store(error) => unreadable(error),
        AccountError::Internal(why) => ApiError::internal(why),
    }
}
