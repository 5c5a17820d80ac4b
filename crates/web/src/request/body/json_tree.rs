//! JSON as a tree, with bounded depth and size, and without duplicate members.

use std::collections::HashSet;

use contract::json::{self, Bom, Builder, DuplicateMember, ErrorKind, Limits};
use serde_json::Number;

/// The maximum nesting depth. No request needs more.
pub(super) const MAX_DEPTH: usize = 64;
/// The maximum number of values. A body of a mebibyte could hold half a million of the shortest, which
/// would take a hundred times the memory of the text.
pub(super) const MAX_VALUES: usize = 50_000;

/// A JSON value; the members of an object in the order they came.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JsonNode {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<JsonNode>),
    Members(Vec<(String, JsonNode)>),
}

/// Why a text could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JsonParseError {
    Syntax {
        line: usize,
        column: usize,
    },
    TooDeep,
    TooManyValues,
    /// An object has this member twice.
    DuplicateMember(String),
}

pub(super) fn parse(text: &str) -> Result<JsonNode, JsonParseError> {
    const LIMITS: Limits = Limits {
        bytes: contract::limits::BODY_BYTES,
        depth: MAX_DEPTH,
        values: MAX_VALUES,
        max_integer: None,
        bom: Bom::Reject,
    };
    let mut builder = JsonNodeBuilder::default();
    json::build(text.as_bytes(), &LIMITS, &mut builder).map_err(|error| match error.kind {
        ErrorKind::TooDeep => JsonParseError::TooDeep,
        ErrorKind::TooManyValues => JsonParseError::TooManyValues,
        ErrorKind::DuplicateMember => {
            JsonParseError::DuplicateMember(builder.duplicate.take().unwrap_or_default())
        }
        _ => JsonParseError::Syntax { line: error.line, column: error.column },
    })
}

#[derive(Default)]
struct JsonNodeBuilder {
    /// The member with which parsing ended.
    duplicate: Option<String>,
}

#[derive(Default)]
struct IncompleteMembers {
    list: Vec<(String, JsonNode)>,
    /// The names, once there are too many to compare each one with all of them.
    names: HashSet<String>,
}

/// Up to so many members, comparing a name with each costs less than hashing it.
const COMPARED_MEMBERS: usize = 16;

impl IncompleteMembers {
    fn has(&self, name: &str) -> bool {
        if self.list.len() <= COMPARED_MEMBERS {
            self.list.iter().any(|(known, _)| known == name)
        } else {
            self.names.contains(name)
        }
    }

    fn add(&mut self, name: String, value: JsonNode) {
        self.list.push((name, value));
        if self.list.len() == COMPARED_MEMBERS + 1 {
            self.names.extend(self.list.iter().map(|(name, _)| name.clone()));
        } else if self.list.len() > COMPARED_MEMBERS
            && let Some((name, _)) = self.list.last()
        {
            self.names.insert(name.clone());
        }
    }
}

impl Builder for JsonNodeBuilder {
    type Value = JsonNode;
    type Members = IncompleteMembers;

    fn null(&mut self) -> JsonNode {
        JsonNode::Null
    }

    fn boolean(&mut self, value: bool) -> JsonNode {
        JsonNode::Bool(value)
    }

    fn number(&mut self, value: Number) -> JsonNode {
        if let Some(value) = value.as_u64() {
            JsonNode::Unsigned(value)
        } else if let Some(value) = value.as_i64() {
            JsonNode::Signed(value)
        } else {
            JsonNode::Float(value.as_f64().unwrap_or_default())
        }
    }

    fn text(&mut self, value: String) -> JsonNode {
        JsonNode::Text(value)
    }

    fn array(&mut self, items: Vec<JsonNode>) -> JsonNode {
        JsonNode::List(items)
    }

    fn object(&mut self, members: IncompleteMembers) -> JsonNode {
        JsonNode::Members(members.list)
    }

    fn check_name(
        &mut self,
        members: &IncompleteMembers,
        name: &str,
    ) -> Result<(), DuplicateMember> {
        if !members.has(name) {
            return Ok(());
        }
        self.duplicate = Some(name.to_owned());
        Err(DuplicateMember)
    }

    fn add_member(
        &mut self,
        members: &mut IncompleteMembers,
        name: String,
        value: JsonNode,
    ) -> Result<(), DuplicateMember> {
        members.add(name, value);
        Ok(())
    }
}
