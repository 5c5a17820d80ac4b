//! JSON as a tree that remembers nothing twice and goes no deeper than it must.

use std::{cell::RefCell, collections::HashSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// No request of ours needs more levels.
pub(super) const MAX_DEPTH: usize = 64;

/// A JSON value; the members of an object in the order they came.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Members(Vec<(String, Node)>),
}

/// Why a text is not a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    Syntax {
        line: usize,
        column: usize,
    },
    TooDeep,
    /// An object names this member twice.
    Twice(String),
}

pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let fault = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let node = Seed { depth: 0, fault: &fault }
        .deserialize(&mut reader)
        .and_then(|node| reader.end().map(|()| node));
    node.map_err(|error| {
        fault.take().unwrap_or(Fault::Syntax { line: error.line(), column: error.column() })
    })
}

/// Reads one value. `fault` carries a reason past the reader's own error type.
#[derive(Clone, Copy)]
struct Seed<'a> {
    depth: usize,
    fault: &'a RefCell<Option<Fault>>,
}

impl Seed<'_> {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            Err(self.fail(Fault::TooDeep))
        } else {
            Ok(Self { depth: self.depth + 1, ..self })
        }
    }

    fn fail<E: Error>(self, fault: Fault) -> E {
        self.fault.replace(Some(fault));
        E::custom("refused")
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Node, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Unsigned(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Signed(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let inner = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let inner = self.deeper()?;
        let mut list = Vec::new();
        let mut seen = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if !seen.insert(name.clone()) {
                return Err(self.fail(Fault::Twice(name)));
            }
            list.push((name, members.next_value_seed(inner)?));
        }
        Ok(Node::Members(list))
    }
}
