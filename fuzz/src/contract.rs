//! Names, times and requests.

use contract::domain::DomainInput;
use contract::records::{
    GossipRequest, OutcomeReport, PreflightRequest, ResolveAnswer, ResolveBatchRequest,
    ScanRequest, ScanRequestV1, VisitorBatch,
};
use contract::{Day, Domain, HostName, NamePolicy, Quotient, Ratio, Timestamp};
use judge::decide::preflight::ActionTarget;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{lab_names, text};

pub(super) const JSON_SEEDS: &[&[u8]] = &[
    br#"{"b":[1,-0.0,1e21,1.5e-7,18446744073709551615,-9223372036854775808],"a":{"\u00e9\ud83d\ude00":"\n"},"":null}"#,
    br#"{"a":1,"a":{"a":[true,false]}}"#,
    b"\xef\xbb\xbf[[[[\"\\ud800\"]]]]",
    b"1e400",
];

/// Our JSON parser and `serde_json` accept the same bytes, read the same value from them, and find
/// an error in the same place.
pub(super) fn json(data: &[u8]) {
    let ours = contract::json::parse_value(data);
    let theirs = serde_json::from_slice::<serde_json::Value>(data);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        (Err(ours), Err(theirs)) => {
            assert_eq!(
                (ours.line, ours.column),
                (theirs.line(), theirs.column()),
                "{ours:?} {theirs}"
            );
        }
        (ours, theirs) => unreachable!("two parsers disagree: {ours:?} {theirs:?}"),
    }
}

pub(super) const DOMAIN_SEEDS: &[&[u8]] = &[
    b"example.org",
    b"https://www.Example.org:443/path?query#fragment",
    b"http://shop.lab:8443/",
    "b\u{fc}cher.example.com.".as_bytes(),
    b"xn--bcher-kva.example.com",
    b"0x7f.1",
    b"user@example.org",
    b"[2001:db8::1]:80",
];

/// A name has one form: what was accepted is accepted again and does not change.
pub(super) fn domain(data: &[u8]) {
    let text = text(data);
    for policy in [NamePolicy::default(), lab_names()] {
        let Ok(DomainInput { domain, host }) = DomainInput::parse(&text, &policy) else { continue };
        for name in [domain.as_str(), host.as_str()] {
            assert!((1..=253).contains(&name.len()), "{name} is too long");
            assert!(
                name.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-".contains(&b))
            );
        }
        assert_eq!(HostName::parse(host.as_str(), &policy).as_ref(), Ok(&host));
        assert_eq!(Domain::parse(domain.as_str(), &policy).as_ref(), Ok(&domain));
        let stored = serde_json::to_string(&domain).unwrap_or_default();
        assert_eq!(serde_json::from_str::<Domain>(&stored).ok(), Some(domain));
    }
}

pub(super) const TIMES_SEEDS: &[&[u8]] = &[
    b"2026-11-15T02:56:20Z",
    b"2026-11-15T02:56:20.007Z",
    b"9999-12-31T23:59:59.9999Z",
    b"0000-01-01T00:00:00Z",
    b"2024-02-29",
    b"0.5",
    b"1000000",
];

/// Timestamps, days and ratios: what was parsed is written and parsed again.
pub(super) fn times(data: &[u8]) {
    let text = text(data);
    if let Ok(at) = text.parse::<Timestamp>() {
        assert_eq!(at.to_string().parse(), Ok(at));
        assert_eq!(at.day().parse(), Ok(Day::of(at)));
        assert!(at.whole_seconds() <= at);
    }
    if let Ok(day) = text.parse::<Day>() {
        assert_eq!(day.to_string(), text);
        assert_eq!(Day::of(day.begins_at()), day);
        assert!(day.previous() <= day && day <= day.next());
    }
    if let Ok(ratio) = serde_json::from_slice::<Ratio>(data) {
        round_trip(&ratio);
    }
    if let Ok(quotient) = serde_json::from_slice::<Quotient>(data) {
        round_trip(&quotient);
    }
}

pub(super) const REQUESTS_SEEDS: &[&[u8]] = &[
    br#"{"domain":"shop.example","visibility":"unlisted"}"#,
    br#"{"visitors":[{"ip":"192.0.2.1","ua":"GPTBot/1.0"}]}"#,
    br#"{"domains":["a.example","https://b.example"],"live":"never","max_age_hours":3,"fields":["decisions"]}"#,
    br#"{"domain":"shop.example","action":"read","agent":"bot","status":200,"blocked":false,"challenged":true}"#,
    br#"{"domain":"shop.example","action":"read","agent":{"name":"bot"},"result":{"status":403}}"#,
    br#"{"url":"https://shop.example/a?b","action":"transact","agent":{"name":"x"},"policy":{"deny":["transact"],"minimum_networks":2},"operation":{"url":"https://shop.example/pay"},"nonce":"abc","live_ms":100}"#,
    br#"{"action":"read","checks":[{"domain":"a.example"},{"url":"https://b.example/","mcp":{"url":"https://b.example/mcp","tools_sha256":"00"}}]}"#,
    br#"{"sths":[{"kind":"svc-log-sth","batch":1}]}"#,
];

/// The strict request bodies: an array is never an object, and what was read can be written and read.
pub(super) fn requests(data: &[u8]) {
    request::<ScanRequest>(data);
    request::<ScanRequestV1>(data);
    request::<VisitorBatch>(data);
    request::<ResolveBatchRequest>(data);
    request::<OutcomeReport>(data);
    request::<GossipRequest>(data);
    if let Some(asked) = request::<PreflightRequest>(data)
        && let Ok(checks) = asked.into_checks()
    {
        use contract::records::PreflightChecks;
        let checks = match checks {
            PreflightChecks::Single(check) => vec![*check],
            PreflightChecks::Batch(checks) => checks.into_iter().filter_map(Result::ok).collect(),
        };
        assert!(checks.len() <= contract::limits::PREFLIGHT_CHECKS_MAX);
        for check in &checks {
            if let Ok(target) = ActionTarget::from_check(check, &NamePolicy::default()) {
                assert!(target.host.as_str().ends_with(target.domain.as_str()));
            }
        }
    }
}

pub(super) const RECORDS_SEEDS: &[&[u8]] = &[
    br#"{"kind":"svc-resolve","domain":"shop.example"}"#,
    br#"{"state":"observed","at":"2026-11-15T02:56:20Z"}"#,
];

/// Records are read leniently: words of later versions are kept as they are.
pub(super) fn records(data: &[u8]) {
    if let Ok(answer) = serde_json::from_slice::<ResolveAnswer>(data) {
        round_trip(&answer);
    }
    if let Ok(decision) = serde_json::from_slice::<contract::records::Decision>(data) {
        round_trip(&decision);
    }
    if let Ok(response) = serde_json::from_slice::<contract::evidence::Response>(data) {
        round_trip(&response);
    }
}

fn request<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(
    data: &[u8],
) -> Option<T> {
    let read: T = serde_json::from_slice(data).ok()?;
    assert_eq!(data.trim_ascii_start().first(), Some(&b'{'), "only an object is a request");
    round_trip(&read);
    Some(read)
}

fn round_trip<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(value: &T) {
    let written = serde_json::to_vec(value).unwrap_or_default();
    let read: Option<T> = serde_json::from_slice(&written).ok();
    assert_eq!(read.as_ref(), Some(value));
}
