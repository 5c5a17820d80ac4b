//! What calling a tool could do, judged by its name, text and hints.
//!
//! The strictest sign counts. `readOnlyHint` is only a promise: it loosens nothing, so a tool is never
//! `read_only_public` by what it says about itself.

use contract::records::SafetyClass;
use declared::capability::effect_words::{DESTRUCTIVE, MONEY, WRITE};
use serde_json::Value;

use super::surface::Item;

const ADMINISTRATIVE: &[&str] = &[
    "admin",
    "grant",
    "revoke",
    "permission",
    "permissions",
    "sudo",
    "impersonate",
    "role",
    "shell",
    "exec",
    "execute",
    "command",
];
const MONEY_MORE: &[&str] = &["order", "book", "reserve", "invoice", "subscribe", "trade"];
const DESTRUCTIVE_MORE: &[&str] = &["truncate", "overwrite", "kill", "reset"];
const WRITE_MORE: &[&str] = &[
    "set", "post", "put", "merge", "push", "commit", "upsert", "save", "append", "enable",
    "disable", "start", "stop",
];
const READING: &[&str] = &[
    "get", "list", "search", "find", "read", "show", "describe", "count", "view", "check",
    "lookup", "query",
];

/// The class of a tool.
#[must_use]
pub fn safety_class(tool: &Item) -> SafetyClass {
    let words: Vec<String> = split_words(&tool.name);
    let reads = words.first().is_some_and(|first| READING.contains(&first.as_str()));
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let hint = |name: &str| {
        tool.members.get("annotations").and_then(|hints| hints.get(name)).and_then(Value::as_bool)
    };
    if has(ADMINISTRATIVE) && !reads {
        SafetyClass::Administrative
    } else if (has(MONEY) || has(MONEY_MORE)) && !reads {
        SafetyClass::Transactional
    } else if ((has(DESTRUCTIVE) || has(DESTRUCTIVE_MORE)) && !reads)
        || hint("destructiveHint") == Some(true)
    {
        SafetyClass::WriteDestructive
    } else if ((has(WRITE) || has(WRITE_MORE)) && !reads) || hint("readOnlyHint") == Some(false) {
        SafetyClass::WriteReversible
    } else {
        SafetyClass::Unknown
    }
}

fn split_words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut lower_before = false;
    for c in name.chars().take(256) {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            spaced.push(' ');
        }
        if c.is_alphanumeric() {
            spaced.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::{ListKind, SurfaceBuilder};

    #[test]
    fn classes_by_name_and_hints() {
        for (tool, class) in [
            (json!({"name": "deleteFile"}), SafetyClass::WriteDestructive),
            (json!({"name": "list_deleted"}), SafetyClass::Unknown),
            (
                json!({"name": "send_mail", "annotations": {"readOnlyHint": true}}),
                SafetyClass::WriteReversible,
            ),
            (json!({"name": "pay-invoice"}), SafetyClass::Transactional),
            (json!({"name": "run_shell"}), SafetyClass::Administrative),
            (
                json!({"name": "x", "annotations": {"destructiveHint": true}}),
                SafetyClass::WriteDestructive,
            ),
            (json!({"name": "get_x", "annotations": {"readOnlyHint": true}}), SafetyClass::Unknown),
        ] {
            let mut builder = SurfaceBuilder::new();
            builder.add_page(ListKind::Tools, json!([tool]).to_string().as_bytes()).unwrap();
            assert_eq!(safety_class(&builder.finish().items[0]), class, "{tool}");
        }
    }
}
