//! The last limit on how long a request may take.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::Edge;
use crate::errors::ApiError;

pub(super) async fn deadline(
    State(edge): State<Arc<Edge>>,
    request: Request,
    next: Next,
) -> Response {
    match tokio::time::timeout(edge.options.request_deadline, next.run(request)).await {
        Ok(response) => response,
        Err(_) => ApiError::deadline().into_response(),
    }
}
