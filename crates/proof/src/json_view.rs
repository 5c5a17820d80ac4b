//! One way to look at a JSON document, whichever way it was read: as canonical bytes that are borrowed
//! from, or as a `serde_json::Value`. The checks of a verification are written once, for both.

use serde_json::{Map, Value};

use crate::canonical::{self, CanonicalTree, TreeValue};
use crate::{Digest, ProofError};

/// A document as it was read.
#[derive(Debug)]
pub(crate) enum ParsedDocument<'a> {
    /// It was in canonical form.
    Tree(CanonicalTree<'a>),
    Value(Value),
}

impl<'a> ParsedDocument<'a> {
    /// Parses strictly, as [`canonical::parse_strict`] does.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, ProofError> {
        match canonical::read_object(bytes) {
            Some(tree) => Ok(Self::Tree(tree)),
            None => canonical::parse_strict(bytes).map(Self::Value),
        }
    }

    /// `None` if it is not an object.
    pub(crate) fn members(&self) -> Option<Members<'_>> {
        match self {
            Self::Tree(tree) => tree.root().filter(|root| root.is_object()).map(Members::Tree),
            Self::Value(value) => value.as_object().map(Members::Map),
        }
    }
}

/// The members of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Members<'a> {
    /// An object.
    Tree(TreeValue<'a>),
    Map(&'a Map<String, Value>),
}

impl<'a> Members<'a> {
    pub(crate) fn get(self, name: &str) -> Option<View<'a>> {
        match self {
            Self::Tree(object) => object.get(name).map(View::Tree),
            Self::Map(map) => map.get(name).map(View::Value),
        }
    }

    /// The member of this name, if it is text.
    pub(crate) fn text(self, name: &str) -> Option<&'a str> {
        self.get(name).and_then(View::as_str)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = (&'a str, View<'a>)> {
        let (object, map) = match self {
            Self::Tree(object) => (Some(object), None),
            Self::Map(map) => (None, Some(map)),
        };
        let members = object.into_iter().flat_map(TreeValue::children);
        let owned = map.into_iter().flatten();
        members
            .map(|value| (value.name(), View::Tree(value)))
            .chain(owned.map(|(name, value)| (name.as_str(), View::Value(value))))
    }

    /// The digest over every member but `sha256` and `signature`.
    pub(crate) fn document_digest(self) -> Result<Digest, ProofError> {
        match self {
            Self::Tree(object) => Ok(object.document_digest()),
            Self::Map(map) => canonical::document_digest(map),
        }
    }

    /// The bytes that all of this was read from, if they were canonical.
    pub(crate) fn source(self) -> Option<&'a str> {
        match self {
            Self::Tree(object) => Some(object.source()),
            Self::Map(_) => None,
        }
    }
}

/// A value in a document.
#[derive(Debug, Clone, Copy)]
pub(crate) enum View<'a> {
    Tree(TreeValue<'a>),
    Value(&'a Value),
}

impl<'a> View<'a> {
    pub(crate) fn as_str(self) -> Option<&'a str> {
        match self {
            Self::Tree(value) => value.as_str(),
            Self::Value(value) => value.as_str(),
        }
    }

    pub(crate) fn as_u64(self) -> Option<u64> {
        match self {
            Self::Tree(value) => value.as_u64(),
            Self::Value(value) => value.as_u64(),
        }
    }

    pub(crate) fn is_null(self) -> bool {
        match self {
            Self::Tree(value) => value.is_null(),
            Self::Value(value) => value.is_null(),
        }
    }

    pub(crate) fn as_object(self) -> Option<Members<'a>> {
        match self {
            Self::Tree(value) => value.is_object().then_some(Members::Tree(value)),
            Self::Value(value) => value.as_object().map(Members::Map),
        }
    }

    /// The items, if it is an array.
    pub(crate) fn items(self) -> Option<impl Iterator<Item = View<'a>>> {
        let (array, list) = match self {
            Self::Tree(value) if value.is_array() => (Some(value), None),
            Self::Value(Value::Array(items)) => (None, Some(items)),
            _ => return None,
        };
        let items = array.into_iter().flat_map(TreeValue::children);
        Some(items.map(View::Tree).chain(list.into_iter().flatten().map(View::Value)))
    }

    /// The member of this name, if it is an object that has one.
    pub(crate) fn get(self, name: &str) -> Option<View<'a>> {
        self.as_object()?.get(name)
    }

    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Tree(value) => value.to_value(),
            Self::Value(value) => value.clone(),
        }
    }
}
