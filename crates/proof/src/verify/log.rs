//! The checks of the log: of a head, and of an answer's place under one.

use contract::Brand;
use serde_json::{Map, Value};

use super::{Checks, KeyPolicy, seal};
use crate::content::decision_leaf;
use crate::digest::Digest;
use crate::head::ChainHead;
use crate::tree::verify_inclusion;

/// The longest an answer may be promised to the log and not be in it.
const MERGE_MINUTES: u64 = 30;

pub(super) fn check(
    members: &Map<String, Value>,
    policy: &KeyPolicy,
    brand: &Brand,
    checks: &mut Checks,
) {
    let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default();
    if kind == brand.kind("log-sth") {
        check_head(&Value::Object(members.clone()), brand, checks);
        return;
    }
    let is_answer = kind == brand.kind("resolve");
    match members.get("transparency") {
        Some(Value::Object(place)) if is_answer => {
            check_answer(members, place, policy, brand, checks)
        }
        Some(_) if is_answer => checks.failed("log", "transparency is not an object"),
        None if is_answer => checks.not_checked("log", "this answer names no place in the log"),
        Some(_) => {
            checks.not_checked("log", "how a document of this kind is logged is not known here")
        }
        None => {}
    }
}

fn check_answer(
    answer: &Map<String, Value>,
    place: &Map<String, Value>,
    policy: &KeyPolicy,
    brand: &Brand,
    checks: &mut Checks,
) {
    let leaf = decision_leaf(answer, brand);
    if place.get("state").and_then(Value::as_str) != Some("included") {
        let minutes = place.get("merged_within_minutes").and_then(Value::as_u64);
        match minutes {
            Some(1..=MERGE_MINUTES) => {
                checks.not_checked("log", "promised to the log, not in it yet")
            }
            _ => checks.failed(
                "log",
                format!("neither in the log nor promised within {MERGE_MINUTES} minutes"),
            ),
        }
        return;
    }
    let stated = place.get("leaf_hash").and_then(Value::as_str).and_then(|hex| hex.parse().ok());
    checks.note(
        "leaf",
        match &leaf {
            Ok(leaf) if stated == Some(*leaf) => Ok(format!("leaf {leaf}")),
            Ok(leaf) => Err(format!("leaf_hash is not that of this decision, {leaf}")),
            Err(error) => Err(error.to_string()),
        },
    );
    let Some(sth) = place.get("sth").and_then(Value::as_object) else {
        checks.failed("head", "there is no sth");
        return;
    };
    checks.of = "head: ";
    if sth.get("kind").and_then(Value::as_str) != Some(&brand.kind("log-sth")) {
        checks.failed("kind of head", "sth is not a tree head");
    }
    seal::check(sth, policy, brand, checks);
    let head = check_head(&Value::Object(sth.clone()), brand, checks);
    checks.of = "";
    if let (Some(head), Ok(leaf)) = (head, leaf) {
        check_place(place, &head, &leaf, checks);
    }
}

/// The head's own sums, and that it is of our log.
pub(super) fn check_head(head: &Value, brand: &Brand, checks: &mut Checks) -> Option<ChainHead> {
    let read = ChainHead::read(head);
    checks.note(
        "sums",
        match &read {
            Ok(head) if head.log_id == brand.log_id() => {
                Ok(format!("batch {}, tree size {}", head.batch, head.tree_size))
            }
            Ok(head) => Err(format!("log_id is {}, not {}", head.log_id, brand.log_id())),
            Err(error) => Err(error.to_string()),
        },
    );
    read.ok()
}

/// What the answer says of its place agrees with the head, and the path leads there.
fn check_place(place: &Map<String, Value>, head: &ChainHead, leaf: &Digest, checks: &mut Checks) {
    let number = |name: &str| place.get(name).and_then(Value::as_u64);
    let index = number("index").filter(|index| *index < head.batch_size);
    let log_index = index.and_then(|index| head.first_index.checked_add(index));
    let wrong = if place.get("log_id").and_then(Value::as_str) != Some(&head.log_id) {
        Some("log_id is not the head's")
    } else if number("batch") != Some(head.batch) {
        Some("batch is not the head's")
    } else if number("batch_size") != Some(head.batch_size) {
        Some("batch_size is not the head's")
    } else if index.is_none() {
        Some("index is not inside the batch")
    } else if place.contains_key("log_index") && number("log_index") != log_index {
        Some("log_index is not first_index plus index")
    } else {
        None
    };
    checks.note("place", wrong.map_or(Ok("batch, size and index agree with the head"), Err));
    let path: Option<Vec<Digest>> = place.get("path").and_then(Value::as_array).and_then(|path| {
        path.iter().map(|hash| hash.as_str().and_then(|hex| hex.parse().ok())).collect()
    });
    let leads = match (path, index) {
        (Some(path), Some(index)) => {
            verify_inclusion(leaf, index, head.batch_size, &path, &head.batch_root)
        }
        _ => false,
    };
    checks.note(
        "inclusion",
        if leads {
            Ok("the path leads to the batch's root")
        } else {
            Err("the path does not lead to the batch's root")
        },
    );
}
