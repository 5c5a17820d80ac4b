//! A linear model of wording: finds sentences that sound like orders to a model, in words that no
//! pattern has.
//!
//! The features of a sentence are its words, their beginnings, and the classes of the lexicon, alone and
//! in pairs. Their weights (`data/mcp/wording.txt`) were learnt from our corpus without the part that is set
//! aside; `learn.rs` has the method, `docs/mcp-rules.md` the figures. Its findings are soft: most are hints of
//! low severity, and only those that score far above it are of medium severity.

#[cfg(test)]
pub(super) mod learn;

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use super::folded_text::FoldedText;
use super::phrases::sentence_classes;

pub(in crate::mcp) const WEIGHTS: &str = include_str!("../../../../data/mcp/wording.txt");
/// A sentence above this score is a hint, and above the second one a finding of medium severity. Chosen on
/// definitions that the weights were not learnt from.
const HINT: f64 = 0.75;
const STRONG: f64 = 1.5;
/// Longer sentences are looked at in parts, so that a long one does not dilute an order.
const PART_WORDS: usize = 40;
/// Shorter parts say too little.
const MIN_WORDS: usize = 4;
/// The most classes of a part, because each pair is a feature.
const MAX_CLASSES: usize = 24;
/// How many letters of a word count as its beginning.
const BEGINNING: usize = 5;

struct Model {
    bias: f64,
    weights: HashMap<&'static str, f64>,
}

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let mut model = Model { bias: 0.0, weights: HashMap::new() };
    for line in WEIGHTS.lines().filter(|line| !line.starts_with('#')) {
        if let Some((feature, weight)) = line.rsplit_once(' ')
            && let Ok(weight) = weight.parse::<f64>()
        {
            if feature == "bias" {
                model.bias = weight;
            } else {
                model.weights.insert(feature, weight);
            }
        }
    }
    model
});

/// A part of a sentence: the numbers of its first and last word, and its features.
pub(super) struct Part {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) features: Vec<String>,
}

/// The sentence that sounds most like an order.
pub(super) struct Order {
    /// The numbers of its first and last word.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) is_strong: bool,
}

/// The sentence that sounds most like an order, if any does.
pub(super) fn find_order(text: &FoldedText) -> Option<Order> {
    let model = &*MODEL;
    parts(text)
        .into_iter()
        .map(|part| (model.score(&part.features), part))
        .filter(|(score, _)| *score > HINT)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(score, part)| Order {
            first: part.first,
            last: part.last,
            is_strong: score > STRONG,
        })
}

impl Model {
    fn score(&self, features: &[String]) -> f64 {
        let sum: f64 = features.iter().filter_map(|name| self.weights.get(name.as_str())).sum();
        self.bias + sum / scale(features.len())
    }
}

/// Long sentences have more features, which must not count more.
#[expect(clippy::cast_precision_loss, reason = "a few hundred features")]
fn scale(features: usize) -> f64 {
    (features.saturating_add(1) as f64).sqrt()
}

pub(super) fn parts(text: &FoldedText) -> Vec<Part> {
    let classes = sentence_classes(text);
    let mut found = Vec::new();
    let mut first = 0_usize;
    while let Some(word) = text.words.get(first) {
        let length = text
            .words
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take(PART_WORDS)
            .take_while(|next| next.sentence == word.sentence)
            .count();
        let next = first.saturating_add(length.max(1));
        if length >= MIN_WORDS {
            found.push(part(text, first, next, &classes));
        }
        first = next;
    }
    found
}

fn part(text: &FoldedText, first: usize, next: usize, classes: &[(usize, &'static str)]) -> Part {
    let mut features: Vec<String> = Vec::new();
    for number in first..next {
        let Some(word) = text.word(number) else { continue };
        let beginning: String = word.chars().take(BEGINNING).collect();
        if number == first {
            features.push(format!("f={beginning}"));
            if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
                features.push("third".to_owned());
            }
        }
        features.push(format!("w={word}"));
        features.push(format!("p={beginning}"));
    }
    let start = classes.partition_point(|(word, _)| *word < first);
    let inside =
        classes.get(start..).unwrap_or_default().iter().take_while(|(word, _)| *word < next);
    let classes: BTreeSet<&str> = inside.map(|(_, class)| *class).collect();
    let classes: Vec<&str> = classes.into_iter().take(MAX_CLASSES).collect();
    for (number, class) in classes.iter().enumerate() {
        features.push(format!("c={class}"));
        let others = classes.get(number.saturating_add(1)..).unwrap_or_default();
        features.extend(others.iter().map(|other| format!("d={class}_{other}")));
    }
    features.sort_unstable();
    features.dedup();
    Part { first, last: next.saturating_sub(1), features }
}
