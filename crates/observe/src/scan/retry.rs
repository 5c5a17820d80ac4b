//! Decides when a read is repeated. A host that answers "too busy, try again later" gets one more
//! try, so that a short overload is not recorded as a refusal.

use std::time::Duration;

use contract::evidence::Exchange;

/// The delay if the host names none.
const DEFAULT_DELAY: Duration = Duration::from_millis(500);
/// The longest delay that we wait; a host that asks for more is not asked again.
const MAX_DELAY: Duration = Duration::from_secs(2);

/// How long to wait before the second try. `None` if there should be none.
pub(super) fn retry_delay(exchange: &Exchange) -> Option<Duration> {
    let response = exchange.response()?;
    if !matches!(response.status, 429 | 503) {
        return None;
    }
    match response.header("retry-after") {
        None => Some(DEFAULT_DELAY),
        // Dates are ignored: they are hardly ever within two seconds, and clocks differ by more.
        Some(text) => {
            let asked = Duration::from_secs(text.trim().parse().ok()?);
            (asked <= MAX_DELAY).then(|| asked.max(DEFAULT_DELAY))
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;
    use contract::evidence::{BodyFacts, ExchangeOutcome, HeaderLine, Response};

    use super::*;

    fn answered(status: u16, retry_after: Option<&str>) -> Exchange {
        let line = |value: &str| HeaderLine { name: "retry-after".into(), value: value.to_owned() };
        let body =
            BodyFacts { sha256: String::new(), bytes: 0, wire_bytes: 0, encoding: None, cut: None };
        Exchange {
            method: "GET".into(),
            url: "https://a.example/".into(),
            request_headers: vec![],
            started_at: Timestamp::from_millis(0),
            took_ms: 1,
            hops: vec![],
            outcome: ExchangeOutcome::Response(Box::new(Response {
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
    fn only_a_short_delay_is_waited_for() {
        let millis = |status, retry_after| {
            retry_delay(&answered(status, retry_after)).map(|pause| pause.as_millis())
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
