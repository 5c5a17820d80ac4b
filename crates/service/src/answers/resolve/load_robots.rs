//! Loads the robots.txt behind an answer, for questions about a path or an agent.

use std::sync::Arc;

use declared::robots::Robots;
use proof::Digest;

use super::cached_answers::CachedAnswer;
use super::stored_robots::StoredRobots;
use crate::answers::Answers;

impl Answers {
    /// The robots.txt behind a cached answer. Loaded from the store and parsed at the first call.
    pub async fn robots_behind(&self, cached: &CachedAnswer) -> StoredRobots {
        cached.robots.get_or_init(|| self.load_robots(cached)).await.clone()
    }

    async fn load_robots(&self, cached: &CachedAnswer) -> StoredRobots {
        let Some(answer) = cached.answer() else { return StoredRobots::NotRead };
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
        match self.store.artifact(digest).await {
            Ok(Some(body)) => StoredRobots::Parsed(Arc::new(Robots::parse(&body))),
            Ok(None) => StoredRobots::NotStored,
            Err(error) => {
                tracing::error!(%error, "a stored robots.txt cannot be loaded");
                StoredRobots::NotStored
            }
        }
    }
}
