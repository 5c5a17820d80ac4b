//! Whether a changed input schema breaks callers of the locked one.

use contract::records::McpInput;

/// Whether an input is gone, a required one was added, or one accepts fewer types.
pub(super) fn breaks_callers(locked: &[McpInput], current: &[McpInput]) -> bool {
    let named =
        |list: &[McpInput], name: &str| list.iter().find(|input| input.name == name).cloned();
    let narrowed = |before: &McpInput, now: &McpInput| {
        let fewer = !now.types.is_empty()
            && (before.types.is_empty() || before.types.iter().any(|t| !accepts(&now.types, t)));
        fewer || (now.required && !before.required)
    };
    locked
        .iter()
        .any(|before| named(current, &before.name).is_none_or(|now| narrowed(before, &now)))
        || current.iter().any(|now| now.required && named(locked, &now.name).is_none())
}

fn accepts(types: &[String], wanted: &str) -> bool {
    types.iter().any(|t| t == wanted || (t == "number" && wanted == "integer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(list: &[(&str, bool, &[&str])]) -> Vec<McpInput> {
        list.iter()
            .map(|(name, required, types)| {
                let types = types.iter().map(ToString::to_string).collect();
                McpInput { name: (*name).to_owned(), required: *required, types }
            })
            .collect()
    }

    #[test]
    fn what_breaks_and_what_does_not() {
        let locked = inputs(&[("a", true, &["integer"]), ("b", false, &[])]);
        for (current, breaks) in [
            (inputs(&[("a", true, &["integer"]), ("b", false, &[])]), false),
            (inputs(&[("a", false, &["number"]), ("b", false, &[]), ("c", false, &[])]), false),
            (inputs(&[("a", true, &["integer"])]), true),
            (inputs(&[("a", true, &["string"]), ("b", false, &[])]), true),
            (inputs(&[("a", true, &["integer"]), ("b", true, &[])]), true),
            (inputs(&[("a", true, &["integer"]), ("b", false, &["string"])]), true),
            (inputs(&[("a", true, &["integer"]), ("b", false, &[]), ("c", true, &[])]), true),
        ] {
            assert_eq!(breaks_callers(&locked, &current), breaks, "{current:?}");
        }
    }
}
