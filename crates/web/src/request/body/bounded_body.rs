//! Reads a request body, within limits of size and time.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use contract::limits::BODY_BYTES;
use http::{HeaderMap, header::CONTENT_LENGTH};
use http_body_util::BodyExt;
use tokio::time::Instant;

use crate::response::ApiError;

/// The time for every body, and how many received bytes extend it by one second: a slow line can still
/// send a large body, and a client that sends single bytes is cut off.
const ALLOWANCE: Duration = Duration::from_millis(3_500);
const BYTES_PER_SECOND: usize = 64 * 1_024;

/// The complete body. If Content-Length is above the limit, it is refused unread.
pub(crate) async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, ApiError> {
    read_body_within(headers, body, BODY_BYTES).await
}

/// The same with a limit of its own, at most [`BODY_BYTES`].
pub(crate) async fn read_body_within(
    headers: &HeaderMap,
    mut body: Body,
    max_bytes: usize,
) -> Result<Bytes, ApiError> {
    if declared_length(headers).is_some_and(|length| length > max_bytes as u64) {
        return Err(ApiError::body_too_large(max_bytes));
    }
    let begun = Instant::now();
    let mut received = BytesMut::new();
    loop {
        let bought = Duration::from_secs((received.len() / BYTES_PER_SECOND) as u64);
        let frame = tokio::time::timeout_at(begun + ALLOWANCE + bought, body.frame()).await;
        match frame {
            Err(_) => return Err(ApiError::body_too_slow()),
            Ok(None) => return Ok(received.freeze()),
            Ok(Some(Err(error))) => {
                let sentence = "The request body is incomplete.";
                return Err(
                    ApiError::bad_request(sentence).with_internal_message(error.to_string())
                );
            }
            Ok(Some(Ok(frame))) => {
                // Trailers are ignored.
                let Ok(data) = frame.into_data() else { continue };
                if received.len() + data.len() > max_bytes {
                    return Err(ApiError::body_too_large(max_bytes));
                }
                received.extend_from_slice(&data);
            }
        }
    }
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
