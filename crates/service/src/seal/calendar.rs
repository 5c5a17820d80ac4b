//! Speaking to a calendar that the operator named.

use std::time::Duration;

use data_encoding::HEXLOWER;
use door::operator::{Answer, Call};
use proof::ots::{ACCEPT, MAX_ANSWER, Stamp};

/// A calendar's answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CalendarError {
    /// Nothing else needs to be tried there for now.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it answered {status}: {said}")]
    Refused { status: u16, said: String },
    #[error("what it sent is no timestamp: {0}")]
    NotAStamp(#[from] proof::ots::OtsError),
}

/// Hands a message in; the answer is a timestamp of it.
pub(super) async fn submit(
    calendar: &str,
    message: &[u8],
    patience: Duration,
) -> Result<Stamp, CalendarError> {
    let url = format!("{}/digest", calendar.trim_end_matches('/'));
    let body = Some((message, "application/x-www-form-urlencoded"));
    let answer = ask("POST", &url, body, patience).await?;
    Ok(Stamp::read(&answer, message.len())?)
}

/// Asks for the finished timestamp of a commitment; nothing while it is not finished.
pub(super) async fn finished(
    calendar: &str,
    commitment: &[u8],
    patience: Duration,
) -> Result<Option<Stamp>, CalendarError> {
    let hex = HEXLOWER.encode(commitment);
    let url = format!("{}/timestamp/{hex}", calendar.trim_end_matches('/'));
    match ask("GET", &url, None, patience).await {
        Ok(answer) => Ok(Some(Stamp::read(&answer, commitment.len())?)),
        Err(CalendarError::Refused { status: 404, .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

async fn ask(
    method: &str,
    url: &str,
    body: Option<(&[u8], &str)>,
    patience: Duration,
) -> Result<Vec<u8>, CalendarError> {
    let call = Call { method, url, body, accept: ACCEPT, max_answer_bytes: MAX_ANSWER, patience };
    let unreachable = |e: door::operator::CallError| CalendarError::Unreachable(e.to_string());
    let Answer { status, body } = call.make().await.map_err(unreachable)?;
    match status {
        200 => Ok(body),
        status @ (429 | 500..) => Err(CalendarError::Unreachable(format!("it answered {status}"))),
        status => Err(CalendarError::Refused { status, said: shown(&body) }),
    }
}

/// What a stranger said, short and harmless.
pub(super) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 120;
    let plain = |byte: &u8| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '_' };
    bytes.iter().take(LONGEST).map(plain).collect()
}

/// What stands behind the public pools: they hand a message on to one of their calendars, and the
/// promise names that one.
const POOLS: [(&str, &str); 4] = [
    ("https://a.pool.opentimestamps.org", ".calendar.opentimestamps.org"),
    ("https://b.pool.opentimestamps.org", ".calendar.opentimestamps.org"),
    ("https://a.pool.eternitywall.com", ".calendar.eternitywall.com"),
    ("https://ots.btc.catallaxy.com", ".calendar.catallaxy.com"),
];

/// Whether a promise's address may be asked: only what the operator named, or what is known to
/// stand behind it. Timestamps come from strangers, and could name any address.
pub(super) fn may_ask(uri: &str, configured: &[String]) -> bool {
    let uri = uri.trim_end_matches('/');
    configured.iter().map(|calendar| calendar.trim_end_matches('/')).any(|calendar| {
        let behind = |(pool, suffix): &(&str, &str)| {
            *pool == calendar
                && uri.strip_prefix("https://").is_some_and(|host| {
                    let name = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
                    host.len() <= 253 && host.bytes().all(name) && host.ends_with(suffix)
                })
        };
        calendar == uri || POOLS.iter().any(behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_configured_is_asked() {
        let own = ["http://127.0.0.1:9".to_owned(), "https://calendar.example/".to_owned()];
        for (uri, asked) in [
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
            assert_eq!(may_ask(uri, &own), asked, "{uri}");
        }
    }

    #[test]
    fn the_calendars_behind_a_configured_pool_are_asked() {
        let pools = super::super::PUBLIC_CALENDARS.map(str::to_owned);
        for (uri, asked) in [
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
            assert_eq!(may_ask(uri, &pools), asked, "{uri}");
        }
        let one = ["https://a.pool.eternitywall.com".to_owned()];
        assert!(!may_ask("https://alice.btc.calendar.opentimestamps.org", &one));
    }

    #[test]
    fn what_was_said_is_shown_short_and_plain() {
        assert_eq!(shown(b"Pending\n\x1b[31m"), "Pending__[31m");
        assert_eq!(shown(&[b'x'; 500]).len(), 120);
    }
}
