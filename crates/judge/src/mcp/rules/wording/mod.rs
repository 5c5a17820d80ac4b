//! A linear model of wording: finds sentences that sound like orders to a model, in words that no
//! pattern has.
//!
//! The features of a sentence are its words, their beginnings, pairs of neighbours, what they mean, and whether
//! the sentence opens the text. Their weights (`data/mcp/wording.txt`) were learnt from our corpus without the parts
//! that are set aside; `learn.rs` has the method, `docs/mcp-rules.md` the figures. Its findings are soft: of medium
//! severity if a sentence scores high, else hints of low severity.

#[cfg(test)]
pub(super) mod learn;
pub(super) mod meanings;

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use declared::instructions::fold::is_unspaced;

use super::folded_text::FoldedText;

pub(in crate::mcp) const WEIGHTS: &str = include_str!("../../../../data/mcp/wording.txt");
/// A sentence above the first score is a hint, and above the second one a finding of medium severity. Chosen by
/// cross-validation on the definitions that are not set aside.
const HINT: f64 = 0.5;
const STRONG: f64 = 0.9;
/// A sentence above this score that also has a phrase of a hard rule blocks. In cross-validation on the definitions that
/// are not set aside no harmless one had both; of those set aside one has.
const CERTAIN: f64 = 2.0;
/// A text whose sentences all score lower sounds harmless: what else was found in its words counts less.
const CALM: f64 = -1.0;
/// Longer sentences are looked at in parts, so that a long one does not dilute an order.
const PART_WORDS: usize = 40;
/// Shorter parts say too little.
const MIN_WORDS: usize = 4;
/// How many letters of a word count as its beginning.
const BEGINNING: usize = 5;
/// The most letters of a word in a writing without blanks, where a word is all up to the next comma.
const MAX_UNSPACED: usize = 400;
/// A sentence's length counts in steps of so many words.
const LENGTH_STEP: usize = 8;

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
    score: f64,
}

impl Order {
    pub(super) fn is_hint(&self) -> bool {
        self.score > HINT
    }

    pub(super) fn is_strong(&self) -> bool {
        self.score > STRONG
    }

    pub(super) fn is_certain(&self) -> bool {
        self.score > CERTAIN
    }

    /// The whole text sounds harmless.
    pub(super) fn is_calm(&self) -> bool {
        self.score < CALM
    }
}

/// The sentence that sounds most like an order, unless all are too short to tell.
pub(super) fn find_order(text: &FoldedText) -> Option<Order> {
    let model = &*MODEL;
    parts(text)
        .into_iter()
        .map(|part| Order {
            first: part.first,
            last: part.last,
            score: model.score(&part.features),
        })
        .max_by(|a, b| a.score.total_cmp(&b.score))
}

impl Model {
    fn score(&self, features: &[String]) -> f64 {
        let sum: f64 = features.iter().filter_map(|name| self.weights.get(name.as_str())).sum();
        self.bias + sum / scale(features.len())
    }
}

/// Long sentences have more features, which must not count much more.
#[expect(clippy::cast_precision_loss, reason = "a few thousand features")]
fn scale(features: usize) -> f64 {
    (features.saturating_add(1) as f64).powf(0.4)
}

pub(super) fn parts(text: &FoldedText) -> Vec<Part> {
    let meanings = meanings::meanings(text);
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
        if words_of(text, first, next) >= MIN_WORDS {
            found.push(part(text, first, next, &meanings));
        }
        first = next;
    }
    found
}

/// How many words there are; in a writing without blanks, two letters are about one.
fn words_of(text: &FoldedText, first: usize, next: usize) -> usize {
    let size = |word: &str| (word.chars().filter(|c| is_unspaced(*c)).count() / 2).max(1);
    (first..next).filter_map(|number| text.word(number)).map(size).fold(0, usize::saturating_add)
}

fn part(text: &FoldedText, first: usize, next: usize, meanings: &[(usize, &'static str)]) -> Part {
    let mut features: Vec<String> = Vec::new();
    let opens = text.words.get(first).is_some_and(|word| word.sentence == 0);
    features.push(if opens { "opens" } else { "follows" }.to_owned());
    features.push(format!("l={}", next.saturating_sub(first).min(39) / LENGTH_STEP));
    for number in first..next {
        let Some(word) = text.word(number) else { continue };
        let following = text.word(number.saturating_add(1)).filter(|_| number + 1 < next);
        let beginning: String = word.chars().take(BEGINNING).collect();
        if number == first {
            features.push(format!("f={beginning}"));
            if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
                features.push("third".to_owned());
            }
            if !opens {
                features.push(format!("g={word}"));
                features.extend(following.map(|next| format!("g={word}_{next}")));
            }
        }
        if word.contains(is_unspaced) {
            let letters: Vec<char> = word.chars().take(MAX_UNSPACED).collect();
            let runs = letters.windows(2).chain(letters.windows(3));
            features.extend(runs.map(|run| format!("u={}", run.iter().collect::<String>())));
        } else {
            features.push(format!("w={word}"));
            features.push(format!("p={beginning}"));
        }
        features.extend(following.map(|next| format!("b={word}_{next}")));
    }
    let start = meanings.partition_point(|(word, _)| *word < first);
    let inside =
        meanings.get(start..).unwrap_or_default().iter().take_while(|(word, _)| *word < next);
    let inside: BTreeSet<&str> = inside.map(|(_, meaning)| *meaning).collect();
    features.extend(inside.into_iter().map(|meaning| format!("c={meaning}")));
    features.sort_unstable();
    features.dedup();
    Part { first, last: next.saturating_sub(1), features }
}
