//! Answers a refusal by a rate limit a little later. A client that keeps sending without waiting then
//! costs next to nothing: one refusal per connection and pause, instead of thousands in a second.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::StatusCode;
use tokio::sync::Semaphore;

const REFUSAL_PAUSE: Duration = Duration::from_millis(100);
/// Refusals that wait at a time. Further ones are sent at once, so that waiting takes no connections
/// from others.
const MAX_PAUSED: usize = 512;

/// One permit per waiting refusal.
#[derive(Debug, Clone)]
pub(crate) struct RefusalPauses(Arc<Semaphore>);

impl Default for RefusalPauses {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_PAUSED)))
    }
}

/// The outermost layer: while it waits, the request holds no permit of the requests in flight.
pub(crate) async fn pause_refusals(
    State(RefusalPauses(permits)): State<RefusalPauses>,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    if response.status() == StatusCode::TOO_MANY_REQUESTS
        && let Ok(_permit) = permits.try_acquire()
    {
        tokio::time::sleep(REFUSAL_PAUSE).await;
    }
    response
}
