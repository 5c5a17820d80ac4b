use contract::evidence::{BodyFacts, HeaderLine, Response};
use contract::records::{ClockAgreement, ClockChange, ClockState, PageChangeKind, PageVersion};
use contract::{Brand, Issuer, Timestamp};

use super::*;

fn at(hour: i64) -> Timestamp {
    let start: Timestamp = "2026-11-15T00:00:00Z".parse().unwrap();
    start.plus_millis(hour * 3_600_000)
}

fn response(status: u16, body: &str, headers: &[(&str, &str)]) -> Response {
    let line = |(name, value): &(&str, &str)| HeaderLine {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    Response {
        url: "https://ferry.lab/".into(),
        status,
        http: "2".into(),
        headers: headers.iter().map(line).collect(),
        body: BodyFacts {
            sha256: proof::sha256(body.as_bytes()).to_string(),
            bytes: body.len() as u64,
            wire_bytes: body.len() as u64,
            encoding: None,
            cut: None,
        },
        tls: None,
    }
}

const HTML: (&str, &str) = ("content-type", "text/html");

fn look(status: u16, body: &str) -> PageSnapshot {
    read_snapshot(&response(status, body, &[HTML]), body.as_bytes(), at(0))
}

fn changed(before: (u16, &str), now: (u16, &str)) -> Option<ClockChange> {
    let earlier = look(before.0, before.1);
    let before = PreviousVersion {
        status: Some(before.0),
        body_sha256: Some(&earlier.body_sha256),
        text_sha256: earlier.text_sha256.as_deref(),
        body: Some((before.1.as_bytes(), Some("text/html"))),
    };
    detect_change(&before, &look(now.0, now.1), now.1.as_bytes(), Some("text/html"))
}

#[test]
fn words_markup_and_status_are_distinguished() {
    let page = "<p>one two two three</p>";
    assert_eq!(changed((200, page), (200, page)), None);
    let text = changed((200, page), (200, "<p>two four three five</p>")).unwrap();
    assert_eq!(
        (text.kind, text.words_added, text.words_removed),
        (PageChangeKind::Text, Some(2), Some(2))
    );
    let markup = changed((200, page), (200, "<p class=x>one two two three</p>")).unwrap();
    assert_eq!((markup.kind, markup.words_added), (PageChangeKind::MarkupOnly, None));
    assert_eq!(changed((200, page), (404, page)).unwrap().kind, PageChangeKind::Status);
}

#[test]
fn words_are_not_counted_against_a_body_that_is_gone() {
    let before = PreviousVersion {
        status: Some(200),
        body_sha256: Some("aa"),
        text_sha256: Some("bb"),
        body: None,
    };
    let now = look(200, "<p>new</p>");
    let change = detect_change(&before, &now, b"<p>new</p>", Some("text/html")).unwrap();
    assert_eq!((change.kind, change.words_added), (PageChangeKind::Text, None));
}

#[test]
fn declared_dates_are_read_from_every_carrier() {
    let body = "<meta property='article:modified_time' content='2026-11-09'><script \
        type='application/ld+json'>{\"@graph\":[{\"dateModified\":\"2026-11-10T00:00:00Z\"}]}</script>";
    let headers = [HTML, ("last-modified", "Mon, 09 Nov 2026 08:00:00 GMT"), ("etag", "\"x\"")];
    let seen = read_snapshot(&response(200, body, &headers), body.as_bytes(), at(0));
    let dates: Vec<(&str, &str)> =
        seen.declared.iter().map(|date| (date.what.as_str(), date.carrier.as_str())).collect();
    assert_eq!(
        dates,
        [
            ("date_modified", "meta"),
            ("date_modified", "json_ld"),
            ("etag", "header"),
            ("last_modified", "header")
        ]
    );
}

fn version(n: u32, from: i64, to: i64, kind: PageChangeKind) -> PageVersion {
    PageVersion {
        n,
        seen_from: at(from),
        seen_to: at(to),
        status: Some(200),
        bytes: Some(1),
        body_sha256: None,
        text_sha256: None,
        etag: None,
        last_modified: None,
        change: ClockChange { kind, words_added: None, words_removed: None },
    }
}

fn clock(declared: &str, versions: Vec<PageVersion>) -> PageClock {
    PageClock {
        url: "https://ferry.lab/".into(),
        state: ClockState::Running,
        why: None,
        started_at: at(0),
        checks: 9,
        last_checked_at: Some(at(96)),
        next_check_at: at(108),
        expires_at: at(2160),
        declared: vec![contract::records::DeclaredDate {
            what: "last_modified".into(),
            untrusted_value: declared.into(),
            carrier: "header".into(),
            at: at(96),
            doubt: None,
        }],
        widest_gap_ms: Some(12 * 3_600_000 + 1),
        versions,
    }
}

#[test]
fn a_declared_date_is_held_against_the_bracket_of_the_last_change() {
    let brand = Brand::default();
    let issuer = Issuer::new(brand.clone(), "https://svc.example");
    let versions =
        || vec![version(2, 48, 96, PageChangeKind::Text), version(1, 0, 36, PageChangeKind::None)];
    let answer_for = |date: Timestamp, versions: Vec<PageVersion>| {
        let clock = clock(&date.to_string(), versions);
        answer("https://ferry.lab/", Some(&clock), None, 100, &issuer)
    };
    assert_eq!(answer_for(at(40), versions()).compare.state, ClockAgreement::Consistent);
    assert_eq!(answer_for(at(30), versions()).compare.state, ClockAgreement::DeclaredOlder);
    assert_eq!(answer_for(at(60), versions()).compare.state, ClockAgreement::DeclaredNewer);
    let never = || vec![version(1, 0, 96, PageChangeKind::None)];
    assert_eq!(answer_for(at(-5), never()).compare.state, ClockAgreement::Consistent);
    assert_eq!(answer_for(at(5), never()).compare.state, ClockAgreement::DeclaredNewer);

    let one = answer_for(at(40), versions());
    assert_eq!((one.last_changed_at, one.first_observed), (Some(at(48)), Some(at(0))));
    assert_eq!((one.cadence.changes, one.cadence.days, one.cadence.median_gap_hours), (1, 4, None));
    assert_eq!(one.precision.widest_gap_hours, Some(13));
    let three = vec![
        version(3, 72, 96, PageChangeKind::MarkupOnly),
        version(2, 48, 60, PageChangeKind::Text),
        version(1, 0, 36, PageChangeKind::None),
    ];
    assert_eq!(answer_for(at(40), three).cadence.median_gap_hours, Some(24));
    assert_eq!(answer("https://ferry.lab/", None, None, 5, &issuer).state, ClockState::NotMeasured);
    let full = answer("https://ferry.lab/", None, Some("too many"), 5, &issuer);
    assert_eq!((full.state, full.why.as_deref()), (ClockState::Refused, Some("too many")));
}
