//! The names and types of every field on the wire, one line each, without any text for people.
//!
//! The OpenAPI document changes whenever a description is reworded. This list changes only when a
//! client would notice: a field, a type, an enum word or a parameter came or went.

use std::collections::BTreeSet;

use serde_json::Value;

/// Lines such as `actions.read: object`, by the last two steps of each field's path.
pub(super) fn wire_fields(document: &Value) -> BTreeSet<String> {
    let mut list = FieldList {
        schemas: &document["components"]["schemas"],
        lines: BTreeSet::new(),
        followed: BTreeSet::new(),
    };
    let paths = document["paths"].as_object().into_iter().flatten();
    for operation in paths.flat_map(|(_, methods)| methods.as_object().into_iter().flatten()) {
        let operation = operation.1;
        let Some(id) = operation["operationId"].as_str() else { continue };
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            list.lines.insert(format!("{id}?{}", parameter["name"].as_str().unwrap_or("")));
        }
        list.contents(&operation["requestBody"], &format!("{id}<"));
        for response in operation["responses"].as_object().into_iter().flatten() {
            list.contents(response.1, &format!("{id}>"));
        }
    }
    list.lines
}

struct FieldList<'a> {
    schemas: &'a Value,
    lines: BTreeSet<String>,
    /// Schemas that were followed already, with the field they were followed from.
    followed: BTreeSet<(String, String)>,
}

impl FieldList<'_> {
    fn contents(&mut self, message: &Value, at: &str) {
        for content in message["content"].as_object().into_iter().flatten() {
            self.schema(&content.1["schema"], at);
        }
    }

    fn schema(&mut self, schema: &Value, at: &str) {
        if let Some(name) = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next()) {
            if self.followed.insert((name.to_owned(), at.to_owned())) {
                let schemas = self.schemas;
                self.schema(&schemas[name], at);
            }
            return;
        }
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> = words.iter().map(word).collect();
            self.lines.insert(format!("{at} = {}", words.join("|")));
        } else if let Some(fixed) = schema.get("const") {
            self.lines.insert(format!("{at} = {}", word(fixed)));
        } else if let Some(kind) = type_words(&schema["type"]) {
            self.lines.insert(format!("{at}: {kind}"));
        }
        let parent = at.rsplit('.').next().unwrap_or(at);
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let required = schema["required"].as_array().into_iter().flatten();
            let optional = if required.into_iter().any(|known| known == name) { "" } else { "?" };
            self.schema(field, &format!("{parent}.{name}{optional}"));
        }
        if schema["items"].is_object() {
            self.schema(&schema["items"], &format!("{at}[]"));
        }
        if schema["additionalProperties"].is_object() {
            self.schema(&schema["additionalProperties"], &format!("{at}{{}}"));
        }
        for choice in ["oneOf", "anyOf", "allOf"] {
            for one in schema[choice].as_array().into_iter().flatten() {
                self.schema(one, at);
            }
        }
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn type_words(kind: &Value) -> Option<String> {
    match kind {
        Value::String(one) => Some(one.clone()),
        Value::Array(several) => {
            let mut words: Vec<String> = several.iter().map(word).collect();
            words.sort();
            Some(words.join("|"))
        }
        _ => None,
    }
}
