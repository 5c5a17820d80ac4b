//! Where a log is read from.

use std::fmt;
use std::time::Duration;

use door::operator::Call;
use store::BoxFuture;

/// For one answer; the largest have some megabytes.
const PATIENCE: Duration = Duration::from_secs(60);

/// It could not be read now. That says nothing about the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the log cannot be read: {0}")]
pub struct Unreachable(pub String);

pub trait LogSource: Send + Sync + fmt::Debug {
    /// The bytes below the log's address, no more than `most`; nothing when it says that there are
    /// none.
    fn get<'a>(
        &'a self,
        path: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, Unreachable>>;
}

/// A service that the operator named.
#[derive(Debug, Clone)]
pub struct HttpSource {
    base_url: String,
}

impl HttpSource {
    #[must_use]
    pub fn new(url: &str) -> Self {
        let base = url.trim_end_matches('/');
        Self { base_url: base.strip_suffix("/api/v1/log").unwrap_or(base).to_owned() }
    }

    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }
}

impl LogSource for HttpSource {
    fn get<'a>(
        &'a self,
        path: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, Unreachable>> {
        Box::pin(async move {
            let url = format!("{}{path}", self.base_url);
            let call = Call {
                method: "GET",
                url: &url,
                body: None,
                accept: "application/json, */*;q=0.5",
                max_answer_bytes: most,
                patience: PATIENCE,
            };
            let answer = call.make().await.map_err(|e| Unreachable(format!("{url}: {e}")))?;
            match answer.status {
                200 => Ok(Some(answer.body)),
                404 | 410 => Ok(None),
                status => Err(Unreachable(format!("{url} answered {status}"))),
            }
        })
    }
}
