//! A parsed robots.txt file, and which of its groups apply to an agent.

use super::line::{self, FieldName, trim};
use super::span::{Span, slice_of, to_u32};
use crate::evidence_excerpt::evidence_excerpt;

/// How many bytes of a file are read. The RFC lets readers stop after 500 KiB.
pub const MAX_BYTES: usize = 500 * 1024;

/// The least that an allocation takes, however short its content.
const ALLOCATION_BYTES: usize = 32;

/// A parsed file. Parsing cannot fail: lines that make no sense are skipped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Robots {
    /// The file as far as it was read, followed by the patterns that had to be re-encoded.
    pub(super) text: Vec<u8>,
    /// How many bytes of `text` are the file.
    pub(super) file_length: usize,
    pub(super) groups: Vec<Group>,
    pub(super) agent_names: Vec<AgentName>,
    pub(super) rules: Vec<Rule>,
    pub(super) records: Vec<StoredRecord>,
    pub sitemaps: Vec<SitemapLine>,
    /// Whether the end of the file is missing: it was longer than [`MAX_BYTES`], or was not received
    /// completely.
    pub truncated: bool,
}

/// The value of one line, and its line number (counted from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapLine {
    pub number: u32,
    pub value: String,
}

/// A group: its ranges in the lists of names and rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) names: Span,
    pub(super) rules: Span,
    /// Whether it is (also) for everyone (`User-agent: *`).
    pub(super) for_everyone: bool,
}

/// The agent that a `User-agent` line names: the first word of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AgentName {
    pub(super) word: Span,
    /// How many bytes of the word are a product token.
    pub(super) token_length: u32,
}

/// An `Allow` or `Disallow` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) pattern: Span,
    pub(super) line: u32,
    pub(super) allow: bool,
    /// Whether the pattern contains `*` or `$`, so that a prefix comparison is not enough.
    pub(super) has_wildcard: bool,
}

/// A record that is neither a rule nor a sitemap, as ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredRecord {
    pub(super) name: FieldName,
    pub(super) key: Span,
    pub(super) value: Span,
    pub(super) line: u32,
    /// The index of its group; none before the first group.
    pub(super) group: Option<u32>,
    /// The end of the group's names when the record was read. More names may follow it.
    pub(super) names_end: u32,
    /// Whether the group was for everyone when the record was read.
    pub(super) for_everyone: bool,
    /// Whether a blank line separates it from the group's rules.
    pub(super) after_blank_line: bool,
}

/// Which groups apply to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Groups that name the agent.
    Named,
    /// The groups for everyone, because none names the agent.
    Everyone,
    /// No group applies.
    Nobody,
}

impl Robots {
    /// The memory that the parsed file holds besides the struct itself.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let sitemap_values: usize =
            self.sitemaps.iter().map(|line| line.value.capacity().max(ALLOCATION_BYTES)).sum();
        self.text.capacity()
            + self.groups.capacity() * size_of::<Group>()
            + self.agent_names.capacity() * size_of::<AgentName>()
            + self.rules.capacity() * size_of::<Rule>()
            + self.records.capacity() * size_of::<StoredRecord>()
            + self.sitemaps.capacity() * size_of::<SitemapLine>()
            + sitemap_values
    }

    /// Gives back the memory that parsing reserved and did not need.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.groups.shrink_to_fit();
        self.agent_names.shrink_to_fit();
        self.rules.shrink_to_fit();
        self.records.shrink_to_fit();
        self.sitemaps.shrink_to_fit();
    }

    /// The text of a line without its comment, cut and safe to display: quotes the deciding rule.
    #[must_use]
    pub fn rule_text(&self, line: u32) -> Option<String> {
        let raw_line =
            line::raw_lines(self.file_bytes()).nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
        let text = trim(line::before_comment(raw_line.bytes));
        (!text.is_empty()).then(|| evidence_excerpt(&String::from_utf8_lossy(text)))
    }

    /// The patterns that are disallowed to anybody, each once, in their order; cut and safe to display.
    #[must_use]
    pub fn disallowed_patterns(&self, most: usize) -> Vec<String> {
        let mut patterns: Vec<String> = Vec::new();
        for rule in self.rules.iter().filter(|rule| !rule.allow) {
            let pattern = self.bytes_at(rule.pattern);
            // An empty pattern disallows nothing.
            if pattern.is_empty() || patterns.len() == most {
                continue;
            }
            let pattern = evidence_excerpt(&String::from_utf8_lossy(pattern));
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        patterns
    }

    /// The rules for everyone as (allow, pattern, line): for other files with the same grammar.
    pub(crate) fn rules_for_everyone(&self) -> impl Iterator<Item = (bool, &[u8], u32)> {
        self.groups.iter().filter(|group| group.for_everyone).flat_map(|group| {
            self.rules_of(group)
                .iter()
                .map(|rule| (rule.allow, self.bytes_at(rule.pattern), rule.line))
        })
    }

    pub(crate) fn file_bytes(&self) -> &[u8] {
        self.text.get(..self.file_length).unwrap_or_default()
    }

    pub(super) fn bytes_at(&self, span: Span) -> &[u8] {
        slice_of(&self.text, span)
    }

    pub(super) fn rules_of(&self, group: &Group) -> &[Rule] {
        slice_of(&self.rules, group.rules)
    }

    pub(super) fn scope_for(&self, token: &str) -> Scope {
        if self.groups.iter().any(|group| self.names_agent(group, token)) {
            Scope::Named
        } else if self.groups.iter().any(|group| group.for_everyone) {
            Scope::Everyone
        } else {
            Scope::Nobody
        }
    }

    pub(super) fn applies_to(&self, group: &Group, token: &str, scope: Scope) -> bool {
        match scope {
            Scope::Named => self.names_agent(group, token),
            Scope::Everyone => group.for_everyone,
            Scope::Nobody => false,
        }
    }

    fn names_agent(&self, group: &Group, token: &str) -> bool {
        self.agent_name_index(group, token).is_some()
    }

    /// The index in the list of names at which a group names an agent. Google compares only letters, `-` and `_`;
    /// a few agents have digits in their names (`Ai2Bot`), and those can only mean the whole word.
    pub(super) fn agent_name_index(&self, group: &Group, token: &str) -> Option<u32> {
        let token = token.as_bytes();
        let names = |named: &AgentName| {
            let word = self.bytes_at(named.word);
            word.eq_ignore_ascii_case(token)
                || usize::try_from(named.token_length).is_ok_and(|length| length == token.len())
                    && word
                        .get(..token.len())
                        .is_some_and(|start| start.eq_ignore_ascii_case(token))
        };
        if token.is_empty() {
            return None;
        }
        let at = slice_of(&self.agent_names, group.names).iter().position(names)?;
        Some(group.names.start.saturating_add(to_u32(at)))
    }
}
