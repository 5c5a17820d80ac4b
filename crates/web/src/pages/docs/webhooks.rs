//! The page about webhooks: events, how to verify them, and when they are sent again.

use askama::Template;
use contract::Issuer;
use service::EventName;
use service::webhooks::{FOLLOWED_SCANS, MAX_TRIES, MAX_WAITING_DELIVERIES, MAX_WEBHOOKS};

use super::Chapter;

/// A program that verifies an event. A test runs it.
const PROGRAM: &str = include_str!("../../../assets/verify_webhook.py");

#[derive(Template)]
#[template(path = "docs_webhooks.html")]
struct WebhooksPage<'a> {
    current: &'a str,
    chapters: &'a [Chapter],
    base_url: &'a str,
    events: Vec<EventEntry>,
    example: String,
    program: &'static str,
    max_webhooks: usize,
    max_waiting: usize,
    max_tries: u32,
    followed_scans: usize,
}

struct EventEntry {
    name: &'static str,
    means: &'static str,
    data: &'static str,
    goes_to: &'static str,
}

pub(super) fn render(current: &str, chapters: &[Chapter], issuer: &Issuer) -> String {
    crate::pages::render(&WebhooksPage {
        current,
        chapters,
        base_url: &issuer.base_url,
        events: EventName::ALL.map(explain).into(),
        example: example(&issuer.base_url),
        program: PROGRAM,
        max_webhooks: MAX_WEBHOOKS,
        max_waiting: MAX_WAITING_DELIVERIES,
        max_tries: MAX_TRIES,
        followed_scans: FOLLOWED_SCANS,
    })
}

fn explain(name: EventName) -> EventEntry {
    let (means, data, goes_to) = match name {
        EventName::AnswerChanged => (
            "A value in the answer about a domain, or in what its MCP server lists, is another one than before.",
            "The entry as in /api/v1/changes.",
            "Licences that follow the domain.",
        ),
        EventName::Revocation => (
            "An answer, a decision or a key is no longer valid, or actions at a domain are withheld or available again.",
            "The entry as in /api/v1/revocations.",
            "Licences that follow the domain; all licences if it concerns no single domain.",
        ),
        EventName::ScanFinished => (
            "A scan that was requested with your licence key is stored. A site that did not respond is not stored.",
            "scan_id, domain, scanned_at, visibility, grade and overall.",
            "The licence that the scan was made for.",
        ),
        EventName::ControlChanged => (
            "A claim of control over a domain has another state, or its owner reported an incident or ended it.",
            "The event as in /api/v1/domain/control.",
            "Licences that follow the domain.",
        ),
        EventName::AccuracyChanged => (
            "The verdict on what an AI engine says about the business is another one than the day before.",
            "The entry as in /api/v1/changes, of the section accuracy.",
            "Licences that follow the domain.",
        ),
    };
    EventEntry { name: name.as_str(), means, data, goes_to }
}

fn example(base_url: &str) -> String {
    format!(
        r#"POST /in HTTP/1.1
host: hooks.example
content-type: application/json
content-digest: sha-256=:…:
webhook-id: b2sikhjepcnttbjv7ohrkas2py
signature-input: sig1=("@method" "@target-uri" "content-type" "content-digest" "webhook-id");created=1800000000;expires=1800000300;keyid="…";tag="webhook"
signature: sig1=:…:

{{
  "id": "b2sikhjepcnttbjv7ohrkas2py",
  "type": "scan.finished",
  "occurred_at": "2027-01-15T08:00:00Z",
  "data": {{
    "scan_id": "vwkmq5zv3nbr6gkz4ogyy2a3mi",
    "domain": "shop.example",
    "scanned_at": "2027-01-15T08:00:00Z",
    "visibility": "private",
    "grade": "B",
    "overall": 78
  }},
  "link": "{base_url}/r/vwkmq5zv3nbr6gkz4ogyy2a3mi.json"
}}
"#
    )
}
