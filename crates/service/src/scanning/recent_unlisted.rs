//! The rescan window of unlisted scans. Their reports are given to nobody else, so the second request
//! within the window is refused instead of answered with the earlier report.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use contract::Domain;
use tokio::time::Instant;

/// Domains remembered at a time. If more have an unlisted scan within the window, the others are
/// refused for a moment.
const MAX_DOMAINS: usize = 16_384;

/// When unlisted scans started, by domain. In memory, like the window itself short-lived; the mutex
/// guards the map and is held for one look-up.
#[derive(Debug, Default)]
pub(crate) struct RecentUnlistedScans(Mutex<HashMap<Domain, Instant>>);

impl RecentUnlistedScans {
    /// Records the start of an unlisted scan, or returns the time until the window of the last one
    /// ends.
    pub(super) fn begin(&self, domain: &Domain, window: Duration) -> Result<(), Duration> {
        let now = Instant::now();
        let mut started = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = |at: &Instant| window.saturating_sub(now.duration_since(*at));
        if let Some(wait) = started.get(domain).map(left).filter(|wait| !wait.is_zero()) {
            return Err(wait);
        }
        if started.len() >= MAX_DOMAINS {
            started.retain(|_, at| !left(at).is_zero());
            if started.len() >= MAX_DOMAINS {
                return Err(window);
            }
        }
        started.insert(domain.clone(), now);
        Ok(())
    }

    /// The scan did not take place.
    pub(super) fn cancel(&self, domain: &Domain) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(domain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_domain_has_one_unlisted_scan_per_window() {
        let domain = |name: &str| Domain::parse(name, &contract::NamePolicy::default()).unwrap();
        let (window, recent) = (Duration::from_secs(120), RecentUnlistedScans::default());
        assert_eq!(recent.begin(&domain("a.org"), window), Ok(()));
        assert_eq!(recent.begin(&domain("b.org"), window), Ok(()));
        tokio::time::advance(Duration::from_secs(50)).await;
        assert_eq!(recent.begin(&domain("a.org"), window), Err(Duration::from_secs(70)));
        recent.cancel(&domain("b.org"));
        assert_eq!(recent.begin(&domain("b.org"), window), Ok(()));
        tokio::time::advance(Duration::from_secs(70)).await;
        assert_eq!(recent.begin(&domain("a.org"), window), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_table_is_bounded() {
        let domain = |number: usize| {
            Domain::parse(&format!("d{number}.org"), &contract::NamePolicy::default()).unwrap()
        };
        let (window, recent) = (Duration::from_secs(120), RecentUnlistedScans::default());
        for number in 0..MAX_DOMAINS {
            assert_eq!(recent.begin(&domain(number), window), Ok(()));
        }
        assert_eq!(recent.begin(&domain(MAX_DOMAINS), window), Err(window));
        tokio::time::advance(window).await;
        assert_eq!(recent.begin(&domain(MAX_DOMAINS), window), Ok(()));
        assert_eq!(recent.0.lock().unwrap().len(), 1);
    }
}
