//! The events that webhooks get: their names, and the JSON that is sent.

use bytes::Bytes;
use contract::{Domain, Timestamp};
use data_encoding::BASE32_NOPAD;
use proof::Hasher;
use serde::Serialize;
use serde_json::Value;

/// The longest body that is sent. Beyond it `data` is left out: the record at `link` has it.
const MAX_BODY_BYTES: usize = 48 * 1024;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventName {
    /// The answer about a domain says something else than the one before.
    AnswerChanged,
    /// A decision, an answer or a key was revoked, or an action is withheld or available again.
    Revocation,
    /// A scan that was requested with the licence is stored.
    ScanFinished,
    /// A claim of control over a domain has another state, or an incident begins or ends.
    ControlChanged,
    /// The verdict on what an AI engine says about a business is another one.
    AccuracyChanged,
}

impl EventName {
    pub const ALL: [Self; 5] = [
        Self::AnswerChanged,
        Self::Revocation,
        Self::ScanFinished,
        Self::ControlChanged,
        Self::AccuracyChanged,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AnswerChanged => "answer.changed",
            Self::Revocation => "revocation",
            Self::ScanFinished => "scan.finished",
            Self::ControlChanged => "control.changed",
            Self::AccuracyChanged => "accuracy.changed",
        }
    }

    /// The event for a known name; `None` for any other.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == word)
    }
}

/// An event of one of the sources.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    /// Its number in its source.
    pub(super) seq: u64,
    pub(super) name: EventName,
    pub(super) occurred_at: Timestamp,
    pub(super) audience: Audience,
    pub(super) data: Value,
    /// Where the signed record is.
    pub(super) link: String,
}

/// Who gets an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Audience {
    /// Everybody who follows the domain.
    Domain(Domain),
    Everybody,
    Licence(String),
}

/// What is sent.
#[derive(Serialize)]
struct EventBody<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    name: &'static str,
    occurred_at: Timestamp,
    /// Null if it is too long.
    data: Option<&'a Value>,
    link: &'a str,
}

/// An event for one webhook: its id there, and its body.
pub(super) struct AddressedEvent {
    pub(super) id: String,
    pub(super) body: Bytes,
}

impl Event {
    /// The same event has the same id at a webhook whenever it is computed, also after a backup was
    /// restored; other events, and other webhooks, have others.
    pub(super) fn address_to(
        &self,
        source: &str,
        webhook_id: &str,
    ) -> Result<AddressedEvent, serde_json::Error> {
        let data = serde_json::to_vec(&self.data)?;
        let id = event_id(webhook_id, source, self.seq, &data);
        let mut body = EventBody {
            id: &id,
            name: self.name.as_str(),
            occurred_at: self.occurred_at,
            data: (data.len() <= MAX_BODY_BYTES).then_some(&self.data),
            link: &self.link,
        };
        let mut bytes = serde_json::to_vec(&body)?;
        if bytes.len() > MAX_BODY_BYTES {
            body.data = None;
            bytes = serde_json::to_vec(&body)?;
        }
        Ok(AddressedEvent { body: bytes.into(), id })
    }
}

/// 26 lower-case letters and digits, like every other id.
fn event_id(webhook_id: &str, source: &str, seq: u64, data: &[u8]) -> String {
    let mut hasher = Hasher::new();
    // With lengths, so that different events never hash the same bytes.
    let head = format!("event 1\n{}:{webhook_id} {source} {seq}\n", webhook_id.len());
    hasher.update(head.as_bytes());
    hasher.update(data);
    let digest = hasher.finish();
    let short = digest.as_bytes().get(..16).unwrap_or_default();
    BASE32_NOPAD.encode(short).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event() -> Event {
        Event {
            seq: 7,
            name: EventName::ScanFinished,
            occurred_at: Timestamp::from_millis(1_790_000_000_000),
            audience: Audience::Everybody,
            data: json!({ "scan": "s1" }),
            link: "https://svc.example/r/s1.json".to_owned(),
        }
    }

    fn id_at(event: &Event, source: &str, webhook: &str) -> String {
        event.address_to(source, webhook).unwrap().id
    }

    #[test]
    fn the_body_is_as_documented() {
        let sent = event().address_to("scans", "w").unwrap();
        let body: Value = serde_json::from_slice(&sent.body).unwrap();
        let expected = json!({
            "id": sent.id,
            "type": "scan.finished",
            "occurred_at": event().occurred_at.to_string(),
            "data": { "scan": "s1" },
            "link": "https://svc.example/r/s1.json",
        });
        assert_eq!(body, expected);
        assert_eq!(sent.id.len(), 26);
    }

    #[test]
    fn an_event_keeps_its_id_and_others_have_others() {
        let id = id_at(&event(), "scans", "w");
        assert_eq!(id_at(&event(), "scans", "w"), id);
        let later = Event { seq: 8, ..event() };
        let other = Event { data: json!({ "scan": "s2" }), ..event() };
        for another in [
            id_at(&later, "scans", "w"),
            id_at(&other, "scans", "w"),
            id_at(&event(), "changes", "w"),
            id_at(&event(), "scans", "v"),
        ] {
            assert_ne!(another, id);
        }
    }

    #[test]
    fn data_that_is_too_long_is_left_out() {
        let long = Event { data: json!({ "why": "x".repeat(300_000) }), ..event() };
        let sent = long.address_to("scans", "w").unwrap();
        assert!(sent.body.len() < 1_000);
        let body: Value = serde_json::from_slice(&sent.body).unwrap();
        assert_eq!((&body["data"], &body["link"]), (&Value::Null, &json!(long.link)));
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in EventName::ALL {
            assert_eq!(EventName::from_word(name.as_str()), Some(name));
        }
        assert_eq!(EventName::from_word("Revocation"), None);
    }
}
