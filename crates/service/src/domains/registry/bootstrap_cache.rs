//! The list of registries: fetched when it is first needed and once a day, with the built-in copy until then.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use contract::Timestamp;
use declared::rdap::Bootstrap;
use tokio::sync::Mutex;

use super::duration_ms;
use crate::scanner::Scanner;

const REFRESH_INTERVAL: Duration = Duration::from_secs(24 * 3_600);
const RETRY_INTERVAL: Duration = Duration::from_secs(600);
const FETCH_BUDGET: Duration = Duration::from_secs(10);

/// `current` is replaced as a whole; its lock is never held across an await. `next_fetch_at` is locked while the
/// list is fetched, so that it is fetched once at a time.
#[derive(Debug)]
pub(in crate::domains) struct BootstrapCache {
    url: Option<String>,
    current: RwLock<Arc<Bootstrap>>,
    /// `None` before the first fetch.
    next_fetch_at: Mutex<Option<Timestamp>>,
}

impl BootstrapCache {
    pub(in crate::domains) fn new(url: Option<String>) -> Self {
        Self {
            url,
            current: RwLock::new(Arc::new(Bootstrap::built_in())),
            next_fetch_at: Mutex::new(None),
        }
    }

    /// The newest list there is. Waits for a fetch only while there is none but the built-in copy.
    pub(super) async fn current(&self, scanner: &Scanner, now: Timestamp) -> Arc<Bootstrap> {
        let Some(url) = &self.url else { return self.get() };
        let known = self.get();
        let mut next_fetch_at = match self.next_fetch_at.try_lock() {
            Ok(locked) => locked,
            Err(_) if known.is_complete => return known,
            Err(_) => self.next_fetch_at.lock().await,
        };
        // A time far ahead is that of a clock that was set back since.
        let is_due = next_fetch_at
            .is_none_or(|at| now >= at || at.millis_since(now) > duration_ms(REFRESH_INTERVAL));
        if !is_due {
            return self.get();
        }
        let pause = match scanner.read_registry_list(url, FETCH_BUDGET).await {
            Ok(list) => {
                tracing::info!(names = list.len(), "fetched the list of registries");
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(list);
                REFRESH_INTERVAL
            }
            Err(why) => {
                tracing::warn!(%url, %why, "the list of registries could not be fetched");
                RETRY_INTERVAL
            }
        };
        *next_fetch_at = Some(now.plus_millis(duration_ms(pause)));
        self.get()
    }

    fn get(&self) -> Arc<Bootstrap> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}
