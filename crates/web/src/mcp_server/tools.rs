//! The tools: operations of the API, with the schemas of the OpenAPI document.

use std::collections::{BTreeMap, BTreeSet};

use contract::Issuer;
use serde_json::{Map, Value, json};

/// A tool, and the operation that answers it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The operation; `None` for `verify`, which needs no request.
    pub(super) operation: Option<Operation>,
    /// Parameters of the operation that the tool does not have: with them the answer has another form.
    left_out: &'static [&'static str],
    effects: Effects,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Operation {
    pub(super) id: &'static str,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
}

/// What a call does, as the annotations tell it.
#[derive(Debug, Clone, Copy)]
enum Effects {
    /// Computes from what it is given.
    None,
    /// Reads sites; the answer is stored in the public log.
    Reads,
    /// Adds a record that others see.
    Adds,
}

const fn get(id: &'static str, path: &'static str) -> Option<Operation> {
    Some(Operation { id, method: "GET", path })
}

const fn post(id: &'static str, path: &'static str) -> Option<Operation> {
    Some(Operation { id, method: "POST", path })
}

const TOOLS: [Tool; 7] = [
    Tool {
        name: "resolve",
        title: "Look up a site",
        description: "Returns the evidence about a website (robots.txt, machine files, DNS, TLS, what crawlers are \
                      served) and a decision for reading, citing, connecting, transacting and administering. The \
                      site is fetched if no recent reading is stored.",
        operation: get("resolveDomainV1", "/api/v1/resolve"),
        left_out: &[],
        effects: Effects::Reads,
    },
    Tool {
        name: "preflight",
        title: "Ask before an action",
        description: "Checks one planned action at a website and returns a signed receipt: allow, warn, \
                      require_confirmation or block, with reasons and an expiry time.",
        operation: post("preflightV1", "/api/v1/preflight"),
        left_out: &["checks"],
        effects: Effects::Reads,
    },
    Tool {
        name: "check_visitor",
        title: "Check a visitor",
        description: "Compares the IP address of a website visitor with the published ranges of the crawler \
                      named in its user agent. The visitor is not stored.",
        operation: get("visitorResolveV1", "/api/v1/visitor"),
        left_out: &[],
        effects: Effects::Reads,
    },
    Tool {
        name: "scan",
        title: "Scan a site",
        description: "Reads a site as several identities and makes a graded record that everybody can see, unless \
                      `visibility` is `unlisted`. The record is long: `preflight` answers shortly.",
        operation: post("scanDomain", "/api/scan"),
        left_out: &[],
        effects: Effects::Adds,
    },
    Tool {
        name: "mcp_scan",
        title: "Scan an MCP server",
        description: "What an MCP server lists, and what the rules found in it. Only lists are read: no tool of the \
                      server is called.",
        operation: get("mcpScanUrl", "/api/v1/mcp/scan"),
        left_out: &["domain", "format"],
        effects: Effects::Reads,
    },
    Tool {
        name: "report_outcome",
        title: "Tell what happened",
        description: "Adds a report of what happened after a decision. It is counted, and cannot be taken back.",
        operation: post("postOutcome", "/api/v1/outcome"),
        left_out: &[],
        effects: Effects::Adds,
    },
    Tool {
        name: "verify",
        title: "Verify an answer",
        description: "Recomputes the digest and the signature of a document that this service signed.",
        operation: None,
        left_out: &[],
        effects: Effects::None,
    },
];

/// The tools with their definitions.
#[derive(Debug)]
pub(super) struct Tools {
    list: String,
    /// The names of the arguments of each tool.
    parameters: BTreeMap<&'static str, BTreeSet<String>>,
}

impl Tools {
    pub(super) fn from_openapi(openapi: &Value, issuer: &Issuer) -> Self {
        let mut parameters = BTreeMap::new();
        let mut definitions = Vec::new();
        for tool in &TOOLS {
            let operation = tool.operation.and_then(|operation| find(openapi, operation));
            let (input, output) = match operation {
                Some(operation) => {
                    let input = input_schema(openapi, operation, tool.left_out);
                    (input, output_schema(openapi, operation, issuer))
                }
                None => verify_schemas(),
            };
            let names = input.get("properties").and_then(Value::as_object);
            let names = names.into_iter().flatten().map(|(name, _)| name.clone());
            parameters.insert(tool.name, names.collect());
            definitions.push(tool.definition(input, output));
        }
        Self { list: Value::Array(definitions).to_string(), parameters }
    }

    pub(super) fn list_json(&self) -> &str {
        &self.list
    }

    pub(super) fn find(&self, name: &str) -> Option<&'static Tool> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    pub(super) fn has_parameter(&self, tool: &Tool, name: &str) -> bool {
        self.parameters.get(tool.name).is_some_and(|names| names.contains(name))
    }
}

impl Tool {
    fn definition(&self, input: Value, output: Value) -> Value {
        let (read_only, idempotent, open_world) = match self.effects {
            Effects::None => (true, true, false),
            Effects::Reads => (true, true, true),
            Effects::Adds => (false, false, true),
        };
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input,
            "outputSchema": output,
            "annotations": {
                "title": self.title,
                "readOnlyHint": read_only,
                "destructiveHint": false,
                "idempotentHint": idempotent,
                "openWorldHint": open_world,
            },
        })
    }
}

fn find(openapi: &Value, operation: Operation) -> Option<&Value> {
    let item = openapi.get("paths")?.get(operation.path)?;
    let found = item.get(operation.method.to_ascii_lowercase())?;
    (found.get("operationId")?.as_str() == Some(operation.id)).then_some(found)
}

/// The parameters of a GET operation, or the body of a POST operation.
fn input_schema(openapi: &Value, operation: &Value, left_out: &[&str]) -> Value {
    let body = operation.pointer("/requestBody/content/application~1json/schema");
    let mut schema = match body {
        Some(body) => first_form(openapi, body).clone(),
        None => parameter_schema(operation),
    };
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !left_out.contains(&name.as_str()));
    }
    if let Some(schema) = schema.as_object_mut() {
        // It speaks of the request, which a model does not see.
        schema.remove("description");
    }
    let mut defs = Map::new();
    move_references(openapi, &mut schema, &mut defs);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("type".to_owned(), json!("object"));
        if !defs.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(defs));
        }
    }
    schema
}

fn parameter_schema(operation: &Value) -> Value {
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in parameters.filter(|one| one.get("in") == Some(&json!("query"))) {
        let Some(name) = parameter.get("name").and_then(Value::as_str) else { continue };
        let mut schema = parameter.get("schema").cloned().unwrap_or_else(|| json!({}));
        if let (Some(text), Some(schema)) = (parameter.get("description"), schema.as_object_mut()) {
            schema.insert("description".to_owned(), text.clone());
        }
        if parameter.get("required") == Some(&Value::Bool(true)) {
            required.push(json!(name));
        }
        properties.insert(name.to_owned(), schema);
    }
    json!({ "properties": properties, "required": required, "additionalProperties": false })
}

/// The members of the record, without what is inside them: the whole schema has an address of its own.
fn output_schema(openapi: &Value, operation: &Value, issuer: &Issuer) -> Value {
    let mut answers = ["200", "201", "202"].into_iter().filter_map(|status| {
        operation.pointer(&format!("/responses/{status}/content/application~1json/schema"))
    });
    let answer = answers.next();
    let record = answer.map(|answer| first_form(openapi, answer));
    let members = record.and_then(|record| record.get("properties")).and_then(Value::as_object);
    let mut properties = Map::new();
    for (name, member) in members.into_iter().flatten() {
        let member = resolve(openapi, member);
        let mut shown = Map::new();
        for kept in ["type", "const"] {
            if let Some(value) = member.get(kept) {
                shown.insert(kept.to_owned(), value.clone());
            }
        }
        properties.insert(name.clone(), Value::Object(shown));
    }
    let required = record.and_then(|record| record.get("required")).cloned();
    json!({
        "type": "object",
        "description": format!("A signed record. Complete schemas: {}", issuer.url("/api/v1/schema?list=1")),
        "properties": properties,
        "required": required.unwrap_or_else(|| json!([])),
    })
}

fn resolve<'a>(openapi: &'a Value, schema: &'a Value) -> &'a Value {
    let pointer =
        schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    pointer.and_then(|pointer| openapi.pointer(pointer)).unwrap_or(schema)
}

/// The schema itself, or the first of its alternatives: models are offered one form, and many clients refuse
/// alternatives at the top of a schema.
fn first_form<'a>(openapi: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = resolve(openapi, schema);
    let forms = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    match forms.and_then(|forms| forms.first()) {
        Some(first) => resolve(openapi, first),
        None => schema,
    }
}

/// Replaces references into the OpenAPI document by references into the schema itself.
fn move_references(openapi: &Value, schema: &mut Value, defs: &mut Map<String, Value>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/components/schemas/")
            {
                let name = name.to_owned();
                *reference = format!("#/$defs/{name}");
                if !defs.contains_key(&name) {
                    // Noted first: schemas may refer to themselves.
                    defs.insert(name.clone(), Value::Null);
                    let path = format!("/components/schemas/{name}");
                    let mut target = openapi.pointer(&path).cloned().unwrap_or_else(|| json!({}));
                    move_references(openapi, &mut target, defs);
                    defs.insert(name, target);
                }
            }
            for (_, member) in members.iter_mut() {
                move_references(openapi, member, defs);
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| move_references(openapi, item, defs));
        }
        _ => {}
    }
}

fn verify_schemas() -> (Value, Value) {
    let input = json!({
        "type": "object",
        "properties": {
            "document": { "type": "object", "description": "The signed document, as it came." },
        },
        "required": ["document"],
        "additionalProperties": false,
    });
    let output = json!({
        "type": "object",
        "properties": {
            "accepted": { "type": "boolean", "description": "Whether every check passed." },
            "checks": { "type": "array", "items": { "type": "object" } },
        },
        "required": ["accepted", "checks"],
    });
    (input, output)
}
