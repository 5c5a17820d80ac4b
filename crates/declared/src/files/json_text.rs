//! JSON names and values as words for use in a fault.

use contract::text::display_safe;
use serde_json::Value;

use super::report::quoted;

/// A short description of an unexpected value.
pub(super) fn describe_value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Number(number) => display_safe(&number.to_string(), 40),
        Value::Bool(truth) => truth.to_string(),
        other => type_name(other).to_owned(),
    }
}

/// A name as one token of a JSON pointer, safe to display.
pub(super) fn pointer_token(name: &str) -> String {
    display_safe(name, 60).replace('~', "~0").replace('/', "~1")
}

pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
