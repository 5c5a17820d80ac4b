//! What a client sends: addresses, headers, bodies and queries.

use std::net::IpAddr;

use contract::records::{OutcomeReport, PreflightRequest, ScanRequest, VisitorBatch};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use service::PresentedKey;
use web::fuzzing::{
    accept_weight, parse_client_address, parse_idempotency_key, parse_json_body, parse_licence_key,
    parse_query,
};

use crate::split_bytes;

pub(super) const CLIENT_ADDRESS_SEEDS: &[&[u8]] = &[
    b"x-forwarded-for:203.0.113.9, 10.0.0.1\nforwarded:for=203.0.113.9;proto=https, for=\"[2001:db8::1]:5\"",
    b"forwarded:for=\"_hidden\\\", for=1.2.3.4\", by=10.0.0.1;FOR=10.0.0.2",
    b"x-forwarded-for:::ffff:10.0.0.1\nx-forwarded-for:\xff",
];

/// Without a trusted proxy no header counts; with one, the result is in the headers or the proxy.
pub(super) fn client_address(data: &[u8]) {
    let peer = IpAddr::from([10, 0, 0, 9]);
    assert_eq!(parse_client_address(peer, data, &[]), peer);
    assert_eq!(parse_client_address(peer, data, &["192.0.2.0/24"]), peer);
    let found = parse_client_address(peer, data, &["10.0.0.0/8", "2001:db8::/32"]);
    assert_eq!(found, found.to_canonical());
    // The headers that a client adds at the front change nothing once a proxy names a client.
    let named = [data, b"\nx-forwarded-for:203.0.113.9"].concat();
    let found = parse_client_address(peer, &named, &["10.0.0.0/8"]);
    assert!(found == IpAddr::from([203, 0, 113, 9]) || found == peer, "{found}");
}

pub(super) const CONTENT_NEGOTIATION_SEEDS: &[&[u8]] = &[
    b"accept:text/html, application/json;q=0.5, */*;q=0.1",
    b"accept:text/*;q=1e-3;x=y\naccept:text/html;q=nan",
];

pub(super) fn content_negotiation(data: &[u8]) {
    for wanted in ["text/html", "application/json", "text/markdown"] {
        assert!(accept_weight(data, wanted) <= 1000);
    }
    assert_eq!(accept_weight(b"", "text/html"), 1000);
}

pub(super) const JSON_BODY_SEEDS: &[&[u8]] = &[
    br#"{"domain":"shop.example","visibility":"public"}"#,
    br#"{"visitors":[{"ua":"a"},{"ua":"a","ua":"b"}]}"#,
    br#"{"domain":"a.example","action":"read","agent":{"name":"x"},"result":{"status":2e2}}"#,
    br#"{"checks":[{"domain":"a.example","operation":{"amount":{"value":1.5,"n":[[[{}]]]}}}]}"#,
];

/// A body that the strict parser accepts is read in the same way by a plain JSON parser.
pub(super) fn json_body(data: &[u8]) {
    body::<ScanRequest>(data);
    body::<VisitorBatch>(data);
    body::<OutcomeReport>(data);
    body::<PreflightRequest>(data);
    let (content_type, rest) = split_bytes(data);
    if let Err(error) = parse_json_body::<ScanRequest>(content_type, rest) {
        check_message(error.message());
    }
}

fn body<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(data: &[u8]) {
    match parse_json_body::<T>(b"application/json", data) {
        Ok(read) => {
            let plain = serde_json::from_slice(data).map(with_whole_numbers);
            let plain: Option<T> = plain.and_then(serde_json::from_value).ok();
            assert_eq!(plain.as_ref(), Some(&read), "two parsers disagree");
            let written = serde_json::to_vec(&read).unwrap_or_default();
            let again = parse_json_body::<T>(b"application/json; charset=utf-8", &written);
            assert_eq!(again.ok(), Some(read));
        }
        Err(error) => check_message(error.message()),
    }
}

/// Writes whole numbers as such, as the strict parser does: 2e2 and 200.0 are 200.
fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if !number.is_i64() && !number.is_u64() => {
                let whole = float as i64;
                if whole as f64 == float && whole.unsigned_abs() < 1 << 53 {
                    whole.into()
                } else {
                    number.into()
                }
            }
            _ => number.into(),
        },
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, one)| (name, with_whole_numbers(one))).collect()
        }
        other => other,
    }
}

/// An error repeats only a little of the body.
fn check_message(message: &str) {
    assert!(message.len() < 2_000, "{} bytes", message.len());
}

pub(super) const REQUEST_HEADERS_SEEDS: &[&[u8]] = &[
    b"x-svc-key:wl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\nauthorization:Bearer wl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    b"\"a\\\"b\\\\c\"",
    b"/api/v1/resolve?domain=a%2eexample&limit=007",
];

/// Licence keys, idempotency keys and query parameters.
pub(super) fn request_headers(data: &[u8]) {
    match parse_licence_key(data) {
        Ok(PresentedKey::Key(key)) => assert_eq!(key.reveal().len(), 46),
        Ok(_) => {}
        Err(error) => check_message(error.message()),
    }
    if let Some(key) = parse_idempotency_key(data) {
        assert!((1..=contract::limits::IDEMPOTENCY_KEY_MAX).contains(&key.len()));
        let quoted = format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""));
        assert_eq!(parse_idempotency_key(quoted.as_bytes()), Some(key));
    }
    if let Err(error) = parse_query(data) {
        check_message(error.message());
    }
}
