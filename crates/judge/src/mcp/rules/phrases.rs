//! Finds phrases by their meaning: classes of words that stand close together in one sentence.
//!
//! The data are `data/mcp/lexicon.txt` (classes), `patterns.txt` (which classes together mean what) and
//! `languages.txt` (phrases of other languages).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use contract::records::McpSeverity;

use super::folded_text::FoldedText;

pub(super) const LEXICON: &str = include_str!("../../../data/mcp/lexicon.txt");
pub(super) const PATTERNS: &str = include_str!("../../../data/mcp/patterns.txt");
pub(super) const LANGUAGES: &str = include_str!("../../../data/mcp/languages.txt");

/// Classes are bits.
type Classes = u128;

/// The most class hits of one sentence that are looked at, so that time stays linear.
const MAX_HITS_OF_SENTENCE: usize = 400;
/// How far before a match words still say that it is only reported.
const REPORTED_WITHIN: usize = 10;

/// A phrase that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PhraseMatch {
    pub(super) rule: &'static str,
    pub(super) severity: McpSeverity,
    /// Characters of the raw text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The sentence only reports or quotes the phrase.
    pub(super) reported: bool,
}

struct Pattern {
    rule: &'static str,
    severity: McpSeverity,
    window: usize,
    inputs_only: bool,
    /// Not with the first word of a text.
    late: bool,
    elements: Vec<Classes>,
    ordered: bool,
    without: Classes,
    /// Lowers the finding instead of dropping it.
    reported: Classes,
}

struct LanguagePhrase {
    rule: &'static str,
    severity: McpSeverity,
    /// How many parts there are; all must be in one sentence. Words with this number must not.
    parts: usize,
}

struct Entry {
    classes: Classes,
    /// The phrase of another language and its part.
    part: Option<(usize, usize)>,
    open_end: bool,
    unspaced: bool,
}

struct Tables {
    search: Option<AhoCorasick>,
    entries: Vec<Entry>,
    patterns: Vec<Pattern>,
    /// The names of the classes, by the number of their bit.
    class_names: Vec<&'static str>,
    languages: Vec<LanguagePhrase>,
}

/// A class in the text.
#[derive(Debug, Clone, Copy)]
struct ClassHit {
    classes: Classes,
    first: usize,
    last: usize,
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::build);

fn data_lines(data: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    data.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "))
}

impl Tables {
    fn build() -> Self {
        let mut needles: Vec<String> = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        let mut bits: BTreeMap<&str, Classes> = BTreeMap::new();
        let mut class_names = Vec::new();
        let mut add = |needle: &str, classes, part| {
            let open_end = needle.ends_with('*');
            let needle = needle.trim_end_matches('*');
            let unspaced = needle.chars().any(declared::instructions::fold::is_unspaced);
            needles.push(needle.to_owned());
            entries.push(Entry { classes, part, open_end, unspaced });
        };
        for (number, (class, words)) in data_lines(LEXICON).enumerate() {
            let bit = u32::try_from(number).ok().and_then(|n| 1_u128.checked_shl(n)).unwrap_or(0);
            bits.insert(class, bit);
            class_names.push(class);
            words.split(", ").for_each(|word| add(word.trim(), bit, None));
        }
        let mut languages = Vec::new();
        for (head, phrase) in data_lines(LANGUAGES) {
            let (rule, severity) = head
                .strip_suffix(" critical")
                .map_or((head, McpSeverity::High), |rule| (rule, McpSeverity::Critical));
            let (phrase, without) = phrase.split_once(" - ").unwrap_or((phrase, ""));
            let mut parts = 0_usize;
            for (part, words) in phrase.split(" + ").enumerate() {
                parts = part.saturating_add(1);
                words
                    .split('/')
                    .for_each(|word| add(word.trim(), 0, Some((languages.len(), part))));
            }
            without
                .split('/')
                .filter(|word| !word.is_empty())
                .for_each(|word| add(word.trim(), 0, Some((languages.len(), parts))));
            languages.push(LanguagePhrase { rule, severity, parts });
        }
        let union = |words: &str, by: char| {
            words.split(by).filter_map(|class| bits.get(class.trim())).fold(0, |all, bit| all | bit)
        };
        let patterns = data_lines(PATTERNS)
            .filter_map(|(head, body)| {
                let mut head = head.split(' ');
                let (rule, severity, window) = (head.next()?, head.next()?, head.next()?);
                let flags: Vec<&str> = head.collect();
                let (body, without) = body.split_once(" - ").unwrap_or((body, ""));
                let ordered = body.contains(" > ");
                let reported = bits.get("DETECT").copied().unwrap_or(0) & union(without, ' ');
                Some(Pattern {
                    rule,
                    severity: McpSeverity::from_word(severity)?,
                    window: window.parse().ok()?,
                    inputs_only: flags.contains(&"input"),
                    late: flags.contains(&"late"),
                    elements: body.split(['>', '+']).map(|element| union(element, '|')).collect(),
                    ordered,
                    without: union(without, ' ') & !reported,
                    reported,
                })
            })
            .collect();
        let search = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&needles).ok();
        Self { search, entries, patterns, class_names, languages }
    }
}

/// Every phrase of a text, at most one of each rule and sentence.
pub(super) fn find_phrases(text: &FoldedText, is_input: bool) -> Vec<PhraseMatch> {
    let tables = &*TABLES;
    let Some(search) = &tables.search else { return Vec::new() };
    let mut found = Vec::new();
    let mut sentence = Sentence::default();
    for hit in search.find_overlapping_iter(&text.text) {
        let Some(entry) = tables.entries.get(hit.pattern().as_usize()) else { continue };
        if !entry.unspaced && !stands_alone(&text.text, hit.start(), hit.end(), entry.open_end) {
            continue;
        }
        let first = text.word_at(hit.start());
        let number = text.words.get(first).map_or(0, |word| word.sentence);
        if number != sentence.number {
            sentence.matches(tables, text, is_input, &mut found);
            sentence = Sentence { number, ..Sentence::default() };
        }
        let last = text.word_at(hit.end().saturating_sub(1));
        if let Some(part) = entry.part {
            sentence.parts.push((part, first, last));
        } else if sentence.hits.len() < MAX_HITS_OF_SENTENCE {
            sentence.all |= entry.classes;
            sentence.hits.push(ClassHit { classes: entry.classes, first, last });
        }
    }
    sentence.matches(tables, text, is_input, &mut found);
    found
}

/// The classes of a text, each with the number of its first word, in the order of words.
pub(super) fn sentence_classes(text: &FoldedText) -> Vec<(usize, &'static str)> {
    let tables = &*TABLES;
    let Some(search) = &tables.search else { return Vec::new() };
    let mut found = Vec::new();
    for hit in search.find_overlapping_iter(&text.text) {
        let Some(entry) = tables.entries.get(hit.pattern().as_usize()) else { continue };
        let name = usize::try_from(entry.classes.trailing_zeros())
            .ok()
            .and_then(|bit| tables.class_names.get(bit));
        if let Some(name) = name
            && stands_alone(&text.text, hit.start(), hit.end(), entry.open_end)
        {
            found.push((text.word_at(hit.start()), *name));
        }
    }
    found.sort_unstable();
    found
}

pub(super) fn stands_alone(text: &str, start: usize, end: usize, open_end: bool) -> bool {
    let bytes = text.as_bytes();
    let is_gap = |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b' ' | b'\n'));
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    is_gap(before) && (open_end || is_gap(bytes.get(end)))
}

#[derive(Default)]
struct Sentence {
    number: usize,
    all: Classes,
    hits: Vec<ClassHit>,
    parts: Vec<((usize, usize), usize, usize)>,
}

impl Sentence {
    fn matches(
        &mut self,
        tables: &Tables,
        text: &FoldedText,
        is_input: bool,
        found: &mut Vec<PhraseMatch>,
    ) {
        let sentence_start = found.len();
        self.hits.sort_by_key(|hit| (hit.first, hit.last));
        let mut push = |rule, severity: &McpSeverity, first: usize, last: usize, reported| {
            let same = |known: &&mut PhraseMatch| known.rule == rule;
            let (Some(start), Some(end)) = (text.words.get(first), text.words.get(last)) else {
                return;
            };
            let fresh = PhraseMatch {
                rule,
                severity: severity.clone(),
                start: start.start,
                end: end.end,
                reported,
            };
            match found.get_mut(sentence_start..).into_iter().flatten().find(same) {
                // A plain match says more than a reported one.
                Some(known) if known.reported && !reported => *known = fresh,
                // Phrases of other languages that are unmistakable come after the others.
                Some(known)
                    if !reported
                        && *severity == McpSeverity::Critical
                        && known.severity != McpSeverity::Critical =>
                {
                    *known = fresh;
                }
                Some(_) => {}
                None => found.push(fresh),
            }
        };
        for pattern in &tables.patterns {
            if (pattern.inputs_only && !is_input)
                || pattern.elements.iter().any(|element| self.all & element == 0)
                || self.all & pattern.without != 0
            {
                continue;
            }
            if let Some((first, last)) = self.find(pattern) {
                let near = first.saturating_sub(REPORTED_WITHIN);
                let reported = self.hits.iter().any(|hit| {
                    hit.classes & pattern.reported != 0 && hit.first >= near && hit.last < first
                });
                push(pattern.rule, &pattern.severity, first, last, reported);
            }
        }
        for (number, phrase) in tables.languages.iter().enumerate() {
            let of_phrase = || self.parts.iter().filter(|((owner, _), _, _)| *owner == number);
            let complete =
                (0..phrase.parts).all(|part| of_phrase().any(|((_, p), _, _)| *p == part));
            let excluded = of_phrase().any(|((_, part), _, _)| *part == phrase.parts);
            if complete
                && !excluded
                && let (Some(first), Some(last)) = (
                    of_phrase().map(|(_, first, _)| *first).min(),
                    of_phrase().map(|(_, _, last)| *last).max(),
                )
            {
                push(phrase.rule, &phrase.severity, first, last, false);
            }
        }
    }

    /// The first place where all elements stand within the window, each in words of its own.
    fn find(&self, pattern: &Pattern) -> Option<(usize, usize)> {
        let (first_element, rest) = pattern.elements.split_first()?;
        for (index, start) in self.hits.iter().enumerate() {
            if pattern.late && start.first == 0 {
                continue;
            }
            let starts = if pattern.ordered {
                start.classes & first_element != 0
            } else {
                pattern.elements.iter().any(|element| start.classes & element != 0)
            };
            if !starts {
                continue;
            }
            let following = self.hits.get(index..).unwrap_or_default();
            let limit = start.first.saturating_add(pattern.window);
            let end = if pattern.ordered {
                find_ordered(following, start, rest, limit)
            } else {
                find_unordered(following, &pattern.elements, limit)
            };
            if let Some(end) = end {
                return Some((start.first, end));
            }
        }
        None
    }
}

/// The last word of the elements in their order after `start`.
fn find_ordered(
    hits: &[ClassHit],
    start: &ClassHit,
    rest: &[Classes],
    limit: usize,
) -> Option<usize> {
    let mut last = start.last;
    for element in rest {
        // The hit that ends first leaves most room for the others.
        let next = hits
            .iter()
            .take_while(|hit| hit.first < limit)
            .filter(|hit| hit.first > last && hit.classes & element != 0)
            .min_by_key(|hit| hit.last)?;
        last = next.last;
    }
    Some(last)
}

/// The last word of the elements in any order.
fn find_unordered(hits: &[ClassHit], elements: &[Classes], limit: usize) -> Option<usize> {
    let mut taken: Vec<(usize, usize)> = Vec::with_capacity(elements.len());
    for element in elements {
        let free = |hit: &&ClassHit| {
            hit.classes & element != 0
                && taken.iter().all(|(first, last)| hit.last < *first || hit.first > *last)
        };
        let hit = hits.iter().take_while(|hit| hit.first < limit).find(free)?;
        taken.push((hit.first, hit.last));
    }
    taken.iter().map(|(_, last)| *last).max()
}

/// What a test of the data needs.
#[cfg(test)]
pub(super) fn pattern_rules() -> Vec<&'static str> {
    let tables = &*TABLES;
    assert!(tables.patterns.iter().all(|p| p.elements.iter().all(|element| *element != 0)));
    assert_eq!(tables.patterns.len(), data_lines(PATTERNS).count());
    tables.patterns.iter().map(|p| p.rule).chain(tables.languages.iter().map(|p| p.rule)).collect()
}
