//! The OpenAPI document: generated from the routes and their types, then completed with the server
//! address, the security schemes, the error responses and the brand.

pub(crate) mod base;
mod parameter_bounds;

use std::collections::BTreeSet;

use contract::{Brand, Issuer, schema_bounds::fill_bounds};
use serde_json::{Value, json};

use self::parameter_bounds::fill_parameter_bounds;
use crate::routes::{self, OptionalRoutes};

/// A body that is not text.
#[derive(utoipa::ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(crate) struct BinaryBody(#[expect(dead_code, reason = "only described")] Vec<u8>);

/// The whole document, as served.
pub(crate) fn build_document(issuer: &Issuer, optional: OptionalRoutes) -> Value {
    let Issuer { brand, base_url } = issuer;
    // Generated from our own types: serializing cannot fail.
    let mut document = serde_json::to_value(routes::router(optional).into_router().into_openapi())
        .unwrap_or_default();
    if let Value::Object(members) = &mut document {
        members.insert("servers".to_owned(), json!([{ "url": base_url }]));
        // No credentials, unless an operation says otherwise.
        members.insert("security".to_owned(), json!([]));
    }
    if let Some(Value::Object(components)) = document.get_mut("components") {
        let schemes = json!({
            "licence_key": {
                "type": "apiKey", "in": "header", "name": brand.key_header(),
                "description": "A licence key.",
            },
            "bearer": {
                "type": "http", "scheme": "bearer",
                "description": "The same licence key as a bearer token.",
            },
        });
        components.insert("securitySchemes".to_owned(), schemes);
    }
    for operation in operations_mut(&mut document) {
        fill_parameter_bounds(operation);
        add_problem_json_form(operation);
        add_default_error(operation);
        bound_inline_responses(operation);
    }
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    schemas.into_iter().flat_map(|schemas| schemas.values_mut()).for_each(fill_bounds);
    apply_brand(&mut document, brand);
    document
}

/// The longest page or file that is described as a text.
const DOCUMENT_CHARS: usize = 4 << 20;

/// Bounds responses that are not of a named type: pages and files.
fn bound_inline_responses(operation: &mut Value) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for response in responses.into_iter().flat_map(|responses| responses.values_mut()) {
        let content = response.get_mut("content").and_then(Value::as_object_mut);
        for form in content.into_iter().flat_map(|content| content.values_mut()) {
            let Some(schema) = form.get_mut("schema") else { continue };
            if schema["type"] == "string" && schema["format"] != "binary" {
                schema["maxLength"] = json!(DOCUMENT_CHARS);
            }
            fill_bounds(schema);
        }
    }
}

/// The operationIds of a document.
pub(crate) fn operation_ids(document: &Value) -> BTreeSet<String> {
    let items = document
        .get("paths")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|paths| paths.values());
    items
        .filter_map(Value::as_object)
        .flat_map(|item| item.values())
        .filter_map(|operation| operation.get("operationId")?.as_str().map(str::to_owned))
        .collect()
}

fn operations_mut(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    paths
        .into_iter()
        .flat_map(|paths| paths.values_mut())
        .filter_map(Value::as_object_mut)
        .flat_map(|item| item.values_mut())
        .filter(|operation| operation.get("operationId").is_some())
}

const PROBLEM_JSON: &str = "application/problem+json";

/// Adds the problem document as a second form of every error response.
fn add_problem_json_form(operation: &mut Value) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for response in responses.into_iter().flat_map(|responses| responses.values_mut()) {
        let Some(content) = response.get_mut("content").and_then(Value::as_object_mut) else {
            continue;
        };
        let is_error = content
            .values()
            .any(|form| form.pointer("/schema/$ref").and_then(Value::as_str) == Some(ERROR_SCHEMA));
        if is_error {
            content.insert(PROBLEM_JSON.to_owned(), json!({ "schema": { "type": "object" } }));
        }
    }
}

const ERROR_SCHEMA: &str = "#/components/schemas/ErrorV1";

fn add_default_error(operation: &mut Value) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    if let Some(responses) = responses {
        let form = json!({ "schema": { "$ref": ERROR_SCHEMA } });
        let answer = json!({
            "description": "Any other error, in the same shape.",
            "content": {
                "application/json": form,
                PROBLEM_JSON: { "schema": { "type": "object" } },
            },
        });
        responses.insert("default".to_owned(), answer);
    }
}

/// Replaces the default brand in texts and examples by the operator's brand.
fn apply_brand(value: &mut Value, brand: &Brand) {
    match value {
        Value::String(text) => {
            if let Some(word) = text.strip_prefix("svc-") {
                *text = brand.kind(word);
            } else {
                for (ours, theirs) in [
                    ("`svc-", format!("`{brand}-")),
                    ("`x-svc-key`", format!("`{}`", brand.key_header())),
                ] {
                    if text.contains(ours) {
                        *text = text.replace(ours, &theirs);
                    }
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| apply_brand(item, brand)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| apply_brand(member, brand));
        }
        _ => {}
    }
}

#[cfg(test)]
mod wire_fields;

#[cfg(test)]
mod tests {
    use super::*;
    use contract::schema_bounds::unbounded_parts;

    fn test_issuer() -> Issuer {
        Issuer::new(Brand::default(), "https://svc.example")
    }

    fn here(name: &str) -> std::path::PathBuf {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("contract").join(name)
    }

    /// Compares with a checked-in file; `UPDATE_CONTRACT=1` rewrites it.
    fn check_file<T: PartialEq>(name: &str, now: &str, read: fn(&str) -> T) {
        let path = here(name);
        if std::env::var_os("UPDATE_CONTRACT").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, now).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            read(&committed) == read(now),
            "{name} differs from the code; if the change is intended, run the tests once with \
             UPDATE_CONTRACT=1 and review the difference"
        );
    }

    /// The numbers in the description are those of the code.
    #[test]
    fn the_description_states_the_default_limits() {
        use contract::policies::{CountedBy, POLICIES};
        let document = build_document(&test_issuer(), OptionalRoutes::ALL);
        let text = document["info"]["description"].as_str().unwrap();
        for policy in POLICIES.iter().filter(|policy| policy.counted_by == CountedBy::Address) {
            // Content clocks are described where they are.
            if policy.name == "clock-day" {
                continue;
            }
            let (before, _) = text
                .split_once(&format!("(`{}`", policy.name))
                .unwrap_or_else(|| panic!("{} is missing", policy.name));
            let number = before.split(|c: char| !c.is_ascii_digit()).rev();
            let mut number = number.filter_map(|digits| digits.parse::<u32>().ok());
            // The last numbers before the name; one of them may be a length of time.
            assert!(number.by_ref().take(2).any(|number| number == policy.max), "{}", policy.name);
        }
    }

    #[test]
    fn the_document_is_the_one_checked_in() {
        let document = build_document(&test_issuer(), OptionalRoutes::ALL);
        let text = format!("{}\n", serde_json::to_string_pretty(&document).unwrap());
        // Compared as values: the order of members is up to the library.
        check_file("openapi.json", &text, |text| serde_json::from_str::<Value>(text).ok());
    }

    /// Texts may be reworded at any time; a field, type or enum word may not change unnoticed.
    #[test]
    fn the_wire_fields_are_those_checked_in() {
        let document = build_document(&test_issuer(), OptionalRoutes::ALL);
        let lines: Vec<String> = wire_fields::wire_fields(&document).into_iter().collect();
        check_file("wire-fields.txt", &format!("{}\n", lines.join("\n")), str::to_owned);
    }

    #[test]
    fn the_operations_are_those_checked_in() {
        let document = build_document(&test_issuer(), OptionalRoutes::ALL);
        let ids: Vec<String> = operation_ids(&document).into_iter().collect();
        check_file("operation-ids.txt", &format!("{}\n", ids.join("\n")), str::to_owned);
    }

    #[test]
    fn every_operation_is_documented_completely() {
        let mut document = build_document(&test_issuer(), OptionalRoutes::ALL);
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
        let tags: Vec<Value> = document["tags"].as_array().unwrap().clone();
        let mut count = 0;
        for operation in operations_mut(&mut document) {
            count += 1;
            let id = operation["operationId"].as_str().unwrap();
            for member in ["summary", "description", "tags", "responses"] {
                assert!(operation.get(member).is_some(), "{id}: {member}");
            }
            assert!(operation["responses"]["default"].is_object(), "{id}");
            assert!(tags.iter().any(|tag| tag["name"] == operation["tags"][0]), "{id}");
        }
        assert_eq!(count, operation_ids(&document).len(), "an operationId is used twice");
    }

    /// Whoever reads the document knows how much to expect, and how much may be sent.
    #[test]
    fn every_text_list_and_number_has_a_bound() {
        let document = build_document(&test_issuer(), OptionalRoutes::ALL);
        assert_eq!(unbounded_parts(&document), [""; 0]);
    }

    /// The bounds of requests are stated by their own types, which enforce them, and not filled in.
    #[test]
    fn the_types_of_requests_state_their_own_bounds() {
        let written =
            serde_json::to_value(routes::router(OptionalRoutes::ALL).into_router().into_openapi())
                .unwrap();
        let mut waiting: Vec<&Value> = Vec::new();
        let paths = written["paths"].as_object().unwrap().values();
        for operation in paths.flat_map(|path| path.as_object().unwrap().values()) {
            waiting.push(&operation["requestBody"]);
        }
        let mut seen = BTreeSet::new();
        while let Some(value) = waiting.pop() {
            if let Some(target) = value.get("$ref").and_then(Value::as_str)
                && seen.insert(target)
            {
                let schema = written.pointer(target.strip_prefix('#').unwrap()).unwrap();
                assert_eq!(unbounded_parts(schema), [""; 0], "{target}");
                waiting.push(schema);
            }
            match value {
                Value::Object(members) => waiting.extend(members.values()),
                Value::Array(items) => waiting.extend(items),
                _ => {}
            }
        }
        assert!(seen.len() > 12, "{}", seen.len());
    }

    #[test]
    fn every_reference_resolves() {
        let document = build_document(&test_issuer(), OptionalRoutes::ALL);
        let mut stack = vec![&document];
        while let Some(value) = stack.pop() {
            if let Some(target) = value.get("$ref").and_then(Value::as_str) {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{target}");
            }
            match value {
                Value::Object(members) => stack.extend(members.values()),
                Value::Array(items) => stack.extend(items),
                _ => {}
            }
        }
    }

    #[test]
    fn an_operators_brand_replaces_the_default() {
        let brand = Brand::new("acme").unwrap();
        let text = build_document(&Issuer::new(brand, "https://acme.example"), OptionalRoutes::ALL)
            .to_string();
        assert!(text.contains("acme-scan") && !text.contains("svc-scan"));
        assert!(text.contains("x-acme-key") && !text.contains("x-svc-key"));
        assert!(text.contains("\"servers\":[{\"url\":\"https://acme.example\"}]"));
    }
}
