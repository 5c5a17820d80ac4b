//! The address lists of operators: loaded from the store at start, fetched again by a leased job, and never
//! replaced by something that is not plausibly the same list.

mod load;
mod refresh;
mod report;

use std::sync::Arc;

use agents::verdict::VisitorChecker;
use store::{Job, NewJob, StoreError};

pub use load::FeedCopies;
pub use refresh::{FeedRefresh, FeedRefresher};
pub(super) use report::reports_of_unfetched;
pub use report::{FeedHealth, FeedReport};

use super::Visitors;

const JOB_KIND: &str = "address-feed";
const LEASE_MS: i64 = 120_000;

impl Visitors {
    /// Loads the stored copies, and makes sure that each feed has its job.
    pub async fn open_feeds(&self) -> Result<(), StoreError> {
        self.load_feeds().await?;
        if !self.settings.fetch_feeds {
            return Ok(());
        }
        let now = self.clock.now();
        for feed in self.agents.feeds().iter().filter(|feed| report::is_fetchable(feed)) {
            let job = NewJob {
                kind: JOB_KIND.to_owned(),
                key: feed.id.clone(),
                due_at: now,
                body: bytes::Bytes::new(),
            };
            let job = self.store.queue_job(job, now).await?;
            // Another address of the feed: what is stored is of the former one.
            let stored = self.store.feed(&feed.id).await?;
            if stored.is_none_or(|stored| stored.url != feed.url) && job.due_at > now {
                self.store.postpone_job(job.id, now, "the address of the feed changed").await?;
            }
        }
        Ok(())
    }

    /// Loads the stored copies. The checker is built again if one of them changed, also by another process.
    pub async fn load_feeds(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let FeedCopies { loaded, reports } =
            FeedCopies::load(&self.agents, self.store.as_ref(), now).await?;
        report::report_metrics(&reports, now);
        if *self.feed_reports() == reports {
            return Ok(());
        }
        let agents = Arc::clone(&self.agents);
        // Thousands of prefixes are sorted: not on a worker that answers requests.
        let checker =
            tokio::task::spawn_blocking(move || VisitorChecker::new(agents, loaded)).await;
        match checker {
            Ok(checker) => self.replace_checker(checker, reports),
            Err(error) => tracing::error!(%error, "the address lists could not be prepared"),
        }
        Ok(())
    }

    /// Fetches the feeds whose time has come. Each is used as soon as it was fetched: a slow one does not
    /// hold up the others.
    pub async fn refresh_due_feeds(&self) -> Result<(), StoreError> {
        loop {
            let now = self.clock.now();
            let lease = now.plus_millis(LEASE_MS);
            let Some(job) = self.store.claim_job(JOB_KIND, now, lease).await? else {
                return Ok(());
            };
            self.run_feed_job(job).await?;
            self.load_feeds().await?;
        }
    }

    async fn run_feed_job(&self, job: Job) -> Result<(), StoreError> {
        let index = self.agents.feed_index(&job.key);
        let Some(feed) = index.and_then(|index| self.agents.feed(index)) else {
            return self.store.finish_job(job.id).await;
        };
        let refresher =
            FeedRefresher { scanner: self.scanner.clone(), clock: Arc::clone(&self.clock) };
        let (refresh, copy) = refresher.refresh(feed, self.store.as_ref()).await?;
        let why = match &refresh {
            FeedRefresh::Failed { why } => why.as_str(),
            _ => "fetched",
        };
        self.store.postpone_job(job.id, copy.next_attempt_at, why).await
    }
}
