//! Key events as entries of the log, so that nobody can secretly undo that a key was added, retired
//! or marked as compromised.

use contract::{Brand, Timestamp};
use serde_json::json;

use super::{KeyRecord, KeyRing};
use crate::{ProofError, canonical};

/// One entry: the canonical bytes that go into the log. The same key and event always give the same
/// bytes, so logging an event again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEvent {
    pub kid: String,
    pub event: &'static str,
    pub at: Timestamp,
    pub content: Vec<u8>,
}

/// All events of the keys in a ring, each key from start to end. If the time of a compromise is
/// moved back later, that is a new event; the earlier one stays in the log.
pub fn key_events(ring: &KeyRing, brand: &Brand) -> Result<Vec<KeyEvent>, ProofError> {
    let mut events = Vec::new();
    for key in ring.records() {
        let happened = [
            ("added", Some(key.signs_from)),
            ("retired", key.stopped_signing_at),
            ("compromised", key.compromised_since),
        ];
        for (event, at) in happened {
            if let Some(at) = at {
                events.push(key_event(key, event, at, brand)?);
            }
        }
    }
    Ok(events)
}

/// The kind of these entries.
#[must_use]
pub fn event_kind(brand: &Brand) -> String {
    brand.kind("key-event")
}

fn key_event(
    key: &KeyRecord,
    event: &'static str,
    at: Timestamp,
    brand: &Brand,
) -> Result<KeyEvent, ProofError> {
    let content = json!({
        "log": brand.log_id(),
        "kind": event_kind(brand),
        "event": event,
        "kid": key.public.kid(),
        "x": key.public.x(),
        "purpose": key.purpose.as_str(),
        "at": at,
    });
    let content = canonical::value_to_vec(&content)?;
    Ok(KeyEvent { kid: key.public.kid().to_owned(), event, at, content })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{KeyPurpose, SigningKey};

    fn record(seed: u8, stopped: Option<i64>, compromised: Option<i64>) -> KeyRecord {
        let start = Timestamp::from_millis(1_000_000);
        let key = SigningKey::from_seed(&[seed; 32], KeyPurpose::LogHeads, start).unwrap();
        KeyRecord {
            purpose: KeyPurpose::LogHeads,
            public: key.public().clone(),
            signing: stopped.is_none().then(|| Arc::new(key)),
            signs_from: start,
            generation: u64::from(seed),
            stopped_signing_at: stopped.map(Timestamp::from_millis),
            compromised_since: compromised.map(Timestamp::from_millis),
        }
    }

    #[test]
    fn a_key_has_all_its_events_in_deterministic_bytes() {
        let brand = Brand::default();
        let (first, second) = (record(1, Some(2_000_000), Some(1_500_000)), record(2, None, None));
        let events =
            key_events(&KeyRing::new(vec![first.clone(), second.clone()]), &brand).unwrap();
        let names: Vec<_> = events.iter().map(|event| (event.event, event.kid.as_str())).collect();
        let (one, two) = (first.public.kid(), second.public.kid());
        assert_eq!(names, [("added", one), ("retired", one), ("compromised", one), ("added", two)]);
        assert_eq!(
            String::from_utf8(events[1].content.clone()).unwrap(),
            format!(
                r#"{{"at":"1970-01-01T00:33:20Z","event":"retired","kid":"{one}","kind":"svc-key-event","log":"svc-resolve-log-v1","purpose":"log heads","x":"{}"}}"#,
                first.public.x()
            )
        );
        // In another order the events are the same, and earlier events do not change.
        let again = key_events(&KeyRing::new(vec![second.clone(), first]), &brand).unwrap();
        assert_eq!(again, events);
        let before =
            key_events(&KeyRing::new(vec![record(1, None, None), second]), &brand).unwrap();
        assert!(before.iter().all(|event| events.contains(event)));
        assert_eq!(before.len(), 2);
    }
}
