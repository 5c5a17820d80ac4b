//! Finds the nodes of structured data that may describe the owner of a site.

use serde_json::{Map, Value};

use super::classes::{self, EntityClass};
use super::model::BlockPointer;
use crate::page::{MicrodataItem, MicrodataValue, truncate_str};

const MAX_DEPTH: usize = 16;
const MAX_NODES: usize = 500;
const MAX_TYPES: usize = 10;
/// How many values of one property are read.
const MAX_VALUES: usize = 50;

/// How a node relates to the page, by the property that leads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NodeRole {
    /// Somebody the page is not run by: an author, an employee, a founder.
    Related,
    /// Another entity than the owner: a branch, a department, a parent or a sponsor.
    Branch,
    /// At the top of a block or in its graph.
    TopLevel,
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
    pub(super) role: NodeRole,
    pub(super) class: Option<EntityClass>,
}

impl<'a> Node<'a> {
    /// The values of a property, single or in a list, with or without a vocabulary prefix.
    pub(super) fn values(&self, name: &str) -> Vec<&'a Value> {
        values(self.members, name)
    }

    pub(super) fn texts(&self, name: &str) -> Vec<&'a str> {
        self.values(name).into_iter().filter_map(text).collect()
    }

    /// The values of a property with the pointers from the node to them.
    pub(super) fn located_values(&self, name: &str) -> Vec<(&'a Value, String)> {
        located_values(self.members, name)
    }

    pub(super) fn located_texts(&self, name: &str) -> Vec<(&'a str, String)> {
        located_texts(self.members, name)
    }

    /// Where the node is in its JSON-LD block; none for other carriers. Its position has no names but
    /// those of `leads`, which need no escaping.
    pub(super) fn block_pointer(&self) -> Option<BlockPointer> {
        let place = self.at.strip_prefix("/json_ld/")?;
        let end = place.find('/').unwrap_or(place.len());
        let (block, pointer) = place.split_at_checked(end)?;
        Some(BlockPointer { block: block.parse().ok()?, pointer: pointer.to_owned() })
    }

    pub(super) fn name(&self) -> Option<&'a str> {
        self.texts("name").into_iter().map(str::trim).find(|name| !name.is_empty())
    }
}

/// The id of a node, or its position.
pub(super) fn subject(node: &Node<'_>) -> String {
    truncate_str(node.id.unwrap_or(&node.at), 300).to_owned()
}

pub(super) fn values<'a>(members: &'a Map<String, Value>, name: &str) -> Vec<&'a Value> {
    match member(members, name) {
        Some((_, Value::Array(list))) => list.iter().take(MAX_VALUES).collect(),
        Some((_, value)) => vec![value],
        None => Vec::new(),
    }
}

/// The member with this name, with or without a vocabulary prefix.
fn member<'a>(members: &'a Map<String, Value>, name: &str) -> Option<(&'a String, &'a Value)> {
    members.get_key_value(name).or_else(|| {
        members.iter().find(|(key, _)| plain_name(key) == name && key.len() > name.len())
    })
}

/// The pointer to a member, whatever its name is written as.
pub(super) fn pointer_of_key(members: &Map<String, Value>, name: &str) -> Option<String> {
    member(members, name).map(|(key, _)| format!("/{}", escape_pointer(key)))
}

/// One name of a JSON Pointer (RFC 6901, section 3).
fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The values of a property with the pointers to them.
pub(super) fn located_values<'a>(
    members: &'a Map<String, Value>,
    name: &str,
) -> Vec<(&'a Value, String)> {
    let Some((key, value)) = member(members, name) else { return Vec::new() };
    let at = format!("/{}", escape_pointer(key));
    match value {
        Value::Array(list) => list
            .iter()
            .take(MAX_VALUES)
            .enumerate()
            .map(|(n, value)| (value, format!("{at}/{n}")))
            .collect(),
        value => vec![(value, at)],
    }
}

/// The strings of a property with the pointers to them.
pub(super) fn located_texts<'a>(
    members: &'a Map<String, Value>,
    name: &str,
) -> Vec<(&'a str, String)> {
    located_values(members, name)
        .into_iter()
        .filter_map(|(value, at)| match text_member(value) {
            Some((name, text)) => Some((text, format!("{at}/{}", escape_pointer(name)))),
            None => value.as_str().map(|text| (text, at)),
        })
        .collect()
}

/// The string of a value: itself, or the `@value`, `url`, `name` or `@id` of an object.
pub(super) fn text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| text_member(value).map(|(_, text)| text))
}

/// The member of an object that is its string, and that string.
fn text_member(value: &Value) -> Option<(&'static str, &str)> {
    let members = value.as_object()?;
    ["@value", "url", "contentUrl", "name", "@id"]
        .into_iter()
        .find_map(|name| Some((name, members.get(name)?.as_str()?)))
}

/// A name without its vocabulary prefix: `https://schema.org/name`, `schema:name`.
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

/// The vocabulary of a block, by its `@context`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    SchemaOrg,
    /// Another vocabulary, whose terms have other meanings.
    Foreign,
    Missing,
}

/// Contexts are recognised, never fetched.
pub(super) fn vocabulary(block: &Value) -> Vocabulary {
    let first = match block {
        Value::Array(list) => list.iter().find(|item| item.get("@context").is_some()),
        other => Some(other),
    };
    match first.and_then(|value| value.get("@context")) {
        None => Vocabulary::Missing,
        Some(stated) if names_schema_org(stated, 0) => Vocabulary::SchemaOrg,
        Some(_) => Vocabulary::Foreign,
    }
}

fn names_schema_org(stated: &Value, depth: usize) -> bool {
    match stated {
        Value::String(address) => {
            let plain = super::normalize::host_of_url(address);
            plain == "schema.org"
        }
        Value::Array(list) => {
            depth < 4 && list.iter().take(20).any(|v| names_schema_org(v, depth + 1))
        }
        Value::Object(terms) => terms
            .values()
            .take(50)
            .filter_map(Value::as_str)
            .any(|v| super::normalize::host_of_url(v) == "schema.org"),
        _ => false,
    }
}

/// Properties of organisations that lead to branches.
const PARTS: &[&str] = &["department", "subOrganization", "location", "hasPOS", "branch"];

/// The properties of a node that lead to the owner of the site or to its branches, with the role of what
/// they lead to. A publisher counts only for pages and articles: books and films have publishers too.
fn leads(types: &[String], class: Option<EntityClass>) -> Vec<(&'static str, NodeRole)> {
    let mut leads = Vec::new();
    let is_page = types.iter().any(|name| classes::is_page_type(name));
    if is_page || types.iter().any(|name| classes::is_article_type(name)) {
        leads.push(("publisher", NodeRole::Publisher));
    }
    if is_page {
        // What an article is about, or whose photo it shows, is somebody else.
        leads.push(("copyrightHolder", NodeRole::Publisher));
        leads.extend(["mainEntity", "about"].map(|name| (name, NodeRole::TopLevel)));
    }
    if matches!(class, Some(EntityClass::Organization | EntityClass::LocalBusiness)) {
        leads.extend(PARTS.iter().map(|name| (*name, NodeRole::Branch)));
    }
    leads
}

/// Collects the nodes of a block.
pub(super) fn collect_nodes<'a>(block: &'a Value, at: &str, nodes: &mut Vec<Node<'a>>) {
    collect_into(block, at, NodeRole::TopLevel, 0, nodes);
}

fn collect_into<'a>(
    value: &'a Value,
    at: &str,
    place: NodeRole,
    depth: usize,
    nodes: &mut Vec<Node<'a>>,
) {
    if depth > MAX_DEPTH || nodes.len() >= MAX_NODES {
        return;
    }
    let members = match value {
        Value::Array(list) => {
            for (n, item) in list.iter().enumerate().take(MAX_NODES) {
                collect_into(item, &format!("{at}/{n}"), place, depth + 1, nodes);
            }
            return;
        }
        Value::Object(members) => members,
        _ => return,
    };
    if let Some(graph) = members.get("@graph") {
        collect_into(graph, &format!("{at}/@graph"), place, depth + 1, nodes);
    }
    let types = types(members);
    if types.is_empty() {
        return;
    }
    let class = class(&types, members);
    let leads = leads(&types, class);
    nodes.push(Node {
        members,
        id: ["@id", "id"].into_iter().find_map(|k| members.get(k).and_then(Value::as_str)),
        at: at.to_owned(),
        role: place,
        class,
        types,
    });
    for (name, inner_place) in leads {
        // What belongs to a branch is part of that branch.
        let inner_place = if place == NodeRole::Branch { place } else { inner_place };
        if let Some(inner) = members.get(name).filter(|v| v.is_object() || v.is_array()) {
            collect_into(inner, &format!("{at}/{name}"), inner_place, depth + 1, nodes);
        }
    }
}

fn types(members: &Map<String, Value>) -> Vec<String> {
    let stated = members.get("@type").or_else(|| members.get("type"));
    let list: Vec<&Value> = match stated {
        Some(Value::Array(list)) => list.iter().collect(),
        Some(value) => vec![value],
        None => Vec::new(),
    };
    list.into_iter()
        .filter_map(Value::as_str)
        .take(MAX_TYPES)
        .map(|name| truncate_str(plain_name(name.trim()), 100).to_owned())
        .collect()
}

fn class(types: &[String], members: &Map<String, Value>) -> Option<EntityClass> {
    let known = types.iter().filter_map(|name| classes::class_of_type(name)).max();
    if known.is_some() || types.iter().any(|name| classes::is_known_non_owner(name)) {
        return known;
    }
    // An unknown type with a name and an address is treated as an organisation.
    let organised = !values(members, "name").is_empty() && !values(members, "address").is_empty();
    organised.then_some(EntityClass::Organization)
}

/// Converts a microdata item to a JSON-LD node, so that both are read by the same code.
pub(super) fn from_item(items: &[MicrodataItem], number: usize, depth: usize) -> Option<Value> {
    let item = items.get(number).filter(|_| depth <= MAX_DEPTH)?;
    let mut members = Map::new();
    let types: Vec<Value> = item.types.iter().map(|t| Value::String(t.clone())).collect();
    members.insert("@type".to_owned(), Value::Array(types));
    if let Some(id) = &item.id {
        members.insert("@id".to_owned(), Value::String(id.clone()));
    }
    for (name, value) in &item.properties {
        let value = match value {
            MicrodataValue::Text(text) => Value::String(text.clone()),
            // An item comes after the item that contains it, so the recursion ends.
            MicrodataValue::Item(inner) if *inner > number => from_item(items, *inner, depth + 1)?,
            MicrodataValue::Item(_) => continue,
        };
        match members.entry(plain_name(name)).or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(list) => list.push(value),
            other => *other = value,
        }
    }
    Some(Value::Object(members))
}
