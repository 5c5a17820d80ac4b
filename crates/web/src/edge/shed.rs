//! A full house says so at once, instead of letting everybody wait.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{Edge, HEALTHZ, METRICS};
use crate::{errors::ApiError, telemetry};

pub(super) async fn shed(State(edge): State<Arc<Edge>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    if matches!(route, Some(HEALTHZ | METRICS)) {
        return next.run(request).await;
    }
    match edge.permits.try_acquire() {
        Ok(_permit) => next.run(request).await,
        Err(_) => {
            telemetry::shed();
            ApiError::overloaded().into_response()
        }
    }
}
