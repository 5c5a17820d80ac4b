//! Requests to OpenTimestamps calendars that the operator configured.

use std::time::Duration;

use contract::text::display_safe;
use data_encoding::HEXLOWER;
use door::operator::{Call, CallResponse};
use proof::opentimestamps::{CALENDAR_ACCEPT, MAX_CALENDAR_RESPONSE, Stamp};

/// Why a calendar gave no timestamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CalendarError {
    /// No further request is sent to it in this turn.
    #[error("the calendar cannot be reached: {0}")]
    Unreachable(String),
    #[error("the calendar answered {status}: {said}")]
    Refused { status: u16, said: String },
    #[error("the calendar sent something that is not a timestamp: {0}")]
    NotATimestamp(#[from] proof::opentimestamps::OtsError),
}

/// Submits a message and returns the calendar's timestamp of it.
pub(super) async fn submit(
    calendar: &str,
    message: &[u8],
    patience: Duration,
) -> Result<Stamp, CalendarError> {
    let url = format!("{}/digest", calendar.trim_end_matches('/'));
    let body = Some((message, "application/x-www-form-urlencoded"));
    let answer = send_request("POST", &url, body, patience).await?;
    Ok(Stamp::parse(&answer, message.len())?)
}

/// Requests the finished timestamp of a commitment; `None` while it is not finished.
pub(super) async fn fetch_finished(
    calendar: &str,
    commitment: &[u8],
    patience: Duration,
) -> Result<Option<Stamp>, CalendarError> {
    let hex = HEXLOWER.encode(commitment);
    let url = format!("{}/timestamp/{hex}", calendar.trim_end_matches('/'));
    match send_request("GET", &url, None, patience).await {
        Ok(answer) => Ok(Some(Stamp::parse(&answer, commitment.len())?)),
        Err(CalendarError::Refused { status: 404, .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

async fn send_request(
    method: &str,
    url: &str,
    body: Option<(&[u8], &str)>,
    patience: Duration,
) -> Result<Vec<u8>, CalendarError> {
    let call = Call {
        method,
        url,
        body,
        accept: CALENDAR_ACCEPT,
        max_response_bytes: MAX_CALENDAR_RESPONSE,
        timeout: patience,
    };
    let unreachable = |e: door::operator::CallError| CalendarError::Unreachable(e.to_string());
    let CallResponse { status, body } = call.send().await.map_err(unreachable)?;
    match status {
        200 => Ok(body),
        status @ (429 | 500..) => Err(CalendarError::Unreachable(format!("it answered {status}"))),
        status => Err(CalendarError::Refused { status, said: printable_excerpt(&body) }),
    }
}

/// The beginning of a response, safe to store and show.
pub(super) fn printable_excerpt(bytes: &[u8]) -> String {
    const MAX_CHARS: usize = 120;
    let beginning = bytes.get(..MAX_CHARS * 4).unwrap_or(bytes);
    display_safe(&String::from_utf8_lossy(beginning), MAX_CHARS)
}

/// The calendars behind the public pools: a pool forwards a message to one of its calendars, and the
/// pending attestation names that one.
const POOL_CALENDARS: [(&str, &str); 4] = [
    ("https://a.pool.opentimestamps.org", ".calendar.opentimestamps.org"),
    ("https://b.pool.opentimestamps.org", ".calendar.opentimestamps.org"),
    ("https://a.pool.eternitywall.com", ".calendar.eternitywall.com"),
    ("https://ots.btc.catallaxy.com", ".calendar.catallaxy.com"),
];

/// Whether we may send a request to the URL of a pending attestation. Allowed are only configured
/// calendars and the known calendars behind a configured pool: a timestamp comes from outside and
/// could name any URL.
pub(super) fn is_allowed_calendar(uri: &str, configured: &[String]) -> bool {
    let uri = uri.trim_end_matches('/');
    configured.iter().map(|calendar| calendar.trim_end_matches('/')).any(|calendar| {
        let behind = |(pool, suffix): &(&str, &str)| {
            *pool == calendar
                && uri.strip_prefix("https://").is_some_and(|host| {
                    let name = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
                    host.len() <= 253 && host.bytes().all(name) && host.ends_with(suffix)
                })
        };
        calendar == uri || POOL_CALENDARS.iter().any(behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_configured_calendars_are_allowed() {
        let own = ["http://127.0.0.1:9".to_owned(), "https://calendar.example/".to_owned()];
        for (uri, allowed) in [
            ("http://127.0.0.1:9", true),
            ("http://127.0.0.1:9/", true),
            ("https://calendar.example", true),
            ("http://calendar.example", false),
            ("http://127.0.0.1:99", false),
            ("http://127.0.0.1:9/x", false),
            ("http://169.254.169.254", false),
            ("https://alice.btc.calendar.opentimestamps.org", false),
            ("", false),
        ] {
            assert_eq!(is_allowed_calendar(uri, &own), allowed, "{uri}");
        }
    }

    #[test]
    fn the_calendars_behind_a_configured_pool_are_allowed() {
        let pools = super::super::PUBLIC_CALENDARS.map(str::to_owned);
        for (uri, allowed) in [
            ("https://alice.btc.calendar.opentimestamps.org", true),
            ("https://finney.calendar.eternitywall.com", true),
            ("https://btc.calendar.catallaxy.com", true),
            ("http://alice.btc.calendar.opentimestamps.org", false),
            ("https://calendar.opentimestamps.org.evil.example", false),
            ("https://evil.example/.calendar.opentimestamps.org", false),
            ("https://evil.example:1/x.calendar.opentimestamps.org", false),
            ("https://u@x.calendar.opentimestamps.org", false),
            ("https://alice.btc.calendar.opentimestamps.org:8443", false),
        ] {
            assert_eq!(is_allowed_calendar(uri, &pools), allowed, "{uri}");
        }
        let one = ["https://a.pool.eternitywall.com".to_owned()];
        assert!(!is_allowed_calendar("https://alice.btc.calendar.opentimestamps.org", &one));
    }

    #[test]
    fn a_response_excerpt_is_short_and_printable() {
        assert_eq!(printable_excerpt(b"Pending\n\x1b[31m"), "Pending \u{fffd}[31m");
        assert_eq!(printable_excerpt(&[b'x'; 500]).chars().count(), 120);
    }
}
