//! Rules about names, inputs, annotations and faults of an item.

use serde_json::Value;

use super::item_match::{ItemMatch, at, words_of};
use super::mcp_headers::find_bad_headers;
use super::promises::find_broken_promise;
use crate::mcp::surface::{FaultKind, Item, ListKind};

/// Names of inputs that take what the model knows.
const SINKS: &[&str] = &[
    "sidenote",
    "side_note",
    "scratchpad",
    "conversation_history",
    "chat_history",
    "conversation",
    "system_prompt",
    "model_reasoning",
    "chain_of_thought",
    "full_context",
    "all_context",
    "message_history",
    "previous_messages",
    "user_context",
    "hidden_context",
    "llm_context",
    "agent_memory",
    "internal_thoughts",
    "your_reasoning",
    "session_transcript",
    "full_conversation",
];
/// Words in the name or text of a tool that explain such an input.
const SINK_REASONS: &[&str] = &[
    "chat",
    "conversation",
    "assistant",
    "agent",
    "model",
    "prompt",
    "message",
    "summar",
    "llm",
    "transcript",
    "memory",
    "think",
    "reason",
];
const CHANGING: &[&str] = &[
    "delete",
    "remove",
    "drop",
    "wipe",
    "erase",
    "destroy",
    "purge",
    "write",
    "overwrite",
    "execute",
    "exec",
    "shell",
    "kill",
    "truncate",
    "format",
    "uninstall",
    "install",
    "send",
    "transfer",
    "pay",
];
const CHANGING_TEXT: &[&str] = &[
    "deletes ",
    "removes ",
    "erases ",
    "wipes ",
    "drops ",
    "overwrites ",
    "executes a shell",
    "runs a shell",
    "executes shell",
    "runs shell",
    "executes arbitrary",
    "runs arbitrary",
    "executes a command",
    "runs a command",
    "sends an email",
    "transfers ",
    "prints all environment",
    "returns all environment",
    "environment variables",
];
const DESTROYING: &[&str] =
    &["delete", "remove", "drop", "wipe", "erase", "destroy", "purge", "truncate"];
/// Words before which a changing word says what is listed, not what is done.
const READING: &[&str] = &[
    "list", "get", "find", "search", "show", "read", "count", "view", "describe", "check",
    "preview",
];

pub(super) fn find_in_structure(item: &Item) -> Vec<ItemMatch> {
    let mut found = faults(item);
    let name_pointer = format!("/{}", item.list.name_member());
    if mixes_scripts(&item.name) {
        found.push(at("homoglyph_name", "name", &name_pointer, &item.name));
    }
    if item.list == ListKind::Tools {
        sinks(item, &mut found);
        annotations(item, &mut found);
        found.extend(find_bad_headers(item));
        found.extend(find_broken_promise(item));
    }
    for (index, icon) in item
        .members
        .get("icons")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
        .take(1)
    {
        let address = icon.get("src").and_then(Value::as_str).unwrap_or_default();
        if address.starts_with("http") {
            found.push(at("remote_icon", "icons", &format!("/icons/{index}/src"), address));
        }
    }
    found
}

fn faults(item: &Item) -> Vec<ItemMatch> {
    item.faults
        .iter()
        .map(|fault| {
            let rule = match fault.kind {
                FaultKind::DuplicateName => "duplicate_tool_name",
                FaultKind::DuplicateKey => "duplicate_json_key",
                FaultKind::UnsafeInteger => "unsafe_integer",
                FaultKind::NotAnObject
                | FaultKind::NoName
                | FaultKind::ControlInName
                | FaultKind::TooDeep => "malformed_item",
            };
            at(rule, "item", &fault.pointer, "")
        })
        .collect()
}

/// Latin letters beside Cyrillic or Greek ones in one word.
fn mixes_scripts(name: &str) -> bool {
    name.split(|c: char| !c.is_alphabetic()).any(|word| {
        let latin = word.chars().any(|c| c.is_ascii_alphabetic());
        let other =
            word.chars().any(|c| matches!(c, '\u{370}'..='\u{52F}' | '\u{13A0}'..='\u{13FF}'));
        latin && other
    })
}

fn sinks(item: &Item, found: &mut Vec<ItemMatch>) {
    let about = format!("{} {}", item.name, item.text_member("description").unwrap_or_default())
        .to_lowercase();
    let properties = item
        .members
        .get("inputSchema")
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object);
    for (name, input) in properties.into_iter().flatten().take(512) {
        let plain = words_of(name).join("_");
        let is_text = input.get("type").is_none_or(|kind| kind == "string");
        if !SINKS.contains(&plain.as_str()) || !is_text {
            continue;
        }
        let own_sink = matches!(
            plain.as_str(),
            "sidenote"
                | "side_note"
                | "scratchpad"
                | "chain_of_thought"
                | "model_reasoning"
                | "hidden_context"
        );
        let explained = input.get("description").is_some();
        if !own_sink && (explained || SINK_REASONS.iter().any(|reason| about.contains(reason))) {
            continue;
        }
        let escaped = name.replace('~', "~0").replace('/', "~1");
        found.push(at(
            "sink_parameter",
            "input_schema",
            &format!("/inputSchema/properties/{escaped}"),
            name,
        ));
    }
}

fn annotations(item: &Item, found: &mut Vec<ItemMatch>) {
    let hint = |name: &str| {
        item.members.get("annotations").and_then(|a| a.get(name)).and_then(Value::as_bool)
    };
    let words = words_of(&item.name);
    let reads = words.first().is_some_and(|first| READING.contains(&first.as_str()));
    let named =
        |list: &[&str]| !reads && words.iter().take(2).any(|word| list.contains(&word.as_str()));
    let about = item.text_member("description").unwrap_or_default().to_lowercase();
    let says = CHANGING_TEXT.iter().any(|text| {
        about.starts_with(text) || about.contains(text) && text.contains("environment")
    });
    // A query that only reads is executed too.
    let only_reads =
        about.contains("select") || about.contains("read-only") || about.contains("query");
    let read_only =
        hint("readOnlyHint") == Some(true) && (named(CHANGING) && !only_reads || says && !reads);
    let harmless = hint("destructiveHint") == Some(false)
        && hint("readOnlyHint") != Some(false)
        && named(DESTROYING)
        || hint("destructiveHint") == Some(false) && named(&["wipe", "erase", "destroy", "purge"]);
    if read_only || harmless {
        found.push(at("annotation_contradiction", "annotations", "/annotations", &item.name));
    }
}
