//! The rules as data: what is scored, how much each rule weighs, what holds a grade down, where a
//! difference begins.
//!
//! Everything a judgement leans on besides the evidence is in here or named by digest, so that the
//! digest of this value says which rules judged. A change of any of it is a change of
//! `score_version`.

mod method;
mod rules;

pub use method::method_page;
use proof::digest::sha256;
use serde::Serialize;

use crate::walls::Walls;

/// A set of rules. There is one in each build; older records name theirs by version and digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rulepack {
    pub score_version: u32,
    pub sections: Vec<Section>,
    /// In the order they stand in the ledger. Their weights come to 100.
    pub rules: Vec<Rule>,
    pub caps: Vec<Cap>,
    /// Letters by the least score they need, best first.
    pub letters: Vec<(&'static str, u32)>,
    pub thresholds: Thresholds,
    /// The digests of the data files the rules read with.
    pub data: Vec<(&'static str, String)>,
}

/// A topic of the record; its score is the points of its rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    pub about: &'static str,
}

/// One thing that is asked of a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// `section.rule`
    pub id: &'static str,
    pub section: &'static str,
    pub title: &'static str,
    pub weight: u32,
    /// What earns the points.
    pub asks: &'static str,
    /// When the rule does not apply, or cannot be told; then it counts on neither side.
    pub left_out: &'static str,
    /// Why it matters, and to whom.
    pub why: &'static str,
    pub standard: Option<&'static str>,
}

/// Something that no other merit makes up for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cap {
    pub id: &'static str,
    pub at_most: u32,
    /// Whether it is about getting the page at all.
    pub reach: bool,
    pub when: &'static str,
}

/// Where a difference begins. Shares are in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Thresholds {
    /// Two reads by the browser less alike than this: the page is not like itself, and nothing is
    /// said about others.
    pub deterministic_percent: u32,
    /// A text at least this like the browser's is the browser's…
    pub equivalent_percent: u32,
    /// …or one that is less alike by no more than this than two reads by the browser are.
    pub noise_percent: u32,
    /// A text of which this share stands in the other is a part of it.
    pub contained_percent: u32,
    /// Fewer words than this share of the browser's: reduced.
    pub reduced_below_percent: u32,
    /// More words than this share of the browser's: augmented.
    pub augmented_above_percent: u32,
    /// Words of text from which on a page says something without scripts.
    pub enough_words: u32,
    /// A certificate that ends within so many days is worth a note.
    pub certificate_days: i64,
    /// Characters of a body shown in a check.
    pub excerpt_chars: usize,
}

impl Rulepack {
    #[must_use]
    pub fn current() -> Self {
        Self {
            score_version: 2,
            sections: rules::sections(),
            rules: rules::rules(),
            caps: rules::caps(),
            letters: vec![("A", 90), ("B", 80), ("C", 70), ("D", 60), ("F", 0)],
            thresholds: Thresholds {
                deterministic_percent: 80,
                equivalent_percent: 90,
                noise_percent: 5,
                contained_percent: 90,
                reduced_below_percent: 80,
                augmented_above_percent: 125,
                enough_words: 50,
                certificate_days: 14,
                excerpt_chars: 160,
            },
            data: vec![
                ("marks of walls", Walls::built_in().digest().to_owned()),
                (
                    "phrases of instructions",
                    sha256(declared::instructions::PHRASES.as_bytes()).to_string(),
                ),
            ],
        }
    }

    /// Over the canonical JSON of the rules. Nothing in here can fail to be written; should that
    /// ever change, the digest is empty and the tests say so.
    #[must_use]
    pub fn digest(&self) -> String {
        proof::canonical::to_vec(self).map(|bytes| sha256(&bytes).to_string()).unwrap_or_default()
    }

    /// The letter for a score of 0 to 100.
    #[must_use]
    pub fn letter(&self, score: u32) -> Option<&'static str> {
        self.letters.iter().find(|(_, least)| score >= *least).map(|(letter, _)| *letter)
    }

    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    #[must_use]
    pub fn cap(&self, id: &str) -> Option<&Cap> {
        self.caps.iter().find(|cap| cap.id == id)
    }
}

#[cfg(test)]
mod tests;
