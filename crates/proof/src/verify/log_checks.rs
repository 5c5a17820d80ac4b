//! The log checks: of a tree head, and of an answer's position under one.

use contract::Brand;

use super::checks::{Checks, is_kind};
use super::document_checks;
use super::key_policy::KeyPolicy;
use super::known_heads::KnownHeads;
use super::unsigned_members::check_head_time;
use crate::decision_content::leaf_of;
use crate::digest::Digest;
use crate::json_view::{Members, View};
use crate::merkle_tree::verify_inclusion;
use crate::tree_head::ChainHead;

/// The longest time a service may promise for adding an answer to the log.
const MERGE_MINUTES: u64 = 30;

pub(super) fn check_log_membership(
    members: Members<'_>,
    policy: &KeyPolicy,
    brand: &Brand,
    known: &mut KnownHeads,
    checks: &mut Checks,
) {
    let kind = members.text("kind").unwrap_or_default();
    if is_kind(kind, "log-sth", brand) {
        check_head(members, brand, checks);
        return;
    }
    let is_answer = is_kind(kind, "resolve", brand);
    match members.get("transparency") {
        Some(transparency) if is_answer => match transparency.as_object() {
            Some(transparency) => {
                check_answer_membership(members, transparency, policy, brand, known, checks);
            }
            None => checks.failed("log", "transparency is not an object"),
        },
        None if is_answer => checks.not_checked("log", "this answer has no transparency member"),
        Some(_) => checks.not_checked(
            "log",
            "this verifier does not know how documents of this kind are logged",
        ),
        None => {}
    }
}

fn check_answer_membership(
    answer: Members<'_>,
    transparency: Members<'_>,
    policy: &KeyPolicy,
    brand: &Brand,
    known: &mut KnownHeads,
    checks: &mut Checks,
) {
    if transparency.text("state") != Some("included") {
        let minutes = transparency.get("merged_within_minutes").and_then(View::as_u64);
        match minutes {
            Some(1..=MERGE_MINUTES) => checks.not_checked(
                "log",
                "the answer is not in the log yet; the service promised to add it",
            ),
            _ => checks.failed(
                "log",
                format!(
                    "the answer is not in the log and not promised within {MERGE_MINUTES} minutes"
                ),
            ),
        }
        return;
    }
    let leaf = leaf_of(answer, brand);
    let stated = transparency.text("leaf_hash").and_then(|hex| hex.parse().ok());
    checks.push_result(
        "leaf",
        match &leaf {
            Ok(leaf) if stated == Some(*leaf) => Ok(format!("leaf {leaf}")),
            Ok(leaf) => {
                Err(format!("leaf_hash does not match this decision, which hashes to {leaf}"))
            }
            Err(error) => Err(error.to_string()),
        },
    );
    let Some(sth) = transparency.get("sth").and_then(View::as_object) else {
        checks.failed("head", "sth is missing");
        return;
    };
    let head = known.check(sth, checks, |checks| check_embedded_head(sth, policy, brand, checks));
    if let (Some(head), Ok(leaf)) = (head, leaf) {
        check_position(transparency, &head, &leaf, checks);
        check_head_time(answer, head.created_at, checks);
    }
}

/// All checks of the head in an answer. They depend on nothing but the head, policy and brand.
fn check_embedded_head(
    sth: Members<'_>,
    policy: &KeyPolicy,
    brand: &Brand,
    checks: &mut Checks,
) -> Option<ChainHead> {
    checks.name_prefix = "head: ";
    if !sth.text("kind").is_some_and(|kind| is_kind(kind, "log-sth", brand)) {
        checks.failed("kind of head", "sth is not a tree head");
    }
    document_checks::check_document(sth, policy, brand, checks);
    let head = check_head(sth, brand, checks);
    checks.name_prefix = "";
    head
}

/// Checks that the head's numbers add up and that it belongs to this log.
pub(super) fn check_head(
    head: Members<'_>,
    brand: &Brand,
    checks: &mut Checks,
) -> Option<ChainHead> {
    let read = ChainHead::from_members(head);
    checks.push_result(
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

/// Checks that the answer's stated position agrees with the head, and its inclusion path.
fn check_position(transparency: Members<'_>, head: &ChainHead, leaf: &Digest, checks: &mut Checks) {
    let number = |name: &str| transparency.get(name).and_then(View::as_u64);
    let index = number("index").filter(|index| *index < head.batch_size);
    let log_index = index.and_then(|index| head.first_index.checked_add(index));
    let wrong = if transparency.text("log_id") != Some(&head.log_id) {
        Some("log_id differs from the head")
    } else if number("batch") != Some(head.batch) {
        Some("batch differs from the head")
    } else if number("batch_size") != Some(head.batch_size) {
        Some("batch_size differs from the head")
    } else if index.is_none() {
        Some("index is outside the batch")
    } else if transparency.get("log_index").is_some() && number("log_index") != log_index {
        Some("log_index is not first_index plus index")
    } else {
        None
    };
    checks.push_result("place", wrong.map_or(Ok("batch, size and index agree with the head"), Err));
    let path: Option<Vec<Digest>> = transparency
        .get("path")
        .and_then(View::items)
        .and_then(|path| path.map(|hash| hash.as_str().and_then(|hex| hex.parse().ok())).collect());
    let included = match (path, index) {
        (Some(path), Some(index)) => {
            verify_inclusion(leaf, index, head.batch_size, &path, &head.batch_root)
        }
        _ => false,
    };
    checks.push_result(
        "inclusion",
        if included {
            Ok("the path leads to batch_root")
        } else {
            Err("the path does not lead to batch_root")
        },
    );
}
