//! The deadline of a request: after it, the client gets 504.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::state::MiddlewareState;
use crate::response::ApiError;

pub(super) async fn enforce_deadline(
    State(state): State<Arc<MiddlewareState>>,
    request: Request,
    next: Next,
) -> Response {
    match tokio::time::timeout(state.options.request_deadline, next.run(request)).await {
        Ok(response) => response,
        Err(_) => ApiError::deadline().into_response(),
    }
}
