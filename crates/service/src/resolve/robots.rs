//! The robots.txt behind an answer, for questions about a path or an agent.

use bytes::Bytes;
use declared::robots::Robots;
use proof::Digest;

use super::HotAnswer;
use crate::Service;

/// What is known of the policy file that an answer speaks of.
#[derive(Debug, Clone)]
pub enum KnownRobots {
    Read(std::sync::Arc<Robots>),
    /// There was none.
    Absent,
    /// It was read, and its bytes are no longer kept.
    NotKept,
    NotRead,
}

impl Service {
    /// The policy file of an answer, read from what is kept the first time somebody asks.
    pub async fn robots_of(&self, hot: &HotAnswer) -> KnownRobots {
        hot.robots.get_or_init(|| self.find_robots(hot)).await.clone()
    }

    async fn find_robots(&self, hot: &HotAnswer) -> KnownRobots {
        let Some(answer) = hot.answer() else { return KnownRobots::NotRead };
        let Some(policy) = answer.crawl_policy.body() else { return KnownRobots::NotRead };
        if matches!(policy.http_status, Some(404 | 410)) {
            return KnownRobots::Absent;
        }
        let files = answer.machine_files.body().map(|body| body.files.as_slice());
        let digest: Option<Digest> = files
            .unwrap_or_default()
            .iter()
            .find(|file| file.path == "/robots.txt")
            .and_then(|file| file.sha256.as_deref()?.parse().ok());
        let Some(digest) = digest else { return KnownRobots::NotKept };
        match self.store.artifact(digest).await {
            Ok(Some(body)) => KnownRobots::Read(std::sync::Arc::new(parse(&body))),
            Ok(None) => KnownRobots::NotKept,
            Err(error) => {
                tracing::error!(%error, "a policy file cannot be read again");
                KnownRobots::NotKept
            }
        }
    }
}

fn parse(body: &Bytes) -> Robots {
    Robots::parse(body)
}
