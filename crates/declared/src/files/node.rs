//! JSON values together with their JSON pointer, so that every fault can say where it is.

use serde_json::Value;
use url::Url;

use super::json_text::{describe_value, pointer_token};
use super::report::Report;
use crate::fault::Weight;

/// A value and the JSON pointer to it.
#[derive(Clone)]
pub(super) struct JsonNode<'v> {
    pub(super) value: &'v Value,
    pub(super) at: String,
}

/// Whether a member is required.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirement {
    /// Required; without it the whole file is unusable.
    Vital,
    /// Required; without it this part is unusable.
    Must,
    /// Recommended.
    Should,
    /// Optional.
    May,
}

impl<'v> JsonNode<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Self { value, at: String::new() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some()
    }

    /// The pointer to a member, whether it exists or not.
    pub(super) fn pointer_to(&self, name: &str) -> String {
        format!("{}/{}", self.at, pointer_token(name))
    }

    pub(super) fn member(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name)?;
        Some(Self { value, at: self.pointer_to(name) })
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
            (name.as_str(), Self { value, at: format!("{at}/{}", pointer_token(name)) })
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
    /// A member that must be a string that is not empty.
    pub(super) fn text<'v>(
        &mut self,
        node: &JsonNode<'v>,
        name: &str,
        need: Requirement,
        fix: &str,
    ) -> Option<&'v str> {
        let found = self.required_member(node, name, need, fix)?;
        let Some(text) = found.value.as_str() else {
            self.wrong_type(&found, "a string", need, fix);
            return None;
        };
        if text.trim().is_empty() {
            self.add_missing(
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
        node: &JsonNode<'v>,
        name: &str,
        need: Requirement,
        fix: &str,
    ) -> Option<JsonNode<'v>> {
        let found = self.required_member(node, name, need, fix)?;
        if found.value.is_array() {
            return Some(found);
        }
        self.wrong_type(&found, "a list", need, fix);
        None
    }

    pub(super) fn object<'v>(
        &mut self,
        node: &JsonNode<'v>,
        name: &str,
        need: Requirement,
        fix: &str,
    ) -> Option<JsonNode<'v>> {
        let found = self.required_member(node, name, need, fix)?;
        if found.value.is_object() {
            return Some(found);
        }
        self.wrong_type(&found, "an object", need, fix);
        None
    }

    /// A list of strings; items that are not strings are reported and skipped.
    pub(super) fn texts<'v>(
        &mut self,
        node: &JsonNode<'v>,
        name: &str,
        need: Requirement,
        fix: &str,
    ) -> Option<Vec<&'v str>> {
        let list = self.list(node, name, need, fix)?;
        let mut out = Vec::new();
        for item in list.items() {
            match item.value.as_str() {
                Some(text) => out.push(text),
                None => self.wrong_type(&item, "a string", Requirement::Must, fix),
            }
        }
        if out.is_empty() && need != Requirement::May {
            // An empty list is less serious than a missing one: the type is right.
            let weight = if need == Requirement::Should { Weight::Note } else { Weight::Warning };
            self.add_fault(
                weight,
                "empty_value",
                list.at,
                format!("“{name}” is an empty list."),
                fix.to_owned(),
            );
        }
        Some(out)
    }

    /// An optional member that must be true or false.
    pub(super) fn boolean(&mut self, node: &JsonNode<'_>, name: &str) {
        if let Some(found) = node.member(name)
            && !found.value.is_boolean()
        {
            self.wrong_type(
                &found,
                "true or false",
                Requirement::Must,
                "Write true or false, without quotes.",
            );
        }
    }

    /// A member that must be a full URL.
    pub(super) fn url(
        &mut self,
        node: &JsonNode<'_>,
        name: &str,
        need: Requirement,
        fix: &str,
    ) -> Option<Url> {
        let text = self.text(node, name, need, fix)?;
        self.check_absolute_url(&node.pointer_to(name), text)
    }

    pub(super) fn wrong_type(
        &mut self,
        found: &JsonNode<'_>,
        wanted: &str,
        need: Requirement,
        fix: &str,
    ) {
        // An optional member of the wrong type is treated like a recommended one.
        let need = if need == Requirement::May { Requirement::Should } else { need };
        self.add_missing(
            "wrong_type",
            need,
            found.at.clone(),
            format!("The value is {}; {wanted} is required here.", describe_value(found.value)),
            fix.to_owned(),
        );
    }

    fn required_member<'v>(
        &mut self,
        node: &JsonNode<'v>,
        name: &str,
        need: Requirement,
        fix: &str,
    ) -> Option<JsonNode<'v>> {
        let found = node.member(name);
        if found.is_none() && need != Requirement::May {
            let problem = match need {
                Requirement::Should => format!("“{name}” is missing. The standard recommends it."),
                _ => format!("“{name}” is missing. The standard requires it."),
            };
            self.add_missing(
                "missing_member",
                need,
                node.pointer_to(name),
                problem,
                fix.to_owned(),
            );
        }
        found
    }

    fn add_missing(
        &mut self,
        code: &'static str,
        need: Requirement,
        at: String,
        problem: String,
        fix: String,
    ) {
        match need {
            Requirement::Vital => self.fatal(code, at, problem, fix),
            Requirement::Must => self.error(code, at, problem, fix),
            Requirement::Should | Requirement::May => self.warn(code, at, problem, fix),
        }
    }
}
