//! Rounds integers as readers with doubles do, and finds values that are nested too deeply.

use serde_json::{Number, Value};

use super::item::{FaultKind, ItemFault};

/// The deepest nesting of an item that has digests; the canonical form has a limit of 128.
const MAX_DEPTH: usize = 100;
/// The most faults of one kind that are listed of one item.
const MAX_FAULTS: usize = 16;

/// Replaces integers beyond 2^53 − 1 by doubles (RFC 8785 rounds them), and notes where they are.
pub(super) fn round_numbers(value: &mut Value, faults: &mut Vec<ItemFault>) {
    round_in(value, &mut String::new(), 0, faults);
}

fn round_in(value: &mut Value, pointer: &mut String, depth: usize, faults: &mut Vec<ItemFault>) {
    if depth > MAX_DEPTH {
        if !faults.iter().any(|fault| fault.kind == FaultKind::TooDeep) {
            faults.push(ItemFault { kind: FaultKind::TooDeep, pointer: pointer.clone() });
        }
        return;
    }
    let length = pointer.len();
    match value {
        Value::Number(number) => {
            if let Some(rounded) = rounded(number) {
                *number = rounded;
                if faults.len() < MAX_FAULTS {
                    let kind = FaultKind::UnsafeInteger;
                    faults.push(ItemFault { kind, pointer: pointer.clone() });
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                pointer.push_str(&format!("/{index}"));
                round_in(item, pointer, depth.saturating_add(1), faults);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                round_in(member, pointer, depth.saturating_add(1), faults);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[expect(clippy::cast_precision_loss, reason = "rounding is what is wanted")]
fn rounded(number: &Number) -> Option<Number> {
    let double = if let Some(whole) = number.as_u64() {
        (whole > proof::canonical::MAX_INTEGER).then_some(whole as f64)?
    } else if let Some(whole) = number.as_i64() {
        (whole.unsigned_abs() > proof::canonical::MAX_INTEGER).then_some(whole as f64)?
    } else {
        return None;
    };
    Number::from_f64(double)
}
