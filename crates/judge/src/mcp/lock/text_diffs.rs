//! Adds to a lock check how changed texts differ, where the locked texts are known.

use contract::records::{McpChange, McpDrift, McpItem, McpLockCheck, McpTextComparison};
use serde_json::Value;

use super::word_diff::word_diff;
use crate::mcp::surface::{Item, ListKind, Surface};

/// The most changes whose texts are compared.
const MAX_DIFFS: u32 = 100;
/// Longer texts are not compared.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Compares the texts of every change of prose. A text counts as the locked one only if the item has the
/// digest of the lock.
pub fn add_text_diffs(check: &mut McpLockCheck, locked: &Surface, current: &Surface) {
    let (mut compared, mut left_out) = (0_u32, 0_u32);
    for drift in &mut check.drift {
        let Some(field) = prose_field(drift) else { continue };
        let texts = texts_of(drift, field, locked, current);
        let is_fit = |text: &String| text.len() <= MAX_TEXT_BYTES;
        match texts {
            // A schema changed in other parts than its texts.
            Some((before, after)) if before == after => {}
            Some((before, after)) if compared < MAX_DIFFS && is_fit(&before) && is_fit(&after) => {
                drift.untrusted_diff = Some(word_diff(&before, &after));
                compared = compared.saturating_add(1);
            }
            _ => left_out = left_out.saturating_add(1),
        }
    }
    check.text_comparison = Some(McpTextComparison {
        state: "observed".to_owned(),
        why: (left_out > 0).then(|| {
            "Some texts were not compared: they are not stored as the lock has them, or they are too long."
                .to_owned()
        }),
        compared,
        left_out,
    });
}

/// Says why no texts are compared.
pub fn no_text_diffs(check: &mut McpLockCheck, why: &str) {
    let changed = check.drift.iter().filter(|drift| prose_field(drift).is_some()).count();
    check.text_comparison = Some(McpTextComparison {
        state: "not_measured".to_owned(),
        why: Some(why.to_owned()),
        compared: 0,
        left_out: u32::try_from(changed).unwrap_or(u32::MAX),
    });
}

/// The member whose text changed; `None` for other changes.
fn prose_field(drift: &McpDrift) -> Option<&'static str> {
    match drift.change {
        McpChange::InstructionsChanged => Some("instructions"),
        McpChange::DescriptionChanged => Some("description"),
        McpChange::TitleChanged => Some("title"),
        McpChange::InputSchemaChanged => Some("input_schema"),
        McpChange::OutputSchemaChanged => Some("output_schema"),
        _ => None,
    }
}

/// The locked and the present text, if both are known.
fn texts_of(
    drift: &McpDrift,
    field: &str,
    locked: &Surface,
    current: &Surface,
) -> Option<(String, String)> {
    if drift.item == McpItem::Instructions {
        let text = |surface: &Surface, digest: &Option<String>| {
            let is_same = surface.digests.instructions == *digest;
            is_same.then(|| surface.instructions.clone().unwrap_or_default())
        };
        Some((text(locked, &drift.locked_sha256)?, text(current, &drift.current_sha256)?))
    } else {
        let list = ListKind::ALL.into_iter().find(|list| list.item() == drift.item)?;
        let text = |surface: &Surface, digest: &Option<String>| {
            let digest = digest.as_deref()?;
            let is_same = |item: &&Item| {
                item.digests.as_ref().is_some_and(|digests| digests.definition == digest)
            };
            surface.list(list).find(is_same).map(|item| prose(item, field))
        };
        Some((text(locked, &drift.locked_sha256)?, text(current, &drift.current_sha256)?))
    }
}

/// The prose of a member: its text, or all texts for readers within a schema.
fn prose(item: &Item, field: &str) -> String {
    let texts: Vec<&str> = item
        .texts()
        .iter()
        .filter(|text| text.field == field && text.is_prose)
        .map(|text| text.text)
        .collect();
    match field {
        // Other items than tools have one digest for both.
        "description" if item.list != ListKind::Tools => {
            let member = |name| item.members.get(name).and_then(Value::as_str);
            let both: Vec<&str> = ["title", "description"].into_iter().filter_map(member).collect();
            both.join("\n")
        }
        _ => texts.join("\n"),
    }
}
