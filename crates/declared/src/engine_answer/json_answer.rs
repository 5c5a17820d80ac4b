//! Answers in JSON: the text itself, inside a fence, or with words around it.

use contract::json::{self, Bom, Limits, OnDuplicate};
use serde_json::{Map, Value};

use super::value::{MAX_ADDRESS, MAX_HOURS, MAX_PHONE, MAX_SOURCES, stated_value, stated_website};
use super::{AnswerForm, EngineStatement};

/// How many objects of a text are tried. Few answers have more than one.
const MAX_TRIES: usize = 8;
const MEMBERS: [&str; 5] = ["phone", "address", "website", "hours", "sources"];
const LIMITS: Limits = Limits {
    bytes: super::MAX_BYTES,
    depth: 16,
    values: 2_000,
    max_integer: None,
    bom: Bom::Reject,
};

/// The statement in the first object that has a member of ours; `None` if there is none. Members that we
/// do not know and values of another type are ignored.
pub(super) fn read_json(text: &str) -> Option<EngineStatement> {
    let mut from = 0;
    for _ in 0..MAX_TRIES {
        let start = from + text.get(from..)?.find('{')?;
        let rest = text.get(start..)?;
        if let Some(object) = balanced_object(rest).and_then(parse_object)
            && MEMBERS.iter().any(|name| object.contains_key(*name))
        {
            return Some(read_members(&object));
        }
        from = start + 1;
    }
    None
}

/// The text up to the brace that closes the first one. Braces in strings do not count.
fn balanced_object(text: &str) -> Option<&str> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(..=at);
                }
            }
            _ => {}
        }
    }
    None
}

fn parse_object(text: &str) -> Option<Map<String, Value>> {
    let on_duplicate = OnDuplicate::KeepLast { report_at_most: 0 };
    match json::parse(text.as_bytes(), &LIMITS, on_duplicate).ok()?.value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

fn read_members(object: &Map<String, Value>) -> EngineStatement {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let value = |name: &str, max_chars| text(name).and_then(|text| stated_value(text, max_chars));
    let sources = object.get("sources").and_then(Value::as_array);
    // As they are: the caller filters them. A list of nonsense is not read to its end.
    let sources = sources.into_iter().flatten().take(10 * MAX_SOURCES).filter_map(Value::as_str);
    EngineStatement {
        phone: value("phone", MAX_PHONE),
        address: value("address", MAX_ADDRESS),
        website: text("website").and_then(stated_website),
        hours: value("hours", MAX_HOURS),
        sources: sources.map(str::to_owned).collect(),
        form: AnswerForm::Json,
    }
}
