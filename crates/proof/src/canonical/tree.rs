//! A JSON document that was read from canonical bytes ([`super::reader::read_object`]) and borrows from
//! them: all values in one list, in the order of the text. Building it takes a fraction of the time of a
//! `serde_json::Value`, and its digest is taken over the bytes as they are.

use serde_json::{Map, Number, Value};

use super::unsigned_members::UNSIGNED_MEMBERS;
use crate::{Digest, Hasher};

#[derive(Debug)]
pub(crate) struct CanonicalTree<'a> {
    pub(super) text: &'a str,
    /// Each value before the values in it. The outermost object comes first.
    pub(super) nodes: Vec<Node>,
    /// The texts that contain escapes, without them.
    pub(super) unescaped: Vec<String>,
}

/// A value and, in an object, its name. All places are places in the text.
#[derive(Debug)]
pub(super) struct Node {
    /// Where the member begins, or the value if it is not a member.
    pub(super) from: u32,
    pub(super) name: Text,
    pub(super) value_from: u32,
    pub(super) to: u32,
    pub(super) kind: Kind,
    /// The index of the node after this one and all that are in it.
    pub(super) next: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number,
    Text(Text),
    Array,
    Object,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Text {
    /// What is between the quotes.
    Plain,
    /// An index into [`CanonicalTree::unescaped`].
    Unescaped(u32),
}

impl<'a> CanonicalTree<'a> {
    pub(crate) fn root(&self) -> Option<TreeValue<'_>> {
        self.value_at(0)
    }

    fn value_at(&self, index: usize) -> Option<TreeValue<'_>> {
        Some(TreeValue { tree: self, index, node: self.nodes.get(index)? })
    }

    pub(super) fn slice(&self, from: u32, to: u32) -> &'a str {
        self.text.get(from as usize..to as usize).unwrap_or_default()
    }

    /// The text whose quotes are at `from` and before `to`.
    fn text(&self, text: Text, from: u32, to: u32) -> &str {
        match text {
            Text::Plain => self.slice(from.saturating_add(1), to.saturating_sub(1)),
            Text::Unescaped(index) => self.unescaped.get(index as usize).map_or("", String::as_str),
        }
    }

    /// A colon is between name and value.
    pub(super) fn name(&self, node: &Node) -> &str {
        self.text(node.name, node.from, node.value_from.saturating_sub(1))
    }
}

/// One value of a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeValue<'a> {
    tree: &'a CanonicalTree<'a>,
    index: usize,
    node: &'a Node,
}

impl<'a> TreeValue<'a> {
    /// The bytes of this value.
    pub(crate) fn source(self) -> &'a str {
        self.tree.slice(self.node.value_from, self.node.to)
    }

    /// The place after this value.
    pub(crate) fn end(self) -> usize {
        self.node.to as usize
    }

    pub(crate) fn is_null(self) -> bool {
        matches!(self.node.kind, Kind::Null)
    }

    pub(crate) fn is_array(self) -> bool {
        matches!(self.node.kind, Kind::Array)
    }

    pub(crate) fn is_object(self) -> bool {
        matches!(self.node.kind, Kind::Object)
    }

    pub(crate) fn as_str(self) -> Option<&'a str> {
        let Kind::Text(text) = self.node.kind else { return None };
        Some(self.tree.text(text, self.node.value_from, self.node.to))
    }

    pub(crate) fn as_u64(self) -> Option<u64> {
        matches!(self.node.kind, Kind::Number).then(|| self.source().parse().ok()).flatten()
    }

    /// The values directly in this one, in the order of the text.
    pub(crate) fn children(self) -> impl Iterator<Item = TreeValue<'a>> {
        let (tree, end) = (self.tree, self.node.next as usize);
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            let child = tree.value_at(next).filter(|_| next < end)?;
            // Always further on, so that this ends.
            next = child.node.next as usize;
            Some(child)
        })
    }

    /// The name of this member.
    pub(crate) fn name(self) -> &'a str {
        self.tree.name(self.node)
    }

    /// The member of this name, if this is an object that has one.
    pub(crate) fn get(self, name: &str) -> Option<TreeValue<'a>> {
        if !self.is_object() {
            return None;
        }
        self.children().find(|member| member.name() == name)
    }

    /// The digest over every member but `sha256` and `signature`, as [`super::document_digest`] takes
    /// it. Each member is canonical as it is written, and they are sorted, so their bytes between braces
    /// and commas are the canonical form.
    pub(crate) fn document_digest(self) -> Digest {
        let mut hasher = Hasher::new();
        let mut before: &[u8] = b"{";
        for member in self.children().filter(|member| !UNSIGNED_MEMBERS.contains(&member.name())) {
            hasher.update(before);
            hasher.update(self.tree.slice(member.node.from, member.node.to).as_bytes());
            before = b",";
        }
        if before == b"{" {
            hasher.update(before);
        }
        hasher.update(b"}");
        hasher.finish()
    }

    pub(crate) fn to_value(self) -> Value {
        match self.node.kind {
            Kind::Null => Value::Null,
            Kind::Bool(bool) => Value::Bool(bool),
            Kind::Number => number(self.source()).map_or(Value::Null, Value::Number),
            Kind::Text(_) => Value::from(self.as_str().unwrap_or_default()),
            Kind::Array => self.children().map(Self::to_value).collect(),
            Kind::Object => {
                let members = self.children().map(|it| (it.name().to_owned(), it.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }
}

/// The number that this canonical text is.
fn number(text: &str) -> Option<Number> {
    if let Ok(whole) = text.parse::<u64>() {
        Some(Number::from(whole))
    } else if let Ok(whole) = text.parse::<i64>() {
        Some(Number::from(whole))
    } else {
        text.parse().ok().and_then(Number::from_f64)
    }
}
