//! Loads the robots.txt behind an answer, for questions about a path or an agent.

use std::sync::Arc;

use contract::Timestamp;
use declared::robots::Robots;
use judge::resolve::Sections;
use proof::Digest;

use super::stored_robots::StoredRobots;
use crate::answers::Answers;
use crate::bounded_cache::BoundedCache;

/// How long a parsed file is cached. It is named by its content, so it never becomes wrong.
const ROBOTS_CACHED_MS: i64 = 3_600_000;

/// Parsed robots.txt files by the SHA-256 of their bytes.
#[derive(Debug)]
pub(super) struct RobotsCache(BoundedCache<Digest, Arc<Robots>>);

impl RobotsCache {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self(BoundedCache::new("robots", max_bytes))
    }

    pub(super) fn put(&self, digest: Digest, robots: Arc<Robots>, now: Timestamp) {
        let bytes = size_of::<Robots>() + robots.heap_bytes();
        self.0.put(digest, robots, bytes, now.plus_millis(ROBOTS_CACHED_MS), now, |_| false);
    }

    pub(super) fn evict_expired(&self, now: Timestamp) {
        self.0.evict_expired(now);
    }

    pub(super) fn report_size(&self) {
        self.0.report_size();
    }
}

impl Answers {
    /// The robots.txt that an answer was decided from.
    pub(crate) async fn robots_behind(&self, answer: &Sections) -> StoredRobots {
        let Some(policy) = answer.crawl_policy.body() else { return StoredRobots::NotRead };
        if matches!(policy.http_status, Some(404 | 410)) {
            return StoredRobots::Absent;
        }
        let files = answer.machine_files.body().map(|body| body.files.as_slice());
        let digest: Option<Digest> = files
            .unwrap_or_default()
            .iter()
            .find(|file| file.path == "/robots.txt")
            .and_then(|file| file.sha256.as_deref()?.parse().ok());
        let Some(digest) = digest else { return StoredRobots::NotStored };
        let now = self.clock.now();
        if let Some(robots) = self.resolve_state.robots.0.get(&digest, now) {
            return StoredRobots::Parsed(robots);
        }
        let body = match self.store.artifact(digest).await {
            Ok(Some(body)) => body,
            Ok(None) => return StoredRobots::NotStored,
            Err(error) => {
                tracing::error!(%error, "a stored robots.txt cannot be loaded");
                return StoredRobots::NotStored;
            }
        };
        // A large file takes milliseconds, so it is not parsed on an async worker thread.
        match tokio::task::spawn_blocking(move || Robots::parse(&body)).await {
            Ok(robots) => {
                let robots = Arc::new(robots);
                self.resolve_state.robots.put(digest, Arc::clone(&robots), now);
                StoredRobots::Parsed(robots)
            }
            Err(error) => {
                tracing::error!(%error, "a stored robots.txt cannot be parsed");
                StoredRobots::NotStored
            }
        }
    }
}
