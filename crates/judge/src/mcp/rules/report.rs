//! Applies all rules to a surface.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use contract::Ratio;
use contract::records::{
    McpFinding, McpItem, McpLocation, McpRuleCheck, McpRuleState, McpRulepack, McpSeverity,
    McpTier, SafetyClass,
};
use proof::sha256;

use super::catalogue::{RULES, Rule, find_rule};
use super::markup::is_able;
use super::phrases;
use super::structure::find_in_structure;
use super::text_match::{TextMatch, Weight};
use super::text_rules::find_in_text;
use super::wording;
use crate::mcp::safety::safety_class;
use crate::mcp::surface::{Item, ItemText, ListKind, Surface};
use crate::mcp::untrusted::{display_name, excerpt_around, untrusted_text};

/// The most findings of a report; the rest are counted.
const MAX_FINDINGS: usize = 500;
/// The most findings of one rule in one item.
const MAX_OF_RULE: usize = 5;
/// The most text of all items together that the phrase rules read.
const MAX_TEXT: usize = 8 << 20;

/// What is known besides the lists. `None`: not measured.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleContext<'a> {
    pub https: Option<bool>,
    pub auth_required: Option<bool>,
    pub issuer_match: Option<bool>,
    pub metadata_foreign_host: Option<bool>,
    /// Whether a second reading had the same tools.
    pub stable_content: Option<bool>,
    /// Lists that the server declares and whose question it answered with an error.
    pub refused_lists: Option<&'a [ListKind]>,
    /// Names of tools of other servers that the caller uses.
    pub other_tools: &'a [String],
}

/// What the rules found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleReport {
    pub findings: Vec<McpFinding>,
    /// Findings beyond the limit.
    pub left_out: u32,
    pub checks: Vec<McpRuleCheck>,
}

impl RuleReport {
    #[must_use]
    pub fn has_hard(&self) -> bool {
        self.findings.iter().any(|finding| finding.tier == McpTier::Hard)
    }

    /// Ids of the findings in an item.
    #[must_use]
    pub fn of_item(&self, item: &Item) -> Vec<String> {
        self.findings_of(item).map(|finding| finding.id.clone()).collect()
    }

    pub(crate) fn findings_of(&self, item: &Item) -> impl Iterator<Item = &McpFinding> {
        let (kind, index) = (item.list.item(), u32::try_from(item.index).ok());
        self.findings
            .iter()
            .filter(move |finding| finding.location.item == kind && finding.location.index == index)
    }
}

static RULEPACK: LazyLock<McpRulepack> = LazyLock::new(|| {
    let mut all = String::new();
    for rule in RULES {
        all.push_str(&format!("{rule:?}\n"));
    }
    for data in [
        phrases::LEXICON,
        phrases::PATTERNS,
        phrases::LANGUAGES,
        wording::meanings::MEANINGS,
        wording::WEIGHTS,
    ] {
        all.push_str(data);
    }
    McpRulepack { id: "mcp-2026.11".to_owned(), rulepack_sha256: sha256(all.as_bytes()).to_hex() }
});

/// The id of the rules, and the digest of their data.
#[must_use]
pub fn rulepack() -> McpRulepack {
    RULEPACK.clone()
}

/// Applies every rule.
#[must_use]
pub fn apply_rules(surface: &Surface, context: &RuleContext<'_>) -> RuleReport {
    let mut collector = Collector::default();
    let others: BTreeSet<String> =
        context.other_tools.iter().map(|name| name.to_lowercase()).collect();
    for item in &surface.items {
        collector.add_item(item, &others);
    }
    if let Some(text) = &surface.instructions {
        collector.add_instructions(text, &others);
    }
    collector.add_context(surface, context);
    collector.finish(surface, context)
}

#[derive(Default)]
struct Collector {
    findings: Vec<McpFinding>,
    left_out: u32,
    found: BTreeSet<&'static str>,
    read: usize,
    skipped: bool,
    of_rule: BTreeMap<&'static str, usize>,
}

/// Where a text is.
struct Place<'a> {
    item: McpItem,
    name: Option<&'a str>,
    index: Option<usize>,
    field: &'a str,
    pointer: &'a str,
}

impl<'a> Place<'a> {
    fn in_item(item: &'a Item, field: &'a str, pointer: &'a str) -> Self {
        Self {
            item: item.list.item(),
            name: Some(&item.name),
            index: Some(item.index),
            field,
            pointer,
        }
    }
}

impl Collector {
    fn add_item(&mut self, item: &Item, others: &BTreeSet<String>) {
        self.of_rule.clear();
        for text in item.texts() {
            let matches = self.matches(&text, others, item);
            let place = Place::in_item(item, text.field, &text.pointer);
            for found in matches {
                self.push(&place, text.text, found);
            }
        }
        for matched in find_in_structure(item) {
            let place = Place::in_item(item, matched.field, &matched.pointer);
            self.push(&place, &matched.text, matched.found);
        }
    }

    fn add_instructions(&mut self, text: &str, others: &BTreeSet<String>) {
        self.of_rule.clear();
        let place = Place {
            item: McpItem::Instructions,
            name: None,
            index: None,
            field: "instructions",
            pointer: "",
        };
        for found in self.text_matches(text, true, false, others) {
            self.push(&place, text, found);
        }
    }

    fn matches(
        &mut self,
        text: &ItemText<'_>,
        others: &BTreeSet<String>,
        item: &Item,
    ) -> Vec<TextMatch> {
        let mut found = self.text_matches(text.text, text.is_prose, text.is_input, others);
        if text.pointer.ends_with("/$ref") && text.text.contains("://") {
            found.push(TextMatch {
                rule: "schema_ref_remote",
                length: text.text.chars().count(),
                ..TextMatch::default()
            });
        }
        // A prompt is an instruction: it may tell the model whom to act as.
        if item.list == ListKind::Prompts {
            found.retain(|found| found.rule != "persistent_instruction");
        }
        found
    }

    fn text_matches(
        &mut self,
        text: &str,
        is_prose: bool,
        is_input: bool,
        others: &BTreeSet<String>,
    ) -> Vec<TextMatch> {
        self.read = self.read.saturating_add(text.len());
        if self.read > MAX_TEXT {
            self.skipped = true;
            return Vec::new();
        }
        find_in_text(text, is_prose, is_input, others)
    }

    fn push(&mut self, place: &Place<'_>, text: &str, matched: TextMatch) {
        let Some(rule) = find_rule(matched.rule) else { return };
        self.found.insert(rule.id);
        let count = self.of_rule.entry(rule.id).or_default();
        *count = count.saturating_add(1);
        if *count > MAX_OF_RULE || self.findings.len() >= MAX_FINDINGS {
            self.left_out = self.left_out.saturating_add(1);
            return;
        }
        let number = self.findings.len().saturating_add(1);
        self.findings.push(finding(number, rule, place, text, matched));
    }

    fn add_context(&mut self, surface: &Surface, context: &RuleContext<'_>) {
        self.of_rule.clear();
        let mut add = |rule, item| {
            let place = Place { item, name: None, index: None, field: "server", pointer: "" };
            self.push(&place, "", TextMatch { rule, ..TextMatch::default() });
        };
        if context.https == Some(false) {
            add("plain_http", McpItem::Transport);
        }
        if context.issuer_match == Some(false) {
            add("issuer_mismatch", McpItem::Transport);
        }
        if context.metadata_foreign_host == Some(true) {
            add("metadata_foreign_host", McpItem::Transport);
        }
        if context.stable_content == Some(false) {
            add("unstable_definitions", McpItem::Server);
        }
        for list in context.refused_lists.unwrap_or_default() {
            let pointer = format!("/capabilities/{}", list.capability());
            let place = Place {
                item: McpItem::Server,
                name: None,
                index: None,
                field: "capabilities",
                pointer: &pointer,
            };
            let rule = "capability_mismatch";
            self.push(&place, "", TextMatch { rule, ..TextMatch::default() });
        }
        let mut add = |rule, item| {
            let place = Place { item, name: None, index: None, field: "server", pointer: "" };
            self.push(&place, "", TextMatch { rule, ..TextMatch::default() });
        };
        let writes = |class| {
            matches!(
                class,
                SafetyClass::WriteReversible
                    | SafetyClass::WriteDestructive
                    | SafetyClass::Transactional
                    | SafetyClass::Administrative
            )
        };
        if context.auth_required == Some(false)
            && surface.list(ListKind::Tools).any(|tool| writes(safety_class(tool)))
        {
            add("anonymous_write_tools", McpItem::Server);
        }
    }

    fn finish(self, surface: &Surface, context: &RuleContext<'_>) -> RuleReport {
        let checks = RULES
            .iter()
            .map(|rule| {
                let why = not_measured(rule.id, surface, context, self.skipped);
                let state = match (self.found.contains(rule.id), &why) {
                    (true, _) => McpRuleState::Found,
                    (false, None) => McpRuleState::Passed,
                    (false, Some(_)) => McpRuleState::NotMeasured,
                };
                let why = why.filter(|_| state == McpRuleState::NotMeasured);
                McpRuleCheck {
                    rule: rule.id.to_owned(),
                    tier: rule.tier(),
                    state,
                    why: why.map(str::to_owned),
                }
            })
            .collect();
        RuleReport { findings: self.findings, left_out: self.left_out, checks }
    }
}

/// Why a rule says nothing unless it found something.
fn not_measured(
    rule: &str,
    surface: &Surface,
    context: &RuleContext<'_>,
    skipped: bool,
) -> Option<&'static str> {
    let unknown = |known: bool, why| if known { None } else { Some(why) };
    if !is_able(rule) {
        return Some("This build of the program lacks a part that the rule needs.");
    }
    match rule {
        "plain_http" => unknown(context.https.is_some(), "No address was read."),
        "issuer_mismatch" => {
            unknown(context.issuer_match.is_some(), "No authorization server was read.")
        }
        "metadata_foreign_host" => unknown(
            context.metadata_foreign_host.is_some(),
            "No metadata of a protected resource was read.",
        ),
        "anonymous_write_tools" => unknown(
            context.auth_required.is_some(),
            "It is not known whether the server requires authentication.",
        ),
        "unstable_definitions" => {
            unknown(context.stable_content.is_some(), "The list was read only once.")
        }
        "cross_server_reference" => {
            unknown(!context.other_tools.is_empty(), "No other server was named.")
        }
        _ if !surface.is_complete() => Some("The lists are not complete."),
        "capability_mismatch" => unknown(
            context.refused_lists.is_some(),
            "What the server declares was not read. The names and texts of its tools agree.",
        ),
        _ if skipped => Some("The lists have more than 8 MiB of text. The rest was not read."),
        _ => None,
    }
}

fn milder(one: McpSeverity, other: McpSeverity) -> McpSeverity {
    const FROM_MILD: [McpSeverity; 5] = [
        McpSeverity::Info,
        McpSeverity::Low,
        McpSeverity::Medium,
        McpSeverity::High,
        McpSeverity::Critical,
    ];
    FROM_MILD.into_iter().find(|level| *level == one || *level == other).unwrap_or(one)
}

/// What is not certain is not said as if it were.
fn why_text(why: &str, weight: Weight) -> String {
    match weight {
        Weight::Full => why.to_owned(),
        Weight::Doubtful => {
            format!("Some words can be read like this, which proves nothing by itself: {why}")
        }
        Weight::Reported => {
            format!("The text quotes or reports words that can be read like this: {why}")
        }
    }
}

fn finding(
    number: usize,
    rule: &Rule,
    place: &Place<'_>,
    text: &str,
    matched: TextMatch,
) -> McpFinding {
    let position = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let (tier, severity, confidence) = match matched.weight {
        Weight::Full => (rule.tier(), rule.severity(), rule.confidence),
        Weight::Doubtful => (McpTier::Soft, McpSeverity::Medium, rule.confidence.min(50)),
        Weight::Reported => (McpTier::Soft, McpSeverity::Low, 20),
    };
    let severity = matched.at_most.map_or(severity.clone(), |most| milder(severity, most));
    McpFinding {
        id: format!("f{number}"),
        rule: rule.id.to_owned(),
        tier,
        severity,
        location: McpLocation {
            item: place.item.clone(),
            name: place.name.map(display_name),
            index: place.index.map(position),
            field: place.field.to_owned(),
            pointer: untrusted_text(place.pointer),
            start: position(matched.start),
            length: position(matched.length),
        },
        why: why_text(rule.why, matched.weight),
        untrusted_excerpt: excerpt_around(text, matched.start),
        untrusted_decoded: matched.decoded.as_deref().map(untrusted_text),
        codepoints: matched.codepoints,
        confidence: Ratio::of(u64::from(confidence), 100).unwrap_or(Ratio::ZERO),
        references: rule.references.iter().map(ToString::to_string).collect(),
        first_observed: None,
    }
}
