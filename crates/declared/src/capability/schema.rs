//! Whether a JSON value contradicts a declared schema. Only part of JSON Schema is compared: types,
//! required members, properties, items, enumerations, constants and combinations of these. Everything else
//! is reported as not compared, and contradicts nothing.

use std::collections::BTreeSet;

use contract::text::display_safe;
use serde_json::Value;

use super::references::resolve;

/// How many pairs of schema and value are compared. Beyond that, nothing is said.
const MAX_STEPS: usize = 50_000;
const MAX_DEPTH: usize = 64;
/// Longer names and texts are not compared: the effort must not grow with their length.
const MAX_TEXT_BYTES: usize = 1_024;
/// How many items of a list are compared.
const MAX_LIST_ITEMS: usize = 1_000;
const POINTER_CHARS: usize = 120;

/// Keywords that restrict a value and are not compared.
const NOT_COMPARED: [&str; 22] = [
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "additionalProperties",
    "patternProperties",
    "prefixItems",
    "contains",
    "not",
    "if",
    "dependentRequired",
    "unevaluatedProperties",
];

/// Where a value contradicts its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    /// A JSON pointer into the value, safe to display.
    pub(super) at: String,
    pub(super) declared: String,
    pub(super) found: String,
}

/// The dialects differ in what may stand next to a reference and in how null is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Swagger 2.0 and OpenAPI 3.0.
    Early,
    /// OpenAPI 3.1 and later: JSON Schema 2020-12.
    JsonSchema,
}

#[derive(Debug)]
pub(super) struct SchemaComparison<'v> {
    root: &'v Value,
    dialect: Dialect,
    steps_left: usize,
    depth: usize,
    /// Keywords that were met and not compared.
    pub(super) not_compared: BTreeSet<&'static str>,
}

impl<'v> SchemaComparison<'v> {
    pub(super) fn new(root: &'v Value, dialect: Dialect) -> Self {
        Self { root, dialect, steps_left: MAX_STEPS, depth: 0, not_compared: BTreeSet::new() }
    }

    /// Whether everything was compared that can be.
    pub(super) fn is_complete(&self) -> bool {
        self.steps_left > 0
    }

    pub(super) fn compare(&mut self, schema: &'v Value, value: &Value) -> Option<Violation> {
        self.compare_at(schema, value, &mut Vec::new())
    }

    fn compare_at(
        &mut self,
        schema: &'v Value,
        value: &Value,
        at: &mut Vec<String>,
    ) -> Option<Violation> {
        if self.steps_left == 0 || self.depth > MAX_DEPTH {
            self.steps_left = 0;
            return None;
        }
        self.steps_left -= 1;
        self.depth += 1;
        let found = self.compare_value(schema, value, at);
        self.depth -= 1;
        found
    }

    fn compare_value(
        &mut self,
        schema: &'v Value,
        value: &Value,
        at: &mut Vec<String>,
    ) -> Option<Violation> {
        if schema == &Value::Bool(false) {
            return Some(violation(at, "nothing", describe(value)));
        }
        let members = schema.as_object()?;
        let is_nullable = ["nullable", "x-nullable"]
            .iter()
            .any(|name| members.get(*name) == Some(&Value::Bool(true)));
        if is_nullable && value.is_null() {
            return None;
        }
        if members.get("$ref").is_some_and(Value::is_string) {
            let Some(target) = resolve(self.root, schema) else {
                self.not_compared.insert("$ref");
                return None;
            };
            let found = self.compare_at(target, value, at);
            if found.is_some() || self.dialect == Dialect::Early {
                return found;
            }
        }
        self.count_entries(schema);
        for keyword in NOT_COMPARED {
            if members.contains_key(keyword) {
                self.not_compared.insert(keyword);
            }
        }
        if let Some(types) = members.get("type")
            && !is_of_type(types, value)
        {
            return Some(violation(at, &describe_types(types), describe(value)));
        }
        if let Some(allowed) = members.get("enum").and_then(Value::as_array)
            && allowed.iter().all(|one| is_other(one, value))
        {
            return Some(violation(at, "one of the listed values", describe(value)));
        }
        if let Some(constant) = members.get("const")
            && self.dialect == Dialect::JsonSchema
            && is_other(constant, value)
        {
            return Some(violation(at, "the declared constant", describe(value)));
        }
        self.compare_combinations(schema, value, at)
            .or_else(|| self.compare_members(schema, value, at))
            .or_else(|| self.compare_items(schema, value, at))
    }

    /// Counts what is gone through for a schema besides the schema itself.
    fn count_entries(&mut self, schema: &Value) {
        let of = |name: &str| match schema.get(name) {
            Some(Value::Array(entries)) => entries.len(),
            Some(Value::Object(entries)) => entries.len(),
            _ => 0,
        };
        let entries = of("required") + of("enum") + of("properties");
        self.steps_left = self.steps_left.saturating_sub(entries);
    }

    fn compare_combinations(
        &mut self,
        schema: &'v Value,
        value: &Value,
        at: &mut Vec<String>,
    ) -> Option<Violation> {
        for part in list(schema, "allOf") {
            if let Some(found) = self.compare_at(part, value, at) {
                return Some(found);
            }
        }
        // Whether exactly one of them fits is not compared.
        for name in ["anyOf", "oneOf"] {
            let mut alternatives = list(schema, name).peekable();
            if alternatives.peek().is_none() {
                continue;
            }
            if alternatives.all(|part| self.compare_at(part, value, at).is_some()) {
                return Some(violation(at, "one of several forms", describe(value)));
            }
        }
        None
    }

    fn compare_members(
        &mut self,
        schema: &'v Value,
        value: &Value,
        at: &mut Vec<String>,
    ) -> Option<Violation> {
        let members = value.as_object()?;
        let properties = schema.get("properties").and_then(Value::as_object);
        let required: BTreeSet<&str> = list(schema, "required")
            .filter_map(Value::as_str)
            .filter(|name| name.len() <= MAX_TEXT_BYTES)
            .collect();
        for name in &required {
            let property = properties.and_then(|properties| properties.get(*name));
            // Such members are only sent to the server.
            let is_for_requests = property
                .and_then(|property| resolve(self.root, property))
                .is_some_and(|property| property.get("writeOnly") == Some(&Value::Bool(true)));
            if !members.contains_key(*name) && !is_for_requests {
                let declared = format!("a member “{}”", display_safe(name, 60));
                return Some(violation(at, &declared, "an object without it".to_owned()));
            }
        }
        for (name, property) in properties.into_iter().flatten() {
            let Some(inner) = members.get(name).filter(|_| name.len() <= MAX_TEXT_BYTES) else {
                continue;
            };
            // Many servers send null for a member that they need not send at all.
            if inner.is_null() && !required.contains(name.as_str()) {
                continue;
            }
            at.push(name.clone());
            let found = self.compare_at(property, inner, at);
            at.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn compare_items(
        &mut self,
        schema: &'v Value,
        value: &Value,
        at: &mut Vec<String>,
    ) -> Option<Violation> {
        let items = value.as_array()?;
        // With prefixItems the others are described by `items`; a list there is of an older draft.
        let described = schema.get("items").filter(|items| items.is_object())?;
        if schema.get("prefixItems").is_some() {
            return None;
        }
        for (number, item) in items.iter().enumerate().take(MAX_LIST_ITEMS) {
            at.push(number.to_string());
            let found = self.compare_at(described, item, at);
            at.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

fn list<'v>(schema: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    schema.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn violation(at: &[String], declared: &str, found: String) -> Violation {
    let pointer: String =
        at.iter().map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1"))).collect();
    Violation { at: display_safe(&pointer, POINTER_CHARS), declared: declared.to_owned(), found }
}

/// Whether a value has one of the declared types. A type that is not known allows everything.
fn is_of_type(types: &Value, value: &Value) -> bool {
    let is_one = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => true,
    };
    match types {
        Value::String(name) => is_one(name),
        Value::Array(names) if !names.is_empty() => {
            names.iter().any(|name| name.as_str().is_none_or(is_one))
        }
        _ => true,
    }
}

/// Whether two values are certainly not the same. Lists, objects and long texts are not compared. 1 and 1.0
/// are the same number in JSON Schema.
fn is_other(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => one != other && one.as_f64() != other.as_f64(),
        (Value::String(one), Value::String(other)) => {
            one.len() != other.len() || one.len() <= MAX_TEXT_BYTES && one != other
        }
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => false,
        _ => one != other,
    }
}

fn describe_types(types: &Value) -> String {
    let names: Vec<&str> = match types {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    display_safe(&names.join(" or "), 60)
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn violates(schema: &Value, value: &Value) -> Option<String> {
        let root = json!({"S": {"type": "object", "required": ["id"],
            "properties": {"id": {"type": "integer"}}}});
        let mut comparison = SchemaComparison::new(&root, Dialect::JsonSchema);
        comparison.compare(schema, value).map(|found| found.at)
    }

    #[test]
    fn values_fit_or_contradict_at_a_place() {
        let list = json!({"type": "array", "items": {"$ref": "#/S"}});
        for (schema, value, expected) in [
            (json!({}), json!(1), None),
            (json!(true), json!(1), None),
            (json!(false), json!(1), Some("")),
            (json!({"type": "string"}), json!("a"), None),
            (json!({"type": "string"}), json!(1), Some("")),
            (json!({"type": ["string", "null"]}), json!(null), None),
            (json!({"type": "string", "nullable": true}), json!(null), None),
            (json!({"type": "integer"}), json!(2.0), None),
            (json!({"type": "integer"}), json!(2.5), Some("")),
            (json!({"type": "file"}), json!("x"), None),
            (json!({"enum": ["a", 1]}), json!(1.0), None),
            (json!({"enum": ["a"]}), json!("b"), Some("")),
            (json!({"const": 1}), json!(2), Some("")),
            (list.clone(), json!([{"id": 1}, {"id": "x"}]), Some("/1/id")),
            (list.clone(), json!([{"id": 1}, {}]), Some("/1")),
            (list.clone(), json!({"id": 1}), Some("")),
            (list, json!([]), None),
            (json!({"allOf": [{"$ref": "#/S"}, {"required": ["b"]}]}), json!({"id": 1}), Some("")),
            (json!({"oneOf": [{"type": "string"}, {"$ref": "#/S"}]}), json!({"id": 1}), None),
            (json!({"anyOf": [{"type": "string"}, {"$ref": "#/S"}]}), json!(7), Some("")),
            (json!({"properties": {"a/b": {"type": "null"}}}), json!({"a/b": 1}), Some("/a~1b")),
            (
                json!({"required": ["pw"], "properties": {"pw": {"writeOnly": true}}}),
                json!({}),
                None,
            ),
            (json!({"properties": {"a": {"type": "string"}}}), json!({"a": null}), None),
            (
                json!({"required": ["a"], "properties": {"a": {"type": "string"}}}),
                json!({"a": null}),
                Some("/a"),
            ),
            (json!({"enum": [[1]]}), json!([2]), None),
            (json!({"$ref": "#/nowhere"}), json!(1), None),
            (json!({"pattern": "^a", "format": "date", "minimum": 9}), json!(1), None),
        ] {
            assert_eq!(violates(&schema, &value).as_deref(), expected, "{schema} {value}");
        }
    }

    #[test]
    fn what_is_not_compared_is_named_and_effort_is_bounded() {
        let root = json!({});
        let schema = json!({"type": "string", "format": "date", "pattern": "(a+)+$"});
        let mut comparison = SchemaComparison::new(&root, Dialect::Early);
        assert_eq!(comparison.compare(&schema, &json!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")), None);
        let named: Vec<&str> = comparison.not_compared.iter().copied().collect();
        assert_eq!(named, ["format", "pattern"]);
        assert!(comparison.is_complete());
        let names = vec!["a"; 2_000];
        let mut wide = json!({"required": names, "enum": names});
        for _ in 0..4 {
            wide = json!({"allOf": [wide, wide, wide]});
        }
        let mut comparison = SchemaComparison::new(&root, Dialect::Early);
        assert_eq!(comparison.compare(&wide, &json!("a")), None);
        assert!(!comparison.is_complete(), "long lists count");
        let mut many = json!({"type": "integer"});
        for _ in 0..12 {
            many = json!({"allOf": [many, many, many]});
        }
        let mut comparison = SchemaComparison::new(&root, Dialect::Early);
        assert_eq!(comparison.compare(&many, &json!(1)), None);
        assert!(!comparison.is_complete());
    }

    proptest! {
        #[test]
        fn any_schema_and_any_value_end(text in "[\\[\\]{}\",:a-c0-2]{0,60}", name in "(type|items|required|properties|allOf|\\$ref)") {
            let value: Value = serde_json::from_str(&text).unwrap_or(json!([text]));
            let schema = json!({name: value.clone()});
            let mut comparison = SchemaComparison::new(&schema, Dialect::JsonSchema);
            let _ = comparison.compare(&schema, &value);
        }
    }
}
