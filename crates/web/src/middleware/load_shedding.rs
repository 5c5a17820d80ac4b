//! Load shedding: a request above the in-flight cap gets 503 at once instead of waiting.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{
    operator_routes::{HEALTHZ, METRICS},
    state::MiddlewareState,
};
use crate::{http_metrics, response::ApiError};

pub(super) async fn shed_load(
    State(state): State<Arc<MiddlewareState>>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    if matches!(route, Some(HEALTHZ | METRICS)) {
        return next.run(request).await;
    }
    match state.in_flight_permits.try_acquire() {
        Ok(_permit) => next.run(request).await,
        Err(_) => {
            http_metrics::count_shed_request();
            ApiError::overloaded().into_response()
        }
    }
}
