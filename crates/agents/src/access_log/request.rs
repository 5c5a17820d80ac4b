//! One request, as a line tells it.

use std::borrow::Cow;
use std::net::IpAddr;

use super::log_text::{Coding, LogText};
use super::log_time;

/// One request of a log. What only few readers need is read when they ask for it.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRequest<'a> {
    pub address: IpAddr,
    pub(super) time: WrittenTime<'a>,
    pub(super) line: RequestLine<'a>,
    pub status: Option<u16>,
    /// Empty if the visitor sent none.
    pub user_agent: LogText<'a>,
    /// Whether the visitor asked for the page only if it changed. Most logs do not have the header: there a
    /// status of 304 shows it, and other statuses show nothing.
    pub is_conditional: Option<bool>,
}

/// The time of a request, as the log has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum WrittenTime<'a> {
    /// A text in which the time stands between brackets.
    Bracketed(&'a [u8]),
    DateAndTime(&'a [u8], &'a [u8]),
    Seconds(Option<i64>),
}

/// What was requested, as the log has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RequestLine<'a> {
    /// `METHOD TARGET VERSION`
    Whole(&'a [u8]),
    Columns {
        method: LogText<'a>,
        target: LogText<'a>,
        query: &'a [u8],
    },
}

impl<'a> LogRequest<'a> {
    /// Seconds since 1970; `None` if the line has no time that can be read.
    #[must_use]
    pub fn unix_seconds(&self) -> Option<i64> {
        match self.time {
            WrittenTime::Bracketed(text) => {
                let start = memchr::memchr(b'[', text)? + 1;
                let end = memchr::memchr(b']', text.get(start..)?)?;
                log_time::parse_clf(text.get(start..start + end)?)
            }
            WrittenTime::DateAndTime(date, time) => log_time::parse_w3c(date, time),
            WrittenTime::Seconds(seconds) => seconds,
        }
    }

    #[must_use]
    pub fn method(&self) -> LogText<'a> {
        match &self.line {
            RequestLine::Whole(line) => {
                let end = memchr::memchr(b' ', line).unwrap_or(line.len());
                LogText::new(line.get(..end).unwrap_or_default(), Coding::Backslashes)
            }
            RequestLine::Columns { method, .. } => method.clone(),
        }
    }

    /// Path and query as the visitor sent them.
    #[must_use]
    pub fn path_and_query(&self) -> Cow<'_, [u8]> {
        match &self.line {
            RequestLine::Whole(line) => {
                LogText::new(target_of(line), Coding::Backslashes).into_decoded()
            }
            RequestLine::Columns { target, query: b"", .. } => target.decode(),
            RequestLine::Columns { target, query, .. } => {
                Cow::Owned([&*target.decode(), b"?", query].concat())
            }
        }
    }
}

/// The target of `METHOD TARGET VERSION`.
fn target_of(line: &[u8]) -> &[u8] {
    let Some(start) = memchr::memchr(b' ', line) else { return b"" };
    let target = line.get(start + 1..).unwrap_or_default();
    // The version stands behind the last space: some clients send spaces in the path.
    match memchr::memrchr(b' ', target) {
        Some(at) if target.get(at + 1..).is_some_and(|word| word.starts_with(b"HTTP/")) => {
            target.get(..at).unwrap_or_default()
        }
        _ => target,
    }
}
