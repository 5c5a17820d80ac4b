//! `x-mcp-header` in the schemas of tools (protocol version 2026-07-28): a client sends the value of such an
//! input as the header `Mcp-Param-<name>`, and drops a tool whose names break the rules of the protocol.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::item_match::{ItemMatch, at};
use crate::mcp::surface::Item;

const RULE: &str = "invalid_mcp_header";
const ANNOTATION: &str = "x-mcp-header";
/// The types whose values fit in a header. `number` is not one of them: it is written in many ways.
const TYPES: [&str; 3] = ["string", "integer", "boolean"];
/// Keywords whose members are data and no schemas.
const DATA: [&str; 5] = ["default", "const", "enum", "examples", "required"];
/// Deeper schemas are a fault of their own (`malformed_item`).
const MAX_DEPTH: usize = 64;
const MAX_FOUND: usize = 5;

/// Every annotation of a tool's inputs that the protocol forbids, in the order of the schema.
pub(super) fn find_bad_headers(item: &Item) -> Vec<ItemMatch> {
    let Some(Value::Object(schema)) = item.members.get("inputSchema") else { return Vec::new() };
    let mut walk = Walk::default();
    walk.schema(schema, "/inputSchema", Reach::Root, 0);
    walk.found
}

/// How a schema is reached from the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Root,
    /// Through `properties` only: the value of the input is known before the call.
    Inputs,
    /// Through a list, an alternative, a condition or a definition.
    Otherwise,
}

#[derive(Default)]
struct Walk {
    /// Names in lower case: headers differ by more than case.
    names: BTreeSet<String>,
    found: Vec<ItemMatch>,
}

impl Walk {
    fn schema(&mut self, schema: &Map<String, Value>, pointer: &str, reach: Reach, depth: usize) {
        if depth > MAX_DEPTH || self.found.len() >= MAX_FOUND {
            return;
        }
        if let Some(name) = schema.get(ANNOTATION)
            && !(reach == Reach::Inputs && self.is_allowed(name, schema))
        {
            let shown = name.as_str().unwrap_or_default();
            self.found.push(at(RULE, "input_schema", &format!("{pointer}/{ANNOTATION}"), shown));
        }
        let depth = depth.saturating_add(1);
        for (keyword, value) in schema {
            if DATA.contains(&keyword.as_str()) {
                continue;
            }
            let inside = format!("{pointer}/{}", escape(keyword));
            let is_inputs = keyword == "properties";
            let reach = if is_inputs && reach != Reach::Otherwise {
                Reach::Inputs
            } else {
                Reach::Otherwise
            };
            match value {
                Value::Object(named) if is_inputs || has_names(keyword) => {
                    for (name, inner) in named {
                        self.inner(inner, &format!("{inside}/{}", escape(name)), reach, depth);
                    }
                }
                Value::Object(_) => self.inner(value, &inside, reach, depth),
                Value::Array(schemas) => {
                    for (index, inner) in schemas.iter().enumerate() {
                        self.inner(inner, &format!("{inside}/{index}"), reach, depth);
                    }
                }
                _ => {}
            }
        }
    }

    fn inner(&mut self, value: &Value, pointer: &str, reach: Reach, depth: usize) {
        if let Value::Object(schema) = value {
            self.schema(schema, pointer, reach, depth);
        }
    }

    fn is_allowed(&mut self, name: &Value, schema: &Map<String, Value>) -> bool {
        let Some(name) = name.as_str() else { return false };
        let is_token = !name.is_empty() && name.bytes().all(is_token_byte);
        let is_new = self.names.insert(name.to_ascii_lowercase());
        is_token && is_new && schema.get("type").is_none_or(fits_header)
    }
}

/// A type that is left out or that allows null as well is not known to be wrong.
fn fits_header(kind: &Value) -> bool {
    let fits = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    match kind {
        Value::Array(kinds) => {
            kinds.iter().any(fits) && kinds.iter().all(|kind| fits(kind) || kind == "null")
        }
        kind => fits(kind),
    }
}

/// Keywords whose members are named schemas.
fn has_names(keyword: &str) -> bool {
    matches!(keyword, "patternProperties" | "$defs" | "definitions" | "dependentSchemas")
}

/// The characters of a field name (RFC 9110, 5.6.2).
const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_'
        )
        || matches!(byte, b'`' | b'|' | b'~')
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::{ListKind, SurfaceBuilder};

    fn pointers(schema: &Value) -> Vec<String> {
        let tools = json!([{"name": "x", "inputSchema": schema}]);
        let mut builder = SurfaceBuilder::new();
        builder.add_page(ListKind::Tools, tools.to_string().as_bytes()).unwrap();
        let surface = builder.finish();
        find_bad_headers(&surface.items[0]).into_iter().map(|found| found.pointer).collect()
    }

    fn input(kind: &Value, name: &Value) -> Value {
        json!({"properties": {"a": {"type": kind, "x-mcp-header": name}}})
    }

    #[test]
    fn names_types_and_places_that_the_protocol_allows() {
        for kind in [json!("string"), json!("integer"), json!("boolean"), json!(["string", "null"])]
        {
            assert!(pointers(&input(&kind, &json!("Region-1"))).is_empty(), "{kind}");
        }
        let nested = json!({"properties": {"o": {"type": "object", "properties": {
            "a": {"type": "string", "x-mcp-header": "A"}}}}});
        // An input may have this name, and values may contain it.
        let named = json!({"properties": {"x-mcp-header": {"type": "string", "default": {"x-mcp-header": ""}}}});
        for quiet in [nested, named, json!({}), json!({"properties": 7})] {
            assert!(pointers(&quiet).is_empty(), "{quiet}");
        }
    }

    #[test]
    fn names_types_and_places_that_it_forbids() {
        for name in [
            json!(""),
            json!("a b"),
            json!("a:b"),
            json!("a\r\nb"),
            json!("ä"),
            json!(7),
            json!(null),
        ] {
            let found = pointers(&input(&json!("string"), &name));
            assert_eq!(found, ["/inputSchema/properties/a/x-mcp-header"], "{name}");
        }
        for kind in [
            json!("number"),
            json!("object"),
            json!("array"),
            json!(["string", "number"]),
            json!(["null"]),
        ] {
            assert_eq!(pointers(&input(&kind, &json!("A"))).len(), 1, "{kind}");
        }
        let annotated = json!({"type": "string", "x-mcp-header": "A"});
        for schema in [
            json!({"x-mcp-header": "A"}),
            json!({"properties": {"l": {"type": "array", "items": annotated}}}),
            json!({"oneOf": [{"properties": {"a": annotated}}]}),
            json!({"$defs": {"d": annotated}}),
            json!({"additionalProperties": annotated}),
        ] {
            assert_eq!(pointers(&schema).len(), 1, "{schema}");
        }
    }

    #[test]
    fn names_that_differ_only_by_case_are_the_same_header() {
        let twice = json!({"properties": {
            "a": {"type": "string", "x-mcp-header": "Region"}, "b/c": {"type": "string", "x-mcp-header": "region"}}});
        assert_eq!(pointers(&twice), ["/inputSchema/properties/b~1c/x-mcp-header"]);
    }
}
