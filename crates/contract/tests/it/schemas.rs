//! Every schema is valid, every example matches its schema, and a broken example does not.

use std::collections::BTreeSet;

use contract::Brand;
use contract::schema::{KINDS, schema_for, schema_url};
use serde_json::{Value, json};

use crate::examples::{BASE, all, unreachable_scan};

fn schema(word: &str) -> Value {
    schema_for(word, &Brand::default(), BASE).unwrap()
}

/// Formats are checked as well: a timestamp must be one.
fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::draft202012::options().should_validate_formats(true).build(schema).unwrap()
}

#[test]
fn every_kind_has_a_schema_that_the_meta_schema_accepts() {
    for kind in KINDS {
        let schema = schema(kind.word);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["$id"], schema_url(kind.word, &Brand::default(), BASE));
        assert_eq!(schema["title"], kind.title);
        if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
            panic!("{}: {error}", kind.word);
        }
    }
    let words: BTreeSet<&str> = KINDS.iter().map(|kind| kind.word).collect();
    assert_eq!(words.len(), KINDS.len());
}

#[test]
fn every_reference_points_into_the_document_and_every_definition_is_used() {
    fn targets(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    found.insert(target.clone());
                }
                members.values().for_each(|inner| targets(inner, found));
            }
            Value::Array(items) => items.iter().for_each(|inner| targets(inner, found)),
            _ => {}
        }
    }
    for kind in KINDS {
        let schema = schema(kind.word);
        let mut used = BTreeSet::new();
        targets(&schema, &mut used);
        let defined: BTreeSet<String> = schema["$defs"]
            .as_object()
            .into_iter()
            .flat_map(|parts| parts.keys().map(|name| format!("#/$defs/{name}")))
            .collect();
        assert_eq!(used, defined, "{}", kind.word);
        // What only OpenAPI 3.0 knows.
        assert!(!schema.to_string().contains("\"nullable\""), "{}", kind.word);
    }
}

#[test]
fn every_example_fits_its_schema_and_every_kind_has_one() {
    let examples = all();
    let words: Vec<&str> = examples.iter().map(|(word, _)| *word).collect();
    assert_eq!(words, KINDS.iter().map(|kind| kind.word).collect::<Vec<_>>());
    for (word, example) in examples {
        let validator = validator(&schema(word));
        let faults: Vec<String> = validator
            .iter_errors(&example)
            .map(|fault| format!("{} at {}", fault, fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{word}: {faults:#?}");
    }
    let unreachable = serde_json::to_value(unreachable_scan()).unwrap();
    assert!(jsonschema::draft202012::is_valid(&schema("scan"), &unreachable));
}

/// Replaces each member of every example, one at a time, with a value of the wrong type, and
/// removes each required member.
#[test]
fn a_member_of_a_wrong_type_or_a_missing_one_is_refused() {
    for (word, example) in all() {
        let schema = schema(word);
        let validator = validator(&schema);
        for (name, value) in example.as_object().unwrap() {
            let other = match value {
                Value::String(_) => json!(7.5),
                // What may be null may be a string, but nothing here is a list of lists.
                Value::Null => json!([["seven"]]),
                _ => json!("seven"),
            };
            // Either shape of an outcome report takes its own agent.
            if (word, name.as_str()) == ("outcome-report", "agent") {
                continue;
            }
            let mut altered = example.clone();
            altered[name] = other;
            assert!(!validator.is_valid(&altered), "{word}.{name}");
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            let mut shorter = example.clone();
            shorter.as_object_mut().unwrap().remove(name.as_str().unwrap()).unwrap();
            assert!(!validator.is_valid(&shorter), "{word} without {name}");
        }
    }
}

#[test]
fn a_wrong_type_deep_inside_is_refused() {
    for (word, path, value) in [
        ("scan", "/agentview/rows/0/words", json!("many")),
        ("scan", "/agentview/rows/1/error/kind", json!(1)),
        ("scan", "/confidence/sections_scored/ratio", json!(1.5)),
        ("scan", "/signature/key/jwk/x", json!(null)),
        ("resolve", "/basis/kind", json!("rumour")),
        ("resolve", "/basis/budget_ms", json!("long")),
        ("resolve", "/crawl_policy/state", json!("guessed")),
        ("resolve", "/crawl_policy/agents/0/allowed_homepage", json!("yes")),
        ("resolve", "/entity/why", json!(null)),
        ("resolve", "/transparency/sth/batch", json!(-1)),
        ("report", "/agentview", json!({})),
        ("report", "/links/report", json!(5)),
    ] {
        let (_, mut example) = all().into_iter().find(|(kind, _)| *kind == word).unwrap();
        *example.pointer_mut(path).unwrap() = value;
        assert!(!jsonschema::draft202012::is_valid(&schema(word), &example), "{word}{path}");
    }
}

#[test]
fn a_section_without_its_reason_is_refused() {
    let (_, example) = all().into_iter().find(|(kind, _)| *kind == "resolve").unwrap();
    let schema = schema("resolve");
    let mut silent = example.clone();
    silent["entity"].as_object_mut().unwrap().remove("why").unwrap();
    assert!(!jsonschema::draft202012::is_valid(&schema, &silent));
    let mut timeless = example;
    timeless["dns"].as_object_mut().unwrap().remove("observed_at").unwrap();
    assert!(!jsonschema::draft202012::is_valid(&schema, &timeless));
}

#[test]
fn only_allowlists_and_requests_are_closed() {
    for (word, mut example) in all() {
        example["a_later_member"] = json!(1);
        let taken = jsonschema::draft202012::is_valid(&schema(word), &example);
        let closed = word == "report"
            || KINDS.iter().any(|kind| kind.word == word && kind.title.starts_with("Body of"));
        assert_eq!(taken, !closed, "{word}");
    }
}

#[test]
fn every_example_matches_its_snapshot() {
    for (word, example) in all() {
        insta::assert_json_snapshot!(word, example);
    }
    insta::assert_json_snapshot!("scan-unreachable", unreachable_scan());
}
