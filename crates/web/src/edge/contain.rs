//! A panic in a handler is one request's misfortune, not the process's.

use std::panic::AssertUnwindSafe;

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;

use crate::{errors::ApiError, telemetry};

/// Nothing of the request outlives the unwound future, so nothing half-done can be seen.
pub(super) async fn contain(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => {
            telemetry::panicked();
            let said = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".to_owned());
            tracing::error!(panic = said, "a handler panicked");
            ApiError::internal("panic").into_response()
        }
    }
}
