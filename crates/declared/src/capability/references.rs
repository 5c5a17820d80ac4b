//! References (`$ref`) inside a description: followed only within the file and within bounds.

use serde_json::Value;

/// Longer references are not followed: the effort must not grow with their length.
const MAX_REFERENCE_BYTES: usize = 512;
/// How many references may follow one another.
const MAX_CHAIN: usize = 16;
/// How deep an operation may be nested, with everything it refers to.
const MAX_DEPTH: usize = 64;
/// How many values an operation may consist of, with everything it refers to.
const MAX_VALUES: usize = 10_000;

/// What a value stands for: itself, or what its reference leads to. `None` if the reference leaves the
/// file, leads nowhere or in a circle.
pub(super) fn resolve<'v>(root: &'v Value, value: &'v Value) -> Option<&'v Value> {
    let mut found = value;
    for _ in 0..MAX_CHAIN {
        match found.get("$ref") {
            Some(Value::String(reference)) => found = local_target(root, reference)?,
            // A member that happens to have this name.
            Some(_) | None => return Some(found),
        }
    }
    None
}

/// Whether all that a value refers to is in this file, ends somewhere, and is not too much. Only then it is
/// known what the value says.
pub(super) fn is_self_contained(root: &Value, value: &Value) -> bool {
    let mut walk = ReferenceWalk { root, values_left: MAX_VALUES, open: Vec::new() };
    walk.visit(value, 0)
}

struct ReferenceWalk<'v> {
    root: &'v Value,
    values_left: usize,
    /// The references that are being followed.
    open: Vec<&'v str>,
}

impl<'v> ReferenceWalk<'v> {
    fn visit(&mut self, value: &'v Value, depth: usize) -> bool {
        if depth > MAX_DEPTH || self.values_left == 0 {
            return false;
        }
        self.values_left -= 1;
        match value {
            Value::Object(members) => {
                // These change what references mean, or depend on how a value was reached.
                let moves = ["$id", "$dynamicRef", "$recursiveRef"]
                    .iter()
                    .any(|name| members.get(*name).is_some_and(Value::is_string));
                if moves {
                    return false;
                }
                if let Some(Value::String(reference)) = members.get("$ref")
                    && !self.follow(reference, depth)
                {
                    return false;
                }
                members.values().all(|inner| self.visit(inner, depth + 1))
            }
            Value::Array(items) => items.iter().all(|inner| self.visit(inner, depth + 1)),
            _ => true,
        }
    }

    fn follow(&mut self, reference: &'v str, depth: usize) -> bool {
        if self.open.contains(&reference) {
            return false;
        }
        let Some(target) = local_target(self.root, reference) else { return false };
        self.open.push(reference);
        let is_known = self.visit(target, depth + 1);
        self.open.pop();
        is_known
    }
}

/// The value in the same file that a reference names.
fn local_target<'v>(root: &'v Value, reference: &str) -> Option<&'v Value> {
    let is_short = reference.len() <= MAX_REFERENCE_BYTES;
    let pointer = reference.strip_prefix('#').filter(|to| is_short && to.starts_with('/'))?;
    root.pointer(&percent_decoded(pointer)?)
}

/// A pointer in a URL may be percent-encoded.
fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_followed_within_the_file_only() {
        let root = json!({"a": {"$ref": "#/b~1c"}, "b/c": {"$ref": "#/d%20e"}, "d e": {"x": 1},
            "far": {"$ref": "https://evil.example/x.json#/a"}, "file": {"$ref": "other.yaml"},
            "self": {"$ref": "#/self"}, "one": {"$ref": "#/two"}, "two": {"$ref": "#/one"},
            "lost": {"$ref": "#/nowhere"}, "all": {"$ref": "#"}, "odd": {"$ref": "#/%zz"},
            "named": {"properties": {"$ref": {"type": "string"}}}});
        assert_eq!(resolve(&root, &root["a"]), Some(&json!({"x": 1})));
        assert!(is_self_contained(&root, &root["a"]));
        assert!(is_self_contained(&root, &root["named"]), "a property of this name");
        for name in ["far", "file", "self", "one", "two", "lost", "all", "odd"] {
            assert_eq!(resolve(&root, &root[name]), None, "{name}");
            assert!(!is_self_contained(&root, &json!({"deep": [root[name].clone()]})), "{name}");
        }
    }

    #[test]
    fn a_tree_that_contains_itself_and_one_that_multiplies_are_not_known() {
        let tree = json!({"Node": {"properties": {"next": {"items": {"$ref": "#/Node"}}}}});
        assert!(!is_self_contained(&tree, &json!({"$ref": "#/Node"})));
        let mut levels = serde_json::Map::new();
        levels.insert("l0".into(), json!({"type": "string"}));
        for level in 1..30 {
            let inner = json!({"$ref": format!("#/l{}", level - 1)});
            levels.insert(format!("l{level}"), json!({"a": inner, "b": inner, "c": inner}));
        }
        let root = Value::Object(levels);
        assert!(is_self_contained(&root, &root["l5"]));
        assert!(!is_self_contained(&root, &root["l29"]), "bounded in values");
        let moved = json!({"$id": "https://other.example/", "type": "object"});
        assert!(!is_self_contained(&root, &moved));
    }
}
