//! Our own corpus of definitions, and what the rules say of them.

use contract::records::McpSeverity;
use proof::sha256;
use serde_json::{Value, json};

use super::{RuleContext, RuleReport, apply_rules};
use crate::mcp::SurfaceBuilder;

pub(super) const ATTACKS: &str = include_str!("../../../tests/corpus/mcp/attacks.txt");
pub(super) const HARMLESS: &str = include_str!("../../../tests/corpus/mcp/harmless.txt");

pub(super) const LATER_ATTACKS: &str = include_str!("../../../tests/corpus/mcp/later_attacks.txt");
pub(super) const LATER_HARMLESS: &str =
    include_str!("../../../tests/corpus/mcp/later_harmless.txt");

pub(super) const UNSEEN_ATTACKS: &str =
    include_str!("../../../tests/corpus/mcp/unseen_attacks.txt");

pub(super) const UNSEEN_HARMLESS: &str =
    include_str!("../../../tests/corpus/mcp/unseen_harmless.txt");

/// Ordinary definitions that are easily misread, and attacks in new words.
pub(super) const SCEPTIC: (&str, &str) = (
    include_str!("../../../tests/corpus/mcp/sceptic_attacks.txt"),
    include_str!("../../../tests/corpus/mcp/sceptic_harmless.txt"),
);

/// Written after the rules were changed for those, and no rule is changed for these.
pub(super) const FRESH: (&str, &str) = (
    include_str!("../../../tests/corpus/mcp/fresh_attacks.txt"),
    include_str!("../../../tests/corpus/mcp/fresh_harmless.txt"),
);

/// Written after the wording model and the hard patterns were extended, and no rule is changed for these either.
pub(super) const LATEST: (&str, &str) = (
    include_str!("../../../tests/corpus/mcp/latest_attacks.txt"),
    include_str!("../../../tests/corpus/mcp/latest_harmless.txt"),
);

/// By authors who did not know the rules.
pub(super) const BY_OTHERS: [(&str, &str, &str); 4] = [
    (
        "developer",
        include_str!("../../../tests/corpus/mcp/developer_attacks.txt"),
        include_str!("../../../tests/corpus/mcp/developer_harmless.txt"),
    ),
    (
        "business",
        include_str!("../../../tests/corpus/mcp/business_attacks.txt"),
        include_str!("../../../tests/corpus/mcp/business_harmless.txt"),
    ),
    (
        "consumer",
        include_str!("../../../tests/corpus/mcp/consumer_attacks.txt"),
        include_str!("../../../tests/corpus/mcp/consumer_harmless.txt"),
    ),
    (
        "languages",
        include_str!("../../../tests/corpus/mcp/languages_attacks.txt"),
        include_str!("../../../tests/corpus/mcp/languages_harmless.txt"),
    ),
];

pub(super) struct Definition {
    pub(super) id: String,
    pub(super) place: String,
    pub(super) text: String,
}

impl Definition {
    /// Fixed by the id, before any rule was written.
    pub(super) fn is_set_aside(&self) -> bool {
        sha256(self.id.as_bytes()).as_bytes()[0] < 64
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u{") {
        let (code, tail) = after.split_once('}').unwrap();
        out.push_str(before);
        out.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        rest = tail;
    }
    out.push_str(rest);
    out.replace("\\n", "\n")
}

pub(super) fn parse(corpus: &str) -> Vec<Definition> {
    corpus
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let mut parts = line.splitn(3, " | ");
            let (id, place) = (parts.next().unwrap(), parts.next().unwrap());
            let raw = parts.next().unwrap();
            let text = if place == "json" { raw.to_owned() } else { unescape(raw) };
            Definition { id: id.to_owned(), place: place.to_owned(), text }
        })
        .collect()
}

pub(super) fn report(definition: &Definition) -> RuleReport {
    let text = &definition.text;
    let tool = |description: &str, schema: Value| json!({"tools": [{"name": "tool_x", "description": description, "inputSchema": schema}]});
    let input = |name: &str, input: Value| {
        tool("Does something useful.", json!({"type": "object", "properties": {name: input}}))
    };
    let observed = match definition.place.as_str() {
        "description" => tool(text, json!({"type": "object"})),
        "title" => json!({"tools": [{"name": "tool_x", "title": text}]}),
        "name" => json!({"tools": [{"name": text}]}),
        "instructions" => json!({"tools": [], "instructions": text}),
        "prompt" => json!({"prompts": [{"name": "p", "description": text}]}),
        "resource" => json!({"resources": [{"uri": "a://b", "name": "r", "description": text}]}),
        "template" => {
            json!({"resourceTemplates": [{"uriTemplate": "a://{b}", "name": "t", "description": text}]})
        }
        "default" => input("x", json!({"type": "string", "default": text})),
        "enum" => input("x", json!({"type": "string", "enum": ["a", text]})),
        "example" => input("x", json!({"type": "string", "examples": [text]})),
        "nested" => input(
            "x",
            json!({"type": "object", "properties": {"y": {"type": "string", "description": text}}}),
        ),
        "output" => {
            json!({"tools": [{"name": "tool_x", "outputSchema": {"properties": {"z": {"description": text}}}}]})
        }
        "json" => {
            let tool: Value = serde_json::from_str(text).unwrap();
            json!({"tools": [tool]})
        }
        place => input(
            place.strip_prefix("param:").unwrap(),
            json!({"type": "string", "description": text}),
        ),
    };
    let mut builder = SurfaceBuilder::new();
    builder.add_observed(observed.to_string().as_bytes()).unwrap();
    apply_rules(&builder.finish(), &RuleContext::default())
}

/// Whether a person is asked to look: a hard finding, or a soft one of at least medium severity.
pub(super) fn is_flagged(report: &RuleReport) -> bool {
    report.findings.iter().any(|finding| {
        matches!(finding.severity, McpSeverity::Critical | McpSeverity::High | McpSeverity::Medium)
    })
}

/// Flagged, or with a hint of the wording model.
pub(super) fn has_hint(report: &RuleReport) -> bool {
    is_flagged(report) || report.findings.iter().any(|found| found.rule == "suspicious_wording")
}

/// The part of a list that was set aside, or the rest.
pub(super) fn part(list: &str, set_aside: bool) -> Vec<Definition> {
    parse(list).into_iter().filter(|found| found.is_set_aside() == set_aside).collect()
}

/// What the rules say of a list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) flagged: usize,
    pub(super) blocked: usize,
    /// Flagged, or with a hint of the wording model.
    pub(super) hinted: usize,
    pub(super) of: usize,
}

/// Judges a list. What is judged wrongly is printed: harmless definitions that are flagged, attacks that are not.
pub(super) fn count(definitions: &[Definition], harmless: bool) -> Counts {
    let mut counts = Counts { of: definitions.len(), ..Counts::default() };
    for definition in definitions {
        let report = report(definition);
        counts.flagged += usize::from(is_flagged(&report));
        counts.blocked += usize::from(report.has_hard());
        counts.hinted += usize::from(has_hint(&report));
        if is_flagged(&report) == harmless {
            let rules: Vec<String> = report
                .findings
                .iter()
                .map(|found| format!("{} {}", found.rule, found.severity.as_str()))
                .collect();
            let block = if report.has_hard() { "BLOCKED " } else { "" };
            println!("{block}{} {rules:?} | {}", definition.id, definition.text);
        }
    }
    counts
}
