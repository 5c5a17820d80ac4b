//! The JSON of Caddy: one object for each request.

use std::borrow::Cow;

use serde::Deserialize;

use super::cells::parse_address;
use super::log_text::LogText;
use super::request::{LogRequest, RequestLine, WrittenTime};

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    request: Request<'a>,
    status: Option<u16>,
    #[serde(borrow)]
    ts: Option<Time<'a>>,
}

/// Seconds, or a text if the operator chose another form.
#[derive(Deserialize)]
#[serde(untagged)]
enum Time<'a> {
    Seconds(f64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

#[derive(Deserialize)]
struct Request<'a> {
    /// Behind trusted proxies, the client's own address.
    #[serde(borrow)]
    client_ip: Option<Cow<'a, str>>,
    #[serde(borrow)]
    remote_ip: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    method: Cow<'a, str>,
    #[serde(borrow, default)]
    uri: Cow<'a, str>,
    #[serde(borrow, default)]
    headers: Headers<'a>,
}

/// Caddy writes names of headers in this form.
#[derive(Default, Deserialize)]
struct Headers<'a> {
    #[serde(borrow, default, rename = "User-Agent")]
    user_agent: Vec<Cow<'a, str>>,
    #[serde(default, rename = "If-None-Match")]
    if_none_match: Option<serde::de::IgnoredAny>,
    #[serde(default, rename = "If-Modified-Since")]
    if_modified_since: Option<serde::de::IgnoredAny>,
}

pub(super) fn parse(line: &[u8]) -> Option<LogRequest<'_>> {
    let Line { request, status, ts } = serde_json::from_slice(line).ok()?;
    let address = parse_address(request.client_ip.or(request.remote_ip)?.as_bytes())?;
    let headers = request.headers;
    Some(LogRequest {
        address,
        time: WrittenTime::Seconds(ts.and_then(unix_seconds)),
        line: RequestLine::Columns {
            method: LogText::decoded(request.method),
            target: LogText::decoded(request.uri),
            query: b"",
        },
        status,
        user_agent: LogText::decoded(headers.user_agent.into_iter().next().unwrap_or_default()),
        is_conditional: Some(
            headers.if_none_match.is_some() || headers.if_modified_since.is_some(),
        ),
    })
}

fn unix_seconds(time: Time<'_>) -> Option<i64> {
    const LAST: f64 = 253_402_300_799.0;
    match time {
        // Truncation to whole seconds is meant; the range is checked.
        #[allow(clippy::cast_possible_truncation, reason = "within the range of an i64")]
        Time::Seconds(seconds) => (0.0..=LAST).contains(&seconds).then_some(seconds as i64),
        Time::Text(text) => {
            let time = contract::Timestamp::from_rfc3339(&text).ok()?;
            Some(time.as_millis().div_euclid(1000))
        }
    }
}
