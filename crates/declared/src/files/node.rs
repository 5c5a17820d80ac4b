//! Walking through JSON with the way kept, so that every fault can say where.

use serde_json::Value;
use url::Url;

use super::json::glimpse;
use super::report::Report;
use crate::fault::Weight;
use crate::shown::shown;

/// A value and the JSON pointer to it.
#[derive(Clone)]
pub(super) struct Node<'v> {
    pub(super) value: &'v Value,
    pub(super) at: String,
}

/// How badly a member is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Without it the whole file cannot be used.
    Vital,
    /// Required; without it this part cannot be used.
    Must,
    /// Advised.
    Should,
    /// Free to be left out.
    May,
}

impl<'v> Node<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Self { value, at: String::new() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some()
    }

    /// The pointer to a member, whether it is there or not.
    pub(super) fn path(&self, name: &str) -> String {
        format!("{}/{}", self.at, escaped(name))
    }

    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name)?;
        Some(Self { value, at: self.path(name) })
    }

    pub(super) fn text(&self, name: &str) -> Option<&'v str> {
        self.value.get(name)?.as_str()
    }

    pub(super) fn items(&self) -> impl Iterator<Item = Self> + use<'v> {
        let at = self.at.clone();
        self.value
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
            .map(move |(index, value)| Self { value, at: format!("{at}/{index}") })
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&'v str, Self)> + use<'v> {
        let at = self.at.clone();
        self.value.as_object().into_iter().flatten().map(move |(name, value)| {
            (name.as_str(), Self { value, at: format!("{at}/{}", escaped(name)) })
        })
    }

    /// How many items or members it has.
    pub(super) fn len(&self) -> usize {
        match self.value {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        }
    }
}

impl Report<'_> {
    /// A member that must be a text with something in it.
    pub(super) fn text<'v>(
        &mut self,
        node: &Node<'v>,
        name: &str,
        need: Need,
        fix: &str,
    ) -> Option<&'v str> {
        let found = self.wanted(node, name, need, fix)?;
        let Some(text) = found.value.as_str() else {
            self.wrong_type(&found, "a text", need, fix);
            return None;
        };
        if text.trim().is_empty() {
            self.lacking(
                "empty_value",
                need,
                found.at,
                format!("“{name}” is empty."),
                fix.to_owned(),
            );
            return None;
        }
        Some(text)
    }

    pub(super) fn list<'v>(
        &mut self,
        node: &Node<'v>,
        name: &str,
        need: Need,
        fix: &str,
    ) -> Option<Node<'v>> {
        let found = self.wanted(node, name, need, fix)?;
        if found.value.is_array() {
            return Some(found);
        }
        self.wrong_type(&found, "a list", need, fix);
        None
    }

    pub(super) fn object<'v>(
        &mut self,
        node: &Node<'v>,
        name: &str,
        need: Need,
        fix: &str,
    ) -> Option<Node<'v>> {
        let found = self.wanted(node, name, need, fix)?;
        if found.value.is_object() {
            return Some(found);
        }
        self.wrong_type(&found, "an object", need, fix);
        None
    }

    /// A list of texts; what is not a text is told and left out.
    pub(super) fn texts<'v>(
        &mut self,
        node: &Node<'v>,
        name: &str,
        need: Need,
        fix: &str,
    ) -> Option<Vec<&'v str>> {
        let list = self.list(node, name, need, fix)?;
        let mut out = Vec::new();
        for item in list.items() {
            match item.value.as_str() {
                Some(text) => out.push(text),
                None => self.wrong_type(&item, "a text", Need::Must, fix),
            }
        }
        if out.is_empty() && need != Need::May {
            // An empty list is a lesser fault than none: the shape is right.
            let weight = if need == Need::Should { Weight::Note } else { Weight::Warning };
            self.fault(
                weight,
                "empty_value",
                list.at,
                format!("“{name}” is an empty list."),
                fix.to_owned(),
            );
        }
        Some(out)
    }

    /// A member that may be there and must then be true or false.
    pub(super) fn truth(&mut self, node: &Node<'_>, name: &str) {
        if let Some(found) = node.member(name)
            && !found.value.is_boolean()
        {
            self.wrong_type(
                &found,
                "true or false",
                Need::Must,
                "Write true or false, without quotes.",
            );
        }
    }

    /// A member that must be a full web address.
    pub(super) fn url(
        &mut self,
        node: &Node<'_>,
        name: &str,
        need: Need,
        fix: &str,
    ) -> Option<Url> {
        let text = self.text(node, name, need, fix)?;
        self.absolute(&node.path(name), text)
    }

    pub(super) fn wrong_type(&mut self, found: &Node<'_>, wanted: &str, need: Need, fix: &str) {
        // What may be left out does no good when it is there and wrong.
        let need = if need == Need::May { Need::Should } else { need };
        self.lacking(
            "wrong_type",
            need,
            found.at.clone(),
            format!("Here stands {} where {wanted} is expected.", glimpse(found.value)),
            fix.to_owned(),
        );
    }

    fn wanted<'v>(
        &mut self,
        node: &Node<'v>,
        name: &str,
        need: Need,
        fix: &str,
    ) -> Option<Node<'v>> {
        let found = node.member(name);
        if found.is_none() && need != Need::May {
            let problem = match need {
                Need::Should => format!("“{name}” is missing, which is advised."),
                _ => format!("“{name}” is missing, which is required."),
            };
            self.lacking("missing_member", need, node.path(name), problem, fix.to_owned());
        }
        found
    }

    fn lacking(
        &mut self,
        code: &'static str,
        need: Need,
        at: String,
        problem: String,
        fix: String,
    ) {
        match need {
            Need::Vital => self.spoil(code, at, problem, fix),
            Need::Must => self.error(code, at, problem, fix),
            Need::Should | Need::May => self.warn(code, at, problem, fix),
        }
    }
}

/// A name as a part of a JSON pointer, fit to be shown.
pub(super) fn escaped(name: &str) -> String {
    shown(name, 60).replace('~', "~0").replace('/', "~1")
}

pub(super) fn word_for(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
