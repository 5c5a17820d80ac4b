//! One request, as a line tells it.

use std::borrow::Cow;
use std::net::IpAddr;

use super::log_text::LogText;

/// One request of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRequest<'a> {
    pub address: IpAddr,
    /// Seconds since 1970; `None` if the line has no time that can be read.
    pub unix_seconds: Option<i64>,
    pub method: LogText<'a>,
    /// The path, with its query unless the log has a column of its own for that.
    pub target: LogText<'a>,
    /// The query, if the log has a column for it.
    pub query: &'a [u8],
    pub status: Option<u16>,
    /// Empty if the visitor sent none.
    pub user_agent: LogText<'a>,
    /// Whether the visitor asked for the page only if it changed. Most logs do not have the header: there a
    /// status of 304 shows it, and other statuses show nothing.
    pub is_conditional: Option<bool>,
}

impl LogRequest<'_> {
    /// Path and query as the visitor sent them.
    #[must_use]
    pub fn path_and_query(&self) -> Cow<'_, [u8]> {
        let target = self.target.decode();
        if self.query.is_empty() {
            return target;
        }
        Cow::Owned([&*target, b"?", self.query].concat())
    }
}
