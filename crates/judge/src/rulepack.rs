//! The rules as data: what is scored, how points become letters, where a difference begins.
//!
//! Everything a judgement leans on besides the evidence is in here, so that the digest of this
//! value says which rules judged. A change of any figure is a change of `score_version`.

use proof::digest::sha256;
use serde::Serialize;

/// A set of rules. There is one in each build; older records name theirs by version and digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rulepack {
    pub score_version: u32,
    pub sections: Vec<Section>,
    /// Letters by the least score they need, best first.
    pub letters: Vec<(&'static str, u32)>,
    /// A page is another text than the browser's when it is less alike than this share of how alike
    /// two browser reads are, in hundredths.
    pub other_text_below_percent: u32,
    /// Characters of a body shown in a check.
    pub excerpt_chars: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    /// How it is scored, in words; null for a section that this rulepack does not judge yet.
    pub rule: Option<&'static str>,
}

impl Rulepack {
    #[must_use]
    pub fn current() -> Self {
        let judged = |id, title, rule| Section { id, title, rule: Some(rule) };
        let unjudged = |id, title| Section { id, title, rule: None };
        Self {
            score_version: 1,
            sections: vec![
                judged(
                    "reach",
                    "Reach",
                    "Of the AI identities that were answered in full, the share that was given the browser's home \
                     page: a success status, and a text as like the browser's as two reads by the browser are, \
                     less a margin. Not scored when the browser's page holds no text.",
                ),
                unjudged("policy", "Declared policy"),
                unjudged("machine_files", "Machine files"),
                unjudged("content", "Content without scripts"),
                unjudged("identity", "Structured identity"),
                unjudged("equivalence", "Same page for every reader"),
                unjudged("caching", "Caching"),
                unjudged("transport", "Transport"),
            ],
            letters: vec![("A", 90), ("B", 80), ("C", 70), ("D", 60), ("F", 0)],
            other_text_below_percent: 80,
            excerpt_chars: 160,
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_begin_where_the_table_says() {
        let rules = Rulepack::current();
        for (score, letter) in
            [(100, "A"), (90, "A"), (89, "B"), (70, "C"), (60, "D"), (59, "F"), (0, "F")]
        {
            assert_eq!(rules.letter(score), Some(letter), "{score}");
        }
    }

    /// Rules cannot change unseen: whoever changes one raises `score_version` and writes the new
    /// pair down here.
    #[test]
    fn the_digest_belongs_to_the_version() {
        let rules = Rulepack::current();
        assert_eq!(
            (rules.score_version, rules.digest().as_str()),
            (1, "99171610b89f8bdb1f784dab791f64a7b225e57e3fa201285186c05aaec80f85")
        );
    }
}
