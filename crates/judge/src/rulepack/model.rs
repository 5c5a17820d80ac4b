//! The types of a rulepack.

use serde::Serialize;

use crate::cached_digest::CachedDigest;

/// A set of scoring rules. Each build has one. Older records name theirs by version and digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rulepack {
    pub score_version: u32,
    pub sections: Vec<Section>,
    /// In the order of the score ledger. The weights add up to 100.
    pub rules: Vec<Rule>,
    pub caps: Vec<Cap>,
    /// Each letter with the lowest score it needs, best first.
    pub letters: Vec<(&'static str, u32)>,
    pub thresholds: Thresholds,
    /// The digests of the data files that the rules use.
    pub data: Vec<(&'static str, String)>,
}

/// A topic of the record. Its score is the sum of the points of its rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    pub about: &'static str,
}

/// One requirement that a site can meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// `section.rule`
    pub id: &'static str,
    pub section: &'static str,
    pub title: &'static str,
    pub weight: u32,
    /// What earns the points.
    pub asks: &'static str,
    /// When the rule is not applicable or cannot be assessed. It then does not affect the score.
    pub left_out: &'static str,
    /// Why it matters, and to whom.
    pub why: &'static str,
    pub standard: Option<&'static str>,
}

/// A condition that limits the score, whatever the other rules earn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cap {
    pub id: &'static str,
    pub at_most: u32,
    /// Whether the cap is about getting the page at all.
    pub reach: bool,
    pub when: &'static str,
}

/// The numbers that decide when two pages differ, and other limits of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Thresholds {
    /// Two readings of people that are less similar than this show that the page varies.
    pub deterministic_percent: u32,
    /// A text at least this similar to one that people got counts as the same…
    pub equivalent_percent: u32,
    /// …and so does one whose similarity is at most this much below that of people's own readings.
    pub noise_percent: u32,
    /// A text is part of another if at least this share of it occurs there.
    pub contained_percent: u32,
    /// Fewer words than this share of the browser's: reduced.
    pub reduced_below_percent: u32,
    /// More words than this share of the browser's: augmented.
    pub augmented_above_percent: u32,
    /// The number of words a page needs without scripts.
    pub enough_words: u32,
    /// A certificate that expires within this many days gets a finding.
    pub certificate_days: i64,
    /// Characters of a body shown in a check.
    pub excerpt_chars: usize,
}

impl Rulepack {
    /// The SHA-256 of the rules as canonical JSON, in hex. Serialising the rules cannot fail; if
    /// that ever changes, the digest is empty and the tests fail.
    #[must_use]
    pub fn digest(&self) -> String {
        static DIGEST: CachedDigest<Rulepack> = CachedDigest::new();
        DIGEST.of(self)
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
