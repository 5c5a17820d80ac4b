//! Parses pages of lists.

use contract::json::{self, Bom, ErrorKind, Limits, OnDuplicate};
use serde_json::{Map, Value};

use super::item::{FaultKind, Item, ItemFault, ListKind};
use super::numbers::round_numbers;

/// A whole scan has at most 8 MiB.
const LIMITS: Limits =
    Limits { bytes: 8 << 20, depth: 250, values: 1_000_000, max_integer: None, bom: Bom::Skip };
const MAX_DUPLICATES: usize = 256;

/// Why a page could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFault {
    TooLarge,
    TooDeep,
    TooManyValues,
    NotJson,
    /// The JSON-RPC response is an error.
    ErrorResponse,
    NoList,
}

impl PageFault {
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::TooLarge => "A page is longer than 8 MiB.",
            Self::TooDeep => "A page is nested too deeply.",
            Self::TooManyValues => "A page has too many values.",
            Self::NotJson => "A page is not valid JSON.",
            Self::ErrorResponse => "The server answered with an error instead of a page.",
            Self::NoList => "A page does not have the list that was asked for.",
        }
    }
}

/// An item before its position is known.
pub(super) struct RawItem {
    value: Value,
    faults: Vec<ItemFault>,
}

pub(super) struct Observed {
    pub(super) lists: Vec<(ListKind, Vec<RawItem>)>,
    pub(super) instructions: Option<String>,
}

fn parse(bytes: &[u8]) -> Result<json::Parsed, PageFault> {
    json::parse(bytes, &LIMITS, OnDuplicate::KeepLast { report_at_most: MAX_DUPLICATES }).map_err(
        |error| match error.kind {
            ErrorKind::TooLarge => PageFault::TooLarge,
            ErrorKind::TooDeep => PageFault::TooDeep,
            ErrorKind::TooManyValues => PageFault::TooManyValues,
            _ => PageFault::NotJson,
        },
    )
}

pub(super) fn parse_page(list: ListKind, bytes: &[u8]) -> Result<Vec<RawItem>, PageFault> {
    let json::Parsed { value, duplicates, .. } = parse(bytes)?;
    let duplicates: Vec<String> =
        duplicates.iter().map(|pointer| pointer.as_str().to_owned()).collect();
    let (value, base) = match value {
        Value::Object(mut members) if members.contains_key("result") => {
            (members.remove("result").unwrap_or_default(), "/result".to_owned())
        }
        Value::Object(members) if members.contains_key("error") => {
            return Err(PageFault::ErrorResponse);
        }
        other => (other, String::new()),
    };
    match value {
        Value::Object(mut members) => {
            let base = format!("{base}/{}", list.member());
            match members.remove(list.member()) {
                Some(Value::Array(items)) => Ok(raw_items(items, &base, &duplicates)),
                _ => Err(PageFault::NoList),
            }
        }
        Value::Array(items) => Ok(raw_items(items, &base, &duplicates)),
        _ => Err(PageFault::NoList),
    }
}

pub(super) fn parse_observed(bytes: &[u8]) -> Result<Observed, PageFault> {
    let json::Parsed { value, duplicates, .. } = parse(bytes)?;
    let duplicates: Vec<String> =
        duplicates.iter().map(|pointer| pointer.as_str().to_owned()).collect();
    let Value::Object(mut members) = value else { return Err(PageFault::NoList) };
    let mut lists = Vec::new();
    for list in ListKind::ALL {
        let name = match members.contains_key(list.member()) {
            true => list.member(),
            false if list == ListKind::ResourceTemplates => "resource_templates",
            false => continue,
        };
        match members.remove(name) {
            Some(Value::Array(items)) => {
                lists.push((list, raw_items(items, &format!("/{name}"), &duplicates)));
            }
            None => {}
            Some(_) => return Err(PageFault::NoList),
        }
    }
    let instructions = match members.remove("instructions") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    if lists.is_empty() && instructions.is_none() {
        return Err(PageFault::NoList);
    }
    Ok(Observed { lists, instructions })
}

fn raw_items(items: Vec<Value>, base: &str, duplicates: &[String]) -> Vec<RawItem> {
    let mut raw: Vec<RawItem> =
        items.into_iter().map(|value| RawItem { value, faults: Vec::new() }).collect();
    for pointer in duplicates {
        let Some(rest) = pointer.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        let (index, inner) = rest.split_once('/').unwrap_or((rest, ""));
        if let Ok(index) = index.parse::<usize>()
            && let Some(item) = raw.get_mut(index)
        {
            let pointer = format!("/{inner}");
            item.faults.push(ItemFault { kind: FaultKind::DuplicateKey, pointer });
        }
    }
    raw
}

impl RawItem {
    pub(super) fn into_item(mut self, list: ListKind, index: usize) -> Item {
        round_numbers(&mut self.value, &mut self.faults);
        let mut fault = |kind, pointer: &str| {
            self.faults.push(ItemFault { kind, pointer: pointer.to_owned() });
        };
        let members = match self.value {
            Value::Object(members) => members,
            _ => {
                fault(FaultKind::NotAnObject, "");
                Map::new()
            }
        };
        let pointer = format!("/{}", list.name_member());
        let name = members.get(list.name_member()).and_then(Value::as_str).unwrap_or_default();
        if name.is_empty() {
            fault(FaultKind::NoName, &pointer);
        }
        if name.chars().any(char::is_control) {
            fault(FaultKind::ControlInName, &pointer);
        }
        let name = name.to_owned();
        Item { list, index, name, members, faults: self.faults, digests: None }
    }
}
