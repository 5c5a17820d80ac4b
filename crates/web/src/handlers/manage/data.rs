//! One's own data: as a file, or deleted.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::errors::ErrorCode;
use http::{
    HeaderValue,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE},
};
use service::Service;

use super::{
    keys::account_error,
    overview::{overview_with_error, unreadable},
    session_form::{ManageSession, SessionForm},
    sign_in::signed_out,
};
use crate::{
    rate_limits::FeedLimiter,
    response::{ApiError, JSON, PRIVATE_NO_STORE},
    state::ServiceInfo,
};

/// The word that a holder types to delete everything.
const CONFIRMATION: &str = "delete";

/// Everything that is stored about the licence, as JSON.
pub(crate) async fn export_data(
    State(service): State<Arc<Service>>,
    ManageSession(signed_in): ManageSession,
    limiter: FeedLimiter,
) -> Result<Response, ApiError> {
    // Everything of the account is read and held in memory.
    limiter.acquire()?;
    let export = service.access.export_account(&signed_in.licence).await.map_err(unreadable)?;
    let body = serde_json::to_vec_pretty(&export)
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, PRIVATE_NO_STORE)];
    let mut response = (headers, body).into_response();
    let as_file = HeaderValue::from_static("attachment; filename=\"wayleave-account.json\"");
    response.headers_mut().insert(CONTENT_DISPOSITION, as_file);
    Ok(response)
}

/// Deletes everything that is stored about the licence, which ends with it.
pub(crate) async fn delete_data(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    form: SessionForm,
) -> Response {
    let deleted = if form.field("confirm").trim().eq_ignore_ascii_case(CONFIRMATION) {
        service.access.delete_account(&form.signed_in.licence).await.map_err(account_error)
    } else {
        let sentence = "Type the word delete to confirm. Nothing was deleted.";
        Err(ApiError::new(ErrorCode::BadRequest, sentence))
    };
    match deleted {
        Ok(()) => signed_out(&service_info),
        Err(error) => overview_with_error(&service, &service_info, &form.signed_in, error).await,
    }
}
