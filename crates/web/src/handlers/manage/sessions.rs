//! Ending one session of several.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use service::Service;

use super::{overview::unreadable, session_form::SessionForm, sign_in::signed_out};
use crate::{response::ApiError, state::ServiceInfo};

pub(crate) async fn end_session(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    form: SessionForm,
) -> Result<Response, ApiError> {
    let id = form.field("session");
    service.access.end_session_by_id(&form.signed_in, id).await.map_err(unreadable)?;
    if id == form.signed_in.session_id() {
        return Ok(signed_out(&service_info));
    }
    Ok(Redirect::to("/manage#sessions").into_response())
}
