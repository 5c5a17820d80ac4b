//! When a read is made a second time: a host that says "too busy, come back" is taken at its word
//! once, so that a moment's load is not written down as a refusal.

use std::time::Duration;

use contract::evidence::Exchange;

/// Without a word about when.
const SHORT: Duration = Duration::from_millis(500);
/// Who asks for more is asking for another day.
const LONGEST: Duration = Duration::from_secs(2);

/// How long to wait before asking again; nothing when that would be no use.
pub(super) fn pause(exchange: &Exchange) -> Option<Duration> {
    let response = exchange.response()?;
    if !matches!(response.status, 429 | 503) {
        return None;
    }
    match response.header("retry-after") {
        None => Some(SHORT),
        // A date is hardly ever two seconds ahead, and clocks differ by more.
        Some(text) => {
            let asked = Duration::from_secs(text.trim().parse().ok()?);
            (asked <= LONGEST).then(|| asked.max(SHORT))
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;
    use contract::evidence::{Body, HeaderLine, Outcome, Response};

    use super::*;

    fn answered(status: u16, retry_after: Option<&str>) -> Exchange {
        let line = |value: &str| HeaderLine { name: "retry-after".into(), value: value.to_owned() };
        let body =
            Body { sha256: String::new(), bytes: 0, wire_bytes: 0, encoding: None, cut: None };
        Exchange {
            method: "GET".into(),
            url: "https://a.example/".into(),
            request_headers: vec![],
            started_at: Timestamp::from_millis(0),
            took_ms: 1,
            hops: vec![],
            outcome: Outcome::Response(Box::new(Response {
                url: "https://a.example/".into(),
                status,
                http: "2".into(),
                headers: retry_after.map(line).into_iter().collect(),
                body,
                tls: None,
            })),
        }
    }

    #[test]
    fn only_a_short_wait_is_waited() {
        let millis = |status, retry_after| {
            pause(&answered(status, retry_after)).map(|pause| pause.as_millis())
        };
        assert_eq!(millis(429, None), Some(500));
        assert_eq!(millis(503, Some(" 2 ")), Some(2000));
        assert_eq!(millis(503, Some("0")), Some(500));
        assert_eq!(millis(503, Some("3")), None);
        assert_eq!(millis(429, Some("99999999999999999999999")), None);
        assert_eq!(millis(429, Some("-1")), None);
        assert_eq!(millis(429, Some("Sun, 15 Nov 2026 06:00:00 GMT")), None);
        assert_eq!(millis(200, Some("1")), None);
        assert_eq!(millis(500, None), None);
        assert_eq!(millis(403, Some("1")), None);
    }
}
