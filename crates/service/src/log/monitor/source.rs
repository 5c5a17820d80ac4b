//! Where a log is read from.

use std::fmt;
use std::time::Duration;

use door::operator::Call;
use store::BoxFuture;

/// For one response; the largest have several megabytes.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The log could not be read now. This says nothing about its honesty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the log cannot be read: {0}")]
pub struct LogUnreachable(pub String);

pub trait LogSource: Send + Sync + fmt::Debug {
    /// Fetches a path below the log's URL, at most `max_bytes`; `None` if the log says that it does
    /// not exist.
    fn fetch<'a>(
        &'a self,
        path: &'a str,
        max_bytes: usize,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, LogUnreachable>>;
}

/// A log served over HTTP, at a URL that the operator typed.
#[derive(Debug, Clone)]
pub struct HttpLogSource {
    base_url: String,
}

impl HttpLogSource {
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

impl LogSource for HttpLogSource {
    fn fetch<'a>(
        &'a self,
        path: &'a str,
        max_bytes: usize,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, LogUnreachable>> {
        Box::pin(async move {
            let url = format!("{}{path}", self.base_url);
            let call = Call {
                method: "GET",
                url: &url,
                body: None,
                accept: "application/json, */*;q=0.5",
                max_response_bytes: max_bytes,
                timeout: REQUEST_TIMEOUT,
            };
            let answer = call.send().await.map_err(|e| LogUnreachable(format!("{url}: {e}")))?;
            match answer.status {
                200 => Ok(Some(answer.body)),
                404 | 410 => Ok(None),
                status => Err(LogUnreachable(format!("{url} answered {status}"))),
            }
        })
    }
}
