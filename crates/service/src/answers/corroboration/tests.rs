use bytes::Bytes;
use contract::records::{Corroboration, VantageState};
use serde_json::json;
use store::StoredReading;

use super::*;
use crate::testing::{build_service, now};

fn domain() -> Domain {
    serde_json::from_value("a.lab".into()).unwrap()
}

fn reading(number: i64, network: &str, status: u16) -> StoredReading {
    let fields = json!({"delivery.identities.gptbot.status": status, "dns.exists": true});
    StoredReading {
        id: format!("rd_{number}"),
        domain: domain(),
        observed_at: now().plus_millis(number * 3_600_000),
        network: network.to_owned(),
        basis: "just_in_time".to_owned(),
        scan_id: None,
        completed: true,
        fields: Bytes::from(fields.to_string()),
        record: Bytes::from_static(b"{}"),
    }
}

#[tokio::test]
async fn readings_are_compared_as_they_are_stored() {
    let dir = tempfile::tempdir().unwrap();
    let service = build_service(dir.path(), Vec::new());
    let store = std::sync::Arc::clone(&service.store);
    let all = READINGS_KEPT_PER_DOMAIN;
    let none = service.answers.corroboration(&domain(), None, all).await.unwrap_err();
    assert_eq!(none, CorroborationError::NotTracked);
    for (number, network, status) in [(0, "a", 200), (1, "b", 403), (2, "a", 200), (3, "b", 403)] {
        store.put_reading(reading(number, network, status)).await.unwrap();
    }
    let read = async |field, limit| -> Corroboration {
        let listed = service.answers.corroboration(&domain(), field, limit).await.unwrap();
        assert_eq!(
            listed.etag,
            service.answers.corroboration(&domain(), field, limit).await.unwrap().etag
        );
        serde_json::from_slice(&listed.document.bytes).unwrap()
    };
    let record = read(None, all).await;
    assert_eq!(record.vantage_state.state, VantageState::NetworkDivergence);
    assert_eq!((record.readings.len(), record.fields.len()), (4, 2));
    assert_eq!(record.readings[0].reading_id, "rd_3");
    assert!(record.signature.is_some());
    let one_field = read(Some("dns."), all).await;
    assert_eq!(one_field.fields.len(), 1);
    // What is not shown is still what the state rests on.
    assert_eq!(one_field.vantage_state.state, VantageState::NetworkDivergence);
    let newest = read(None, 1).await;
    assert_eq!(newest.vantage_state.state, VantageState::SingleVantage);
}
