//! The events in the life of a claim, as they are stored and served.

use bytes::Bytes;
use contract::records::{ControlEvent, ControlMethod, ControlReading};
use judge::control::StateChange;
use proof::{ProofError, canonical};
use store::{NewControlEvent, StoreError, StoredControlEvent};

/// An event ready to be stored.
pub(super) fn new_event(
    claim_id: &str,
    method: Option<ControlMethod>,
    change: &StateChange,
    readings: &[ControlReading],
) -> Result<NewControlEvent, ProofError> {
    let mut event = ControlEvent {
        at: change.at.whole_seconds(),
        claim: claim_id.to_owned(),
        event: change.event.clone(),
        from_state: change.from.clone(),
        to_state: change.to.clone(),
        method,
        why: change.why.clone(),
        readings: readings.to_vec(),
        event_sha256: String::new(),
    };
    event.event_sha256 = digest_of(&event)?;
    let body = serde_json::to_vec(&event).map_err(|e| ProofError::Document(e.to_string()))?;
    Ok(NewControlEvent { at: change.at, body: Bytes::from(body) })
}

/// SHA-256 over the canonical JSON of every member except the digest itself.
fn digest_of(event: &ControlEvent) -> Result<String, ProofError> {
    let mut value = serde_json::to_value(event).map_err(|e| ProofError::Document(e.to_string()))?;
    if let Some(members) = value.as_object_mut() {
        members.remove("event_sha256");
    }
    Ok(proof::sha256(&canonical::to_vec(&value)?).to_string())
}

pub fn read_event(stored: &StoredControlEvent) -> Result<ControlEvent, StoreError> {
    serde_json::from_slice(&stored.body).map_err(|error| StoreError::Damaged {
        what: format!("the control event {}", stored.seq),
        why: error.to_string(),
    })
}
