//! Digests of items and of the whole surface, over canonical JSON (RFC 8785).

use contract::records::McpFieldDigests;
use proof::{canonical, sha256};
use serde_json::{Map, Value, json};

use super::item::{FaultKind, Item, ItemDigests, ItemFault, ListKind, Surface, SurfaceDigests};

/// The version of these definitions, as a lock names it.
pub(crate) const HASH_SCHEME: &str = "mcp-def-v1";
/// The public client hashes lists of at most this many tools.
pub const MAX_CLIENT_TOOLS: usize = 300;

fn hash(value: &Value) -> Option<String> {
    canonical::value_to_vec(value).ok().map(|bytes| sha256(&bytes).to_hex())
}

const fn defined_members(list: ListKind) -> &'static [&'static str] {
    match list {
        ListKind::Tools => {
            &["name", "title", "description", "inputSchema", "outputSchema", "annotations"]
        }
        ListKind::Prompts => &["name", "title", "description", "arguments"],
        ListKind::Resources => &["uri", "name", "title", "description", "mimeType"],
        ListKind::ResourceTemplates => &["uriTemplate", "name", "title", "description", "mimeType"],
    }
}

pub(super) fn item_digests(item: &Item) -> Option<ItemDigests> {
    let broken =
        |fault: &ItemFault| matches!(fault.kind, FaultKind::NotAnObject | FaultKind::TooDeep);
    if item.faults.iter().any(broken) {
        return None;
    }
    let word = item.list.item().as_str().to_owned();
    let mut definition = Map::from_iter([("item".to_owned(), Value::String(word))]);
    for name in defined_members(item.list) {
        if let Some(value) = item.members.get(*name) {
            definition.insert((*name).to_owned(), value.clone());
        }
    }
    let mut agreed = definition.clone();
    agreed.remove("title");
    agreed.remove("description");
    for schema in ["inputSchema", "outputSchema", "arguments"] {
        if let Some(schema) = agreed.get_mut(schema) {
            strip_prose(schema, false);
        }
    }
    let mut nameless = definition.clone();
    nameless.remove(item.list.name_member());
    let member = |name: &str| item.members.get(name);
    let tool = (item.list == ListKind::Tools).then(|| {
        let or_null = |name| member(name).cloned().unwrap_or_default();
        json!({"name": or_null("name"), "description": or_null("description"),
            "inputSchema": or_null("inputSchema"), "annotations": or_null("annotations")})
    });
    let other: Map<String, Value> = item
        .members
        .iter()
        .filter(|(name, _)| !defined_members(item.list).contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let field = |name: &str| member(name).and_then(hash);
    Some(ItemDigests {
        tool: match tool {
            Some(tool) => Some(hash(&tool)?),
            None => None,
        },
        definition: hash(&Value::Object(definition))?,
        contract: hash(&Value::Object(agreed))?,
        nameless: hash(&Value::Object(nameless))?,
        fields: McpFieldDigests {
            title: field("title"),
            description: field("description"),
            input_schema: field("inputSchema"),
            output_schema: field("outputSchema"),
            annotations: field("annotations"),
            other: if other.is_empty() { None } else { hash(&Value::Object(other)) },
        },
    })
}

/// Removes what only people and models read from a schema. Members of `properties` and the like are
/// names of inputs, not keywords.
fn strip_prose(value: &mut Value, names: bool) {
    match value {
        Value::Object(members) => {
            if !names {
                for keyword in ["description", "title", "examples", "example", "$comment"] {
                    members.remove(keyword);
                }
            }
            for (name, member) in members.iter_mut() {
                let inner_names = !names
                    && matches!(
                        name.as_str(),
                        "properties"
                            | "patternProperties"
                            | "$defs"
                            | "definitions"
                            | "dependentSchemas"
                    );
                // Values are data: nothing in them is a keyword.
                if names || !matches!(name.as_str(), "default" | "const" | "enum") {
                    strip_prose(member, inner_names);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip_prose(item, false)),
        _ => {}
    }
}

pub(super) fn surface_digests(surface: &Surface) -> SurfaceDigests {
    let instructions = surface.instructions.as_ref().map(|text| sha256(text.as_bytes()).to_hex());
    if !surface.is_complete() {
        return SurfaceDigests { instructions, ..SurfaceDigests::default() };
    }
    SurfaceDigests {
        surface: surface_digest(surface, instructions.as_deref()),
        tools: list_digest(surface.list(ListKind::Tools)),
        instructions,
    }
}

fn surface_digest(surface: &Surface, instructions: Option<&str>) -> Option<String> {
    let mut all: Vec<String> = surface
        .items
        .iter()
        .map(|item| item.digests.as_ref().map(|digests| digests.definition.clone()))
        .collect::<Option<_>>()?;
    if let Some(instructions) = instructions {
        all.push(hash(&json!({"item": "instructions", "text_sha256": instructions}))?);
    }
    all.sort_unstable();
    hash(&json!(all))
}

/// The public client's digest of a list: of the sorted digests of its tools, joined by line feeds.
fn list_digest<'a>(tools: impl Iterator<Item = &'a Item>) -> Option<String> {
    let mut all: Vec<&str> =
        tools.map(|item| item.digests.as_ref()?.tool.as_deref()).collect::<Option<_>>()?;
    if all.len() > MAX_CLIENT_TOOLS {
        return None;
    }
    all.sort_unstable();
    Some(sha256(all.join("\n").as_bytes()).to_hex())
}
