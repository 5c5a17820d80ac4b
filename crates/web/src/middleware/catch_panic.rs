//! Turns a panic in a handler into a 500 response; the process goes on.

use std::panic::AssertUnwindSafe;

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;

use crate::{http_metrics, response::ApiError};

/// Asserting unwind safety is sound: the unwound future is dropped and nothing else sees its state.
pub(super) async fn catch_panic(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => {
            http_metrics::count_panic();
            let message = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".to_owned());
            tracing::error!(panic = message, "a handler panicked");
            ApiError::internal("panic").into_response()
        }
    }
}
