//! Bounds in schemas: every text, list and whole number says how large it can be.
//!
//! Requests state their bounds member by member (`records::request_bounds`), and reading enforces them.
//! Records that the service writes are bounded by what they are made of. This module writes those bounds
//! into their schemas, by the form of the value and by the name of the member.

use serde_json::{Map, Value, json};

/// The longest text of a record for which nothing narrower is known.
pub const RECORD_TEXT_CHARS: usize = 65_536;
/// The longest body that is not text: the bundle of a report, whose response bodies alone may have 24 MB.
const BINARY_BODY_BYTES: usize = 64 << 20;
/// The most items of a list in a record for which nothing narrower is known.
pub const RECORD_LIST_ITEMS: usize = 10_000;
/// The most leaves of a batch, and the most digests of a sealed day, in one list.
pub const RECORD_DIGEST_ITEMS: usize = 1_000_000;
/// The longest address: of a page, a file or an endpoint.
pub const ADDRESS_CHARS: usize = 8_192;
/// The longest domain or host name.
pub const HOST_CHARS: usize = 253;
/// The longest word of an enumeration, and the longest kind of a record.
pub const WORD_CHARS: usize = 64;
/// The pattern of a SHA-256 digest.
pub const DIGEST_PATTERN: &str = "^[0-9a-f]{64}$";

/// Writes the bounds of every text, list and whole number that has none.
pub fn fill_bounds(schema: &mut Value) {
    fill_member("", schema);
}

/// Like [`fill_bounds`] for the schema of a member, whose name says more about its bounds.
fn fill_member(name: &str, schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        for (name, property) in properties {
            fill_member(name, property);
        }
    }
    for inner in ["items", "additionalProperties", "propertyNames"] {
        if let Some(schema) = members.get_mut(inner) {
            fill_member(singular(name), schema);
        }
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        for schema in members.get_mut(choice).and_then(Value::as_array_mut).into_iter().flatten() {
            fill_member(name, schema);
        }
    }
    if let Some(Value::Object(definitions)) = members.get_mut("$defs") {
        definitions.values_mut().for_each(fill_bounds);
    }
    fill_text(name, members);
    fill_number(members);
    fill_list(name, members);
}

/// The items of `leaves`, `proof`, `path` and `digests` are digests.
fn singular(name: &str) -> &str {
    match name {
        "leaves" | "digests" | "proof" | "path" | "tree_path" => "sha256",
        other => other,
    }
}

fn has_type(schema: &Map<String, Value>, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == wanted,
        Some(Value::Array(several)) => several.iter().any(|one| one == wanted),
        _ => false,
    }
}

fn is_fixed(schema: &Map<String, Value>) -> bool {
    schema.contains_key("enum") || schema.contains_key("const")
}

fn fill_text(name: &str, schema: &mut Map<String, Value>) {
    if !has_type(schema, "string") || is_fixed(schema) || schema.contains_key("maxLength") {
        return;
    }
    let most = match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-11-15T02:56:20.123Z".len(),
        Some("date") => "2026-11-15".len(),
        Some("binary") => BINARY_BODY_BYTES,
        _ if name == "sha256" || name.ends_with("_sha256") => {
            schema.insert("pattern".to_owned(), json!(DIGEST_PATTERN));
            64
        }
        _ => match name {
            "domain" | "host" | "final_host" | "scanned_host" => HOST_CHARS,
            "kind" | "kid" | "alg" => WORD_CHARS,
            "address" | "schema" | "url" | "api" | "spec" => ADDRESS_CHARS,
            _ => RECORD_TEXT_CHARS,
        },
    };
    schema.insert("maxLength".to_owned(), json!(most));
}

/// Numbers on the wire are read exactly by every JSON parser, and counts fit their format.
fn fill_number(schema: &mut Map<String, Value>) {
    if !has_type(schema, "integer") || is_fixed(schema) {
        return;
    }
    let most = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => i64::from(i32::MAX),
        _ => i64::try_from(crate::limits::MAX_SAFE_INTEGER).unwrap_or(i64::MAX),
    };
    schema.entry("minimum").or_insert_with(|| json!(-most));
    schema.entry("maximum").or_insert_with(|| json!(most));
}

fn fill_list(name: &str, schema: &mut Map<String, Value>) {
    if has_type(schema, "array") && !schema.contains_key("maxItems") {
        let most = match name {
            "leaves" | "digests" => RECORD_DIGEST_ITEMS,
            _ => RECORD_LIST_ITEMS,
        };
        schema.insert("maxItems".to_owned(), json!(most));
    }
}

/// Where a schema has a text, a list or a whole number without a bound, as JSON pointers.
#[must_use]
pub fn unbounded_parts(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    find_unbounded(schema, String::new(), &mut found);
    found
}

fn find_unbounded(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let lacks = |name: &str| !members.contains_key(name);
            let unbounded = !is_fixed(members)
                && ((has_type(members, "string") && lacks("maxLength"))
                    || (has_type(members, "array") && lacks("maxItems"))
                    || (has_type(members, "integer") && (lacks("minimum") || lacks("maximum"))));
            if unbounded {
                found.push(at.clone());
            }
            for (name, inner) in members {
                // These hold values, not schemas.
                if !matches!(name.as_str(), "example" | "examples" | "default" | "enum" | "const") {
                    find_unbounded(inner, format!("{at}/{name}"), found);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find_unbounded(item, format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_follow_form_and_name_and_stated_ones_stay() {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "at": {"type": "string", "format": "date-time"},
                "sth_sha256": {"type": ["string", "null"]},
                "note": {"type": "string"},
                "nonce": {"type": "string", "maxLength": 256},
                "word": {"type": "string", "enum": ["a"]},
                "n": {"type": "integer", "format": "int32", "minimum": 0},
                "leaves": {"type": "array", "items": {"type": "string"}},
                "list": {"type": "array", "items": {"oneOf": [{"type": "integer"}, {"type": "null"}]}},
            },
        });
        assert_eq!(unbounded_parts(&schema).len(), 8);
        fill_bounds(&mut schema);
        assert_eq!(unbounded_parts(&schema), [""; 0]);
        let properties = &schema["properties"];
        assert_eq!(properties["at"]["maxLength"], 24);
        assert_eq!(properties["sth_sha256"]["pattern"], DIGEST_PATTERN);
        assert_eq!(properties["nonce"]["maxLength"], 256);
        assert_eq!(properties["word"].get("maxLength"), None);
        assert_eq!(
            (&properties["n"]["minimum"], &properties["n"]["maximum"]),
            (&json!(0), &json!(i32::MAX))
        );
        assert_eq!(properties["leaves"]["items"]["maxLength"], 64);
        assert_eq!(
            properties["list"]["items"]["oneOf"][0]["minimum"],
            json!(-9_007_199_254_740_991_i64)
        );
    }
}
