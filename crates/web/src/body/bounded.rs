//! Reading a body to its end, or to one of its bounds.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use contract::limits::BODY_BYTES;
use http::{HeaderMap, header::CONTENT_LENGTH};
use http_body_util::BodyExt;
use tokio::time::Instant;

use crate::errors::ApiError;

/// The time every body has, and how many bytes buy a second more: a slow line can still send a
/// large body, a dripping one is cut off at the allowance.
const ALLOWANCE: Duration = Duration::from_millis(3_500);
const BYTES_PER_SECOND: usize = 64 * 1_024;

/// The whole body. One that says it is too large is refused unread.
pub(crate) async fn read(headers: &HeaderMap, mut body: Body) -> Result<Bytes, ApiError> {
    if declared_length(headers).is_some_and(|length| length > BODY_BYTES as u64) {
        return Err(ApiError::body_too_large());
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
                let sentence = "The body could not be read to its end.";
                return Err(ApiError::bad_request(sentence).because(error.to_string()));
            }
            Ok(Some(Ok(frame))) => {
                // Trailers carry nothing we know.
                let Ok(data) = frame.into_data() else { continue };
                if received.len() + data.len() > BODY_BYTES {
                    return Err(ApiError::body_too_large());
                }
                received.extend_from_slice(&data);
            }
        }
    }
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
