//! How much memory a judged server holds, so that caches of them can be bounded. An estimate from above.

use serde_json::{Map, Value};

use super::scan::JudgedServer;

/// What an allocation costs besides its bytes.
const ALLOCATION: usize = 16;
/// A member of an object: the entry of the map, and the text of the key besides.
const MEMBER: usize = 2 * (size_of::<Value>() + size_of::<String>()) + ALLOCATION;
/// Digests of an item, in hex, one for each field.
const DIGESTS: usize = 16 * (64 + size_of::<String>() + ALLOCATION);
/// A finding with its excerpt, location, explanation and fix, all of which are bounded in length.
const FINDING: usize = 4_096;
/// The state of a rule.
const CHECK: usize = 1_024;

impl JudgedServer {
    /// The bytes that this holds in memory, rounded up.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let Self { surface, report } = self;
        let items: usize = surface
            .items
            .iter()
            .map(|item| {
                let faults: usize =
                    item.faults.iter().map(|fault| text_bytes(&fault.pointer) + 32).sum();
                size_of_val(item) * 2
                    + text_bytes(&item.name)
                    + object_bytes(&item.members)
                    + faults
                    + DIGESTS
            })
            .sum();
        let texts = [&surface.instructions, &surface.incomplete]
            .into_iter()
            .flatten()
            .map(|text| text_bytes(text))
            .sum::<usize>();
        let report = report.findings.len() * FINDING + report.checks.len() * CHECK;
        size_of::<Self>() + items + texts + report + DIGESTS
    }
}

fn text_bytes(text: &str) -> usize {
    text.len() + ALLOCATION
}

fn object_bytes(object: &Map<String, Value>) -> usize {
    object.iter().map(|(name, value)| MEMBER + text_bytes(name) + value_bytes(value)).sum()
}

/// What a value holds besides itself. The parser bounds its depth.
fn value_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 0,
        // Numbers are kept as text if a build of the parser says so.
        Value::Number(_) => 32,
        Value::String(text) => text_bytes(text),
        Value::Array(values) => {
            let own = 2 * values.len() * size_of::<Value>() + ALLOCATION;
            own + values.iter().map(value_bytes).sum::<usize>()
        }
        Value::Object(members) => object_bytes(members),
    }
}

#[cfg(test)]
mod tests {
    use crate::mcp::{ListKind, RuleContext, SurfaceBuilder, apply_rules};

    use super::*;

    fn judged(tools: &str) -> JudgedServer {
        let mut builder = SurfaceBuilder::new();
        builder.add_page(ListKind::Tools, format!("{{\"tools\":[{tools}]}}").as_bytes()).unwrap();
        let surface = builder.finish();
        let report = apply_rules(&surface, &RuleContext::default());
        JudgedServer { surface, report }
    }

    #[test]
    fn what_is_small_as_text_and_large_in_memory_counts_as_large() {
        let empty = JudgedServer::default().memory_bytes();
        assert!((1..8_192).contains(&empty), "{empty}");
        let one = judged(r#"{"name":"a","description":"x"}"#).memory_bytes();
        let zeros = vec!["0"; 10_000].join(",");
        let many = judged(&format!(r#"{{"name":"a","inputSchema":{{"enum":[{zeros}]}}}}"#));
        assert!(many.memory_bytes() > one + 10_000 * size_of::<Value>());
        let text = "x".repeat(100_000);
        let long = judged(&format!(r#"{{"name":"a","description":"{text}"}}"#)).memory_bytes();
        assert!(long > one + 99_000 && long < one + 300_000, "{one} {long}");
    }
}
