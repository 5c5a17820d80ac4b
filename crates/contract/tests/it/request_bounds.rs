//! Every bound that the schema of a request states is enforced when the request is read.

use contract::Brand;
use contract::records::{
    AnswerMember, ClaimCheckRequest, DisputeRequest, FreeKeyRequest, GossipRequest,
    IncidentRequest, OutcomeReport, PreflightRequest, ResolveBatchRequest, ScanRequest,
    ScanRequestV1, VisitorBatch,
};
use contract::schema::schema_for;
use contract::schema_bounds::unbounded_parts;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::examples::{BASE, all};

fn schema(word: &str) -> Value {
    schema_for(word, &Brand::default(), BASE).unwrap()
}

#[test]
fn a_request_beyond_any_bound_is_refused() {
    check::<ScanRequest>("scan-request", 2);
    check::<ScanRequestV1>("scan-request-v1", 2);
    check::<FreeKeyRequest>("free-key-request", 2);
    check::<ClaimCheckRequest>("claim-check-request", 6);
    check::<IncidentRequest>("incident-request", 4);
    check::<DisputeRequest>("dispute-request", 4);
    check::<OutcomeReport>("outcome-report", 8);
    check::<VisitorBatch>("visitor-request", 3);
    check::<ResolveBatchRequest>("resolve-request", 7);
    check::<PreflightRequest>("preflight-request", 25);
    check::<GossipRequest>("log-gossip-request", 3);
}

/// Changes the example beyond each bound, one at a time. `at_least` so many bounds are tried.
fn check<T: DeserializeOwned>(word: &str, at_least: usize) {
    let example = all().into_iter().find(|(kind, _)| *kind == word).unwrap().1;
    serde_json::from_value::<T>(example.clone()).unwrap();
    let schema = schema(word);
    let mut beyond = Vec::new();
    collect(&schema, &schema, &example, "", &mut beyond);
    assert!(beyond.len() >= at_least, "{word}: {} bounds", beyond.len());
    for (pointer, value) in beyond {
        // The parser of domains enforces the bounds of a single one, and says what is wrong with it.
        if pointer == "/domain" && word != "preflight-request" {
            continue;
        }
        let mut request = example.clone();
        *request.pointer_mut(&pointer).unwrap() = value;
        assert!(serde_json::from_value::<T>(request).is_err(), "{word}{pointer}");
    }
}

/// Values beyond the bounds of `schema`, and where they belong in the example.
fn collect(
    root: &Value,
    schema: &Value,
    example: &Value,
    at: &str,
    beyond: &mut Vec<(String, Value)>,
) {
    if let Some(name) = schema["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/")) {
        return collect(root, &root["$defs"][name], example, at, beyond);
    }
    for choice in ["oneOf", "anyOf"] {
        for one in schema[choice].as_array().into_iter().flatten() {
            collect(root, one, example, at, beyond);
        }
    }
    let number = |name: &str| schema[name].as_u64().and_then(|n| usize::try_from(n).ok());
    match example {
        Value::String(_) => {
            if let Some(most) = number("maxLength") {
                beyond.push((at.to_owned(), json!("a".repeat(most + 1))));
            }
            if number("minLength").is_some() || schema["pattern"].is_string() {
                beyond.push((at.to_owned(), json!("")));
            }
        }
        Value::Number(_) => {
            if let Some(most) = schema["maximum"].as_u64() {
                beyond.push((at.to_owned(), json!(most + 1)));
                beyond.push((at.to_owned(), json!(-1)));
            }
        }
        Value::Array(items) => {
            if let Some(most) = number("maxItems") {
                beyond.push((at.to_owned(), json!(vec![items[0].clone(); most + 1])));
            }
            if number("minItems").is_some() {
                beyond.push((at.to_owned(), json!([])));
            }
            if schema["uniqueItems"] == true {
                beyond.push((at.to_owned(), json!([items[0], items[0]])));
            }
            collect(root, &schema["items"], &items[0], &format!("{at}/0"), beyond);
        }
        Value::Object(members) => {
            for (name, member) in members {
                let inner = &schema["properties"][name];
                collect(root, inner, member, &format!("{at}/{name}"), beyond);
            }
        }
        _ => {}
    }
}

/// Domains and visitors are answered in the order of the request, so they may repeat. Every other list
/// is a set.
#[test]
fn every_list_of_a_request_is_a_set() {
    for (word, may_repeat) in [
        ("outcome-report", 0),
        ("resolve-request", 1),
        ("preflight-request", 0),
        ("log-gossip-request", 0),
        ("visitor-request", 1),
    ] {
        let text = schema(word).to_string();
        let lists = text.matches("\"maxItems\"").count();
        assert_eq!(text.matches("\"uniqueItems\":true").count() + may_repeat, lists, "{word}");
    }
}

#[test]
fn every_schema_states_its_bounds() {
    for kind in contract::schema::KINDS {
        assert_eq!(unbounded_parts(&schema(kind.word)), [""; 0], "{}", kind.word);
    }
}

#[test]
fn the_members_of_an_answer_can_be_asked_for_by_name() {
    let schema = schema("resolve");
    let mut members: Vec<&str> =
        schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let mut words = AnswerMember::WORDS.to_vec();
    members.sort_unstable();
    words.sort_unstable();
    assert_eq!(words, members);
}
