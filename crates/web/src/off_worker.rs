//! Work that takes long runs on threads of its own: an async worker that computes for milliseconds
//! answers nobody else meanwhile.

use std::{
    num::NonZero,
    sync::{Arc, LazyLock},
    thread::available_parallelism,
};

use tokio::sync::Semaphore;

use crate::response::ApiError;

/// One permit per processor: more jobs at once would only make each of them slower. Waiting jobs hold
/// no thread.
static PERMITS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, NonZero::get);
    Arc::new(Semaphore::new(processors))
});

/// Runs `work` on a thread of its own. A panic becomes an internal error.
pub(crate) async fn run_off_worker<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let permit = Arc::clone(&PERMITS).acquire_owned().await;
    let job = tokio::task::spawn_blocking(move || {
        // Held until the work is done, also when nobody waits for it any more.
        let _permit = permit;
        work()
    });
    job.await.map_err(|error| ApiError::internal(error.to_string()))
}
