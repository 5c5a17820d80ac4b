//! The texts of an item that a model reads, with their places.

use serde_json::Value;

use super::item::{Item, ListKind};

/// A text and its place in an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ItemText<'a> {
    /// The member of the item in the words of records.
    pub(crate) field: &'static str,
    pub(crate) pointer: String,
    pub(crate) text: &'a str,
    /// Whether a person is meant to read it: descriptions and titles, not values and names.
    pub(crate) is_prose: bool,
    /// Whether it describes one input of a tool.
    pub(crate) is_input: bool,
}

impl Item {
    /// All texts of the item, in the order of its members.
    pub(crate) fn texts(&self) -> Vec<ItemText<'_>> {
        let mut found = Vec::new();
        for (name, value) in &self.members {
            let field = field_word(self.list, name);
            let mut pointer = String::from("/");
            pointer.push_str(&escape(name));
            collect(value, field, &mut pointer, Position::member(name), &mut found);
        }
        found
    }
}

/// What kind of value is being read.
#[derive(Clone, Copy)]
struct Position {
    is_prose: bool,
    is_input: bool,
    /// Members are names of inputs.
    names: bool,
}

impl Position {
    fn member(name: &str) -> Self {
        let is_prose = matches!(name, "title" | "description");
        Self { is_prose, is_input: false, names: name == "properties" }
    }
}

fn field_word(list: ListKind, member: &str) -> &'static str {
    match member {
        "name" => "name",
        "title" => "title",
        "description" => "description",
        "uri" => "uri",
        "uriTemplate" => "uri_template",
        "inputSchema" => "input_schema",
        "outputSchema" => "output_schema",
        "annotations" => "annotations",
        "arguments" if list == ListKind::Prompts => "arguments",
        "icons" => "icons",
        _ => "other",
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn collect<'a>(
    value: &'a Value,
    field: &'static str,
    pointer: &mut String,
    position: Position,
    found: &mut Vec<ItemText<'a>>,
) {
    let length = pointer.len();
    match value {
        Value::String(text) => found.push(ItemText {
            field,
            pointer: pointer.clone(),
            text,
            is_prose: position.is_prose,
            is_input: position.is_input,
        }),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                let inner = Position { names: false, ..position };
                collect(item, field, pointer, inner, found);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                pointer.push('/');
                pointer.push_str(&escape(name));
                if position.names {
                    found.push(ItemText {
                        field,
                        pointer: pointer.clone(),
                        text: name,
                        is_prose: false,
                        is_input: false,
                    });
                }
                let keyword = !position.names;
                let inner = Position {
                    is_prose: keyword && matches!(name.as_str(), "description" | "title"),
                    is_input: position.is_input || position.names || field == "arguments",
                    names: keyword && name == "properties",
                };
                collect(member, field, pointer, inner, found);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
