//! Compares two walks over the tools.

use contract::mcp_evidence::{McpProblem, McpStability};
use serde_json::Value;

/// Definitions are compared as values: the order of their members does not matter.
pub(super) fn compare(first: &[Value], second: &[Value]) -> McpStability {
    let names = |items: &[Value]| -> Vec<Value> {
        items.iter().map(|item| item.get("name").cloned().unwrap_or_default()).collect()
    };
    let sorted = |items: &[Value]| -> Vec<String> {
        let mut texts: Vec<String> = items.iter().map(Value::to_string).collect();
        texts.sort_unstable();
        texts
    };
    McpStability {
        stable_content: Some(sorted(first) == sorted(second)),
        stable_order: Some(names(first) == names(second)),
        why: None,
    }
}

pub(super) fn not_measured(why: McpProblem) -> McpStability {
    McpStability { stable_content: None, stable_order: None, why: Some(why) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn content_and_order_are_told_apart() {
        let [a, b] = [json!({"name":"a","x":1}), json!({"name":"b"})];
        let stable = |first: &[&Value], second: &[&Value]| {
            let own =
                |items: &[&Value]| items.iter().map(|item| (*item).clone()).collect::<Vec<_>>();
            let found = compare(&own(first), &own(second));
            (found.stable_content, found.stable_order)
        };
        let changed = json!({"name":"a","x":2});
        assert_eq!(stable(&[&a, &b], &[&a, &b]), (Some(true), Some(true)));
        assert_eq!(stable(&[&a, &b], &[&b, &a]), (Some(true), Some(false)));
        assert_eq!(stable(&[&a, &b], &[&changed, &b]), (Some(false), Some(true)));
        assert_eq!(stable(&[&a, &b], &[&a]), (Some(false), Some(false)));
    }
}
