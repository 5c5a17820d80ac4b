//! The stored copies of feeds, ready to be used.

use agents::ranges::PrefixSet;
use agents::verdict::LoadedFeed;
use agents::{FeedIndex, KnownAgents};
use contract::Timestamp;
use store::{Feeds, StoreError, StoredFeed};

use super::report::{FeedHealth, FeedReport, reports_of_unfetched};

/// The copies that can be used, and the state of every feed.
#[derive(Debug)]
pub struct FeedCopies {
    pub loaded: Vec<(FeedIndex, LoadedFeed)>,
    pub reports: Vec<FeedReport>,
}

impl FeedCopies {
    /// Loads the stored copies. One that is damaged does not cost the others.
    pub async fn load(
        agents: &KnownAgents,
        store: &dyn Feeds,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let mut copies = Self { loaded: Vec::new(), reports: reports_of_unfetched(agents) };
        for id in store.feed_ids().await? {
            let Some(index) = agents.feed_index(&id) else { continue };
            match store.feed(&id).await {
                Ok(Some(copy)) => copies.add(agents, index, &copy, now),
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(feed = %id, %error, "the stored copy of an address list is not used");
                }
            }
        }
        Ok(copies)
    }

    /// The copies of a store that was read before.
    #[must_use]
    pub fn from_stored(agents: &KnownAgents, stored: &[StoredFeed], now: Timestamp) -> Self {
        let mut copies = Self { loaded: Vec::new(), reports: reports_of_unfetched(agents) };
        for copy in stored {
            if let Some(index) = agents.feed_index(&copy.id) {
                copies.add(agents, index, copy, now);
            }
        }
        copies
    }

    fn add(&mut self, agents: &KnownAgents, index: FeedIndex, copy: &StoredFeed, now: Timestamp) {
        // A copy of another address is not a copy of this feed.
        let Some(feed) = agents.feed(index).filter(|feed| feed.url == copy.url) else { return };
        let Some(report) = self.reports.get_mut(usize::from(index.0)) else { return };
        report.attempted_at = Some(copy.attempted_at);
        report.failures = copy.failures;
        report.last_fault.clone_from(&copy.last_fault);
        let Some(fetched_at) = copy.fetched_at else { return };
        let Some(prefixes) = prefixes_of(copy) else {
            report.last_fault = Some("The stored copy is damaged.".to_owned());
            return;
        };
        report.prefixes = copy.prefix_count;
        report.fetched_at = Some(fetched_at);
        report.changed_at = copy.changed_at;
        let age_ms = now.millis_since(fetched_at);
        let is_fresh = age_ms <= i64::from(feed.max_age_hours) * 3_600_000;
        report.health = if is_fresh { FeedHealth::Fresh } else { FeedHealth::Old };
        self.loaded.push((index, LoadedFeed { prefixes, fetched_at }));
    }
}

pub(super) fn prefixes_of(copy: &StoredFeed) -> Option<PrefixSet> {
    let text = std::str::from_utf8(&copy.prefixes).ok()?;
    PrefixSet::from_text(text).ok()
}
