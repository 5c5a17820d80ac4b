//! Small pages that are gates, in many languages, and ordinary pages that resemble them. All texts
//! are our own.

mod login;
mod vacant;
mod visitor_checks;

use contract::evidence::{BodyFacts, Failure, FailureKind, FailurePhase, HeaderLine, Response};

use super::*;
use crate::walls::WallDetector;

const STORY: &str = "The ferry leaves the north quay at seven, at nine and at noon, and comes back \
    an hour later each time. A single fare is eight pounds forty for grown-ups and half of that \
    for anyone under sixteen; islanders with a yellow card travel for two pounds. Bicycles go free \
    when there is room on the after deck, but cars cannot be carried at all. ";

fn answer(url: &str, status: u16, body: &str) -> Response {
    Response {
        url: url.into(),
        status,
        http: "2".into(),
        headers: vec![HeaderLine {
            name: "content-type".into(),
            value: "text/html; charset=utf-8".into(),
        }],
        body: BodyFacts {
            sha256: String::new(),
            bytes: body.len() as u64,
            wire_bytes: body.len() as u64,
            encoding: None,
            cut: None,
        },
        tls: None,
    }
}

fn at(url: &str, status: u16, body: &str) -> Option<Wall> {
    WallDetector::built_in().recognise_page(&answer(url, status, body), body.as_bytes(), None)
}

fn page(title: &str, inside: &str) -> String {
    format!("<!doctype html><html><head><title>{title}</title></head><body>{inside}</body></html>")
}

fn assert_gate(kind: WallKind, body: &str) {
    let found = at("https://ferry.lab/", 200, body).unwrap_or_else(|| panic!("not found: {body}"));
    assert_eq!((found.kind, found.certain), (kind, true), "{body}\n{found:?}");
    assert!(found.marks.len() >= 2, "{found:?}");
}

fn assert_none(body: &str) {
    let found = at("https://ferry.lab/", 200, body);
    assert!(!found.as_ref().is_some_and(|wall| wall.certain), "{body}\n{found:?}");
}

fn login_form(user: &str, password: &str, button: &str) -> String {
    format!(
        "<form action=/session method=post><label>{user}</label><input name=u><label>{password}</label>\
         <input type=password name=p><button>{button}</button></form>"
    )
}

#[test]
fn other_content_types_and_cut_bodies_are_not_gates() {
    let body = r#"{"message":"coming soon","login":"password"}"#;
    let mut response = answer("https://ferry.lab/", 200, body);
    response.headers[0].value = "application/json".into();
    assert_eq!(recognise_gate(&response, body.as_bytes(), None), None);
    let mut response = answer("https://ferry.lab/", 200, "");
    response.body.cut = Some(Failure {
        kind: FailureKind::Timeout,
        phase: FailurePhase::Body,
        reason: "idle".into(),
        detail: String::new(),
    });
    assert_eq!(recognise_gate(&response, b"", None), None);
}

#[test]
fn content_in_noscript_is_content() {
    let body = page(
        "Coming soon",
        &format!("<h1>Coming soon</h1><noscript><p>{STORY}{STORY}</p></noscript>"),
    );
    assert_none(&body);
}

#[test]
fn a_vendors_mark_comes_first() {
    let body = page(
        "Sign in",
        &format!(
            "{}<iframe src='/_Incapsula_Resource?CWUDNSAI=9&incident_id=1-2'></iframe>",
            login_form("a", "b", "Sign in")
        ),
    );
    let found = at("https://ferry.lab/", 200, &body).unwrap();
    assert_eq!(found.vendor_id.as_deref(), Some("imperva"));
}

proptest::proptest! {
    #[test]
    fn any_soup_of_markup_can_be_looked_at(
        status in proptest::sample::select(vec![200u16, 202, 204, 403, 451, 503]),
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "<form>", "</form>", "<input type=password>", "<title>", "</title>", "log in", "coming soon", "<a href=/x>", "</a>",
            "yes", "no", "are you over 18", "ferry.lab", " is for sale", "<div class=modal", ">", "<", "é", "ログイン", "<h1>", "</h1>",
            "<iframe src=captcha>", "<noscript>", "index of /", " ",
        ]), 0..80),
    ) {
        let body = parts.concat();
        let found = at("https://ferry.lab/", status, &body);
        proptest::prop_assert_eq!(&found, &at("https://ferry.lab/", status, &body));
        proptest::prop_assert!(found.is_none_or(|wall| !wall.marks.is_empty()));
    }
}
