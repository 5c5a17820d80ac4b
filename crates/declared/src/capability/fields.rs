//! Reads members of JSON objects leniently: missing members and members of another type are skipped.

use contract::text::display_safe;
use serde_json::Value;

use super::bounds::NAME_CHARS;
use super::effect_hints::CredentialRequirement;

/// How many scopes of one capability are kept.
const MAX_SCOPES: usize = 20;

pub(super) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str().filter(|text| !text.trim().is_empty())
}

pub(super) fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn texts<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v str> + use<'v> {
    items(value, name).filter_map(Value::as_str)
}

pub(super) fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

/// Security requirements of OpenAPI and A2A: a list of alternatives, each with the schemes it needs. An
/// empty list or an empty alternative means that no credentials are needed.
pub(super) fn parse_security(requirements: &Value) -> (CredentialRequirement, Vec<String>) {
    let Some(choices) = requirements.as_array() else {
        return (CredentialRequirement::Unstated, Vec::new());
    };
    let mut scopes = Vec::new();
    let mut free = choices.is_empty();
    for choice in choices {
        // Version 1.0 of A2A puts the names one level deeper, under schemes.
        let names = choice.get("schemes").filter(|inner| inner.is_object()).unwrap_or(choice);
        let Some(names) = names.as_object() else {
            return (CredentialRequirement::Unstated, Vec::new());
        };
        free |= names.is_empty();
        for scope in names.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str)
        {
            if scopes.len() < MAX_SCOPES {
                scopes.push(display_safe(scope, NAME_CHARS));
            }
        }
    }
    (if free { CredentialRequirement::NotNeeded } else { CredentialRequirement::Needed }, scopes)
}
