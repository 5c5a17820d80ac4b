//! An answer about a site that was reached, before it is sealed.

use serde_json::{Map, Value, json};

/// From a live read at this time: the contract's own example.
pub(crate) fn answer_of_reached_site(name: &str, at: contract::Timestamp) -> Map<String, Value> {
    const EXAMPLE: &str =
        include_str!("../../../contract/tests/it/snapshots/it__schemas__resolve.snap");
    let mut answer: Map<String, Value> =
        serde_json::from_str(EXAMPLE.splitn(3, "---").nth(2).unwrap()).unwrap();
    for absent in [
        "incident",
        "high_risk_fields",
        "stored_sections",
        "served_from",
        "upgrade",
        "transparency",
        "sha256",
        "signature",
    ] {
        answer.remove(absent);
    }
    for (member, value) in [("domain", json!(name)), ("answered_at", json!(at))] {
        answer.insert(member.to_owned(), value);
    }
    answer["basis"]["measured_at"] = json!(at);
    answer["freshness"]["observed_at"] = json!(at);
    answer["freshness"]["age_hours"] = json!(0);
    answer
}
