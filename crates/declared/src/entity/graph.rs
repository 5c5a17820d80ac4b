//! Nodes of structured data that say who a site is.

use serde_json::{Map, Value};

use super::classes::{self, Class};
use crate::page::{Item, ItemValue};

const MAX_DEPTH: usize = 16;
const MAX_NODES: usize = 500;
const MAX_TYPES: usize = 10;

/// How a node is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A branch or department of another node.
    Part,
    /// At the top of a block or in its graph.
    Top,
    /// As the publisher of the site or page.
    Publisher,
}

/// One node.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) members: &'a Map<String, Value>,
    pub(super) types: Vec<String>,
    pub(super) id: Option<&'a str>,
    pub(super) at: String,
    pub(super) place: Place,
    pub(super) class: Option<Class>,
}

impl<'a> Node<'a> {
    /// The values of a property, single or in a list, under its plain name or with a prefix.
    pub(super) fn values(&self, name: &str) -> Vec<&'a Value> {
        values(self.members, name)
    }

    pub(super) fn texts(&self, name: &str) -> Vec<&'a str> {
        self.values(name).into_iter().filter_map(text).collect()
    }

    pub(super) fn name(&self) -> Option<&'a str> {
        self.texts("name").into_iter().map(str::trim).find(|name| !name.is_empty())
    }
}

pub(super) fn values<'a>(members: &'a Map<String, Value>, name: &str) -> Vec<&'a Value> {
    let found = members.get(name).or_else(|| {
        members
            .iter()
            .find(|(key, _)| plain_name(key) == name && key.len() > name.len())
            .map(|(_, v)| v)
    });
    match found {
        Some(Value::Array(list)) => list.iter().take(50).collect(),
        Some(value) => vec![value],
        None => Vec::new(),
    }
}

/// A text, or the value of `{"@value": …}` and of a named thing, or an address by `@id`.
pub(super) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Object(members) => ["@value", "url", "contentUrl", "name", "@id"]
            .into_iter()
            .find_map(|name| members.get(name).and_then(Value::as_str)),
        _ => None,
    }
}

/// A name without the vocabulary it comes from: `https://schema.org/name`, `schema:name`.
pub(super) fn plain_name(name: &str) -> &str {
    for prefix in [
        "https://schema.org/",
        "http://schema.org/",
        "https://www.schema.org/",
        "http://www.schema.org/",
        "schema:",
    ] {
        if let Some(plain) = name.strip_prefix(prefix) {
            return plain;
        }
    }
    name
}

/// What the context of a block says about its vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    SchemaOrg,
    /// Another vocabulary: its words do not mean what ours mean.
    Foreign,
    Missing,
}

/// Contexts are recognised, never fetched.
pub(super) fn context(block: &Value) -> Context {
    let first = match block {
        Value::Array(list) => list.iter().find(|item| item.get("@context").is_some()),
        other => Some(other),
    };
    match first.and_then(|value| value.get("@context")) {
        None => Context::Missing,
        Some(said) if names_schema_org(said, 0) => Context::SchemaOrg,
        Some(_) => Context::Foreign,
    }
}

fn names_schema_org(said: &Value, depth: usize) -> bool {
    match said {
        Value::String(address) => {
            let plain = super::normal::host(address);
            plain == "schema.org"
        }
        Value::Array(list) => {
            depth < 4 && list.iter().take(20).any(|v| names_schema_org(v, depth + 1))
        }
        Value::Object(terms) => terms
            .values()
            .take(50)
            .filter_map(Value::as_str)
            .any(|v| super::normal::host(v) == "schema.org"),
        _ => false,
    }
}

/// Properties that lead from a node to who stands behind it.
const PUBLISHERS: &[&str] = &["publisher", "copyrightHolder", "sourceOrganization"];
/// Properties that lead to what the page is about.
const SUBJECTS: &[&str] = &["mainEntity", "about"];
/// Properties that lead to branches.
const PARTS: &[&str] = &["department", "subOrganization", "location", "hasPOS", "branch"];

/// Gathers the nodes of a block.
pub(super) fn gather<'a>(block: &'a Value, at: &str, nodes: &mut Vec<Node<'a>>) {
    walk(block, at, Place::Top, 0, nodes);
}

fn walk<'a>(value: &'a Value, at: &str, place: Place, depth: usize, nodes: &mut Vec<Node<'a>>) {
    if depth > MAX_DEPTH || nodes.len() >= MAX_NODES {
        return;
    }
    let members = match value {
        Value::Array(list) => {
            for (n, item) in list.iter().enumerate().take(MAX_NODES) {
                walk(item, &format!("{at}/{n}"), place, depth + 1, nodes);
            }
            return;
        }
        Value::Object(members) => members,
        _ => return,
    };
    if let Some(graph) = members.get("@graph") {
        walk(graph, &format!("{at}/@graph"), place, depth + 1, nodes);
    }
    let types = types(members);
    if types.is_empty() {
        return;
    }
    nodes.push(Node {
        members,
        id: ["@id", "id"].into_iter().find_map(|k| members.get(k).and_then(Value::as_str)),
        at: at.to_owned(),
        place,
        class: class(&types, members),
        types,
    });
    let leads = PUBLISHERS
        .iter()
        .map(|name| (*name, Place::Publisher))
        .chain(SUBJECTS.iter().map(|name| (*name, Place::Top)))
        .chain(PARTS.iter().map(|name| (*name, Place::Part)));
    for (name, place) in leads {
        if let Some(inner) = members.get(name).filter(|v| v.is_object() || v.is_array()) {
            walk(inner, &format!("{at}/{name}"), place, depth + 1, nodes);
        }
    }
}

fn types(members: &Map<String, Value>) -> Vec<String> {
    let said = members.get("@type").or_else(|| members.get("type"));
    let list: Vec<&Value> = match said {
        Some(Value::Array(list)) => list.iter().collect(),
        Some(value) => vec![value],
        None => Vec::new(),
    };
    list.into_iter()
        .filter_map(Value::as_str)
        .take(MAX_TYPES)
        .map(|name| super::cut(plain_name(name.trim()), 100).to_owned())
        .collect()
}

fn class(types: &[String], members: &Map<String, Value>) -> Option<Class> {
    let known = types.iter().filter_map(|name| classes::of(name)).max();
    if known.is_some() || types.iter().any(|name| classes::is_other(name)) {
        return known;
    }
    // A type nobody knows that has a name and an address is run by somebody.
    let organised = !values(members, "name").is_empty() && !values(members, "address").is_empty();
    organised.then_some(Class::Organization)
}

/// A microdata item in the form of a JSON-LD node, so that both are read by the same rules.
pub(super) fn from_item(items: &[Item], number: usize, depth: usize) -> Option<Value> {
    let item = items.get(number).filter(|_| depth <= MAX_DEPTH)?;
    let mut members = Map::new();
    let types: Vec<Value> = item.types.iter().map(|t| Value::String(t.clone())).collect();
    members.insert("@type".to_owned(), Value::Array(types));
    if let Some(id) = &item.id {
        members.insert("@id".to_owned(), Value::String(id.clone()));
    }
    for (name, value) in &item.properties {
        let value = match value {
            ItemValue::Text(text) => Value::String(text.clone()),
            // Items come after the item they belong to, so that this ends.
            ItemValue::Item(inner) if *inner > number => from_item(items, *inner, depth + 1)?,
            ItemValue::Item(_) => continue,
        };
        match members.entry(plain_name(name)).or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(list) => list.push(value),
            other => *other = value,
        }
    }
    Some(Value::Object(members))
}
