//! The header field `Retry-After`.

use std::time::Duration;

use contract::Timestamp;
use declared::rdap::parse_date;

/// The time that a server asks to wait, from the time of the request on: seconds, or a date.
pub(crate) fn parse_retry_after(value: &str, at: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that is too large is a very long time.
        return (!value.is_empty())
            .then(|| Duration::from_secs(value.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let wait = parse_date(value)?.millis_since(at);
    Some(Duration::from_millis(u64::try_from(wait).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_given_in_seconds_or_by_a_date() {
        let at: Timestamp = "2026-11-15T00:00:00Z".parse().unwrap();
        let seconds = |value| parse_retry_after(value, at).map(|wait| wait.as_secs());
        for (value, expected) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Sun, 15 Nov 2026 00:01:00 GMT", Some(60)),
            ("Sun, 15 Nov 2020 00:01:00 GMT", Some(0)),
            ("99999999999999999999999", Some(u64::from(u32::MAX))),
            ("", None),
            ("-5", None),
            ("soon", None),
        ] {
            assert_eq!(seconds(value), expected, "{value}");
        }
    }
}
