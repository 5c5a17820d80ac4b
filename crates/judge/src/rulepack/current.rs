//! The rulepack of this build.

use declared::comparison::{EQUAL_TEXT_PERCENT, NOISE_PERCENT};
use proof::digest::sha256;

use super::model::{Rulepack, Thresholds};
use super::rules;
use crate::walls::WallDetector;

impl Rulepack {
    #[must_use]
    pub fn current() -> Self {
        Self {
            score_version: 5,
            sections: rules::sections(),
            rules: rules::rules(),
            caps: rules::caps(),
            letters: vec![("A", 90), ("B", 80), ("C", 70), ("D", 60), ("F", 0)],
            thresholds: Thresholds {
                deterministic_percent: EQUAL_TEXT_PERCENT,
                equivalent_percent: EQUAL_TEXT_PERCENT,
                noise_percent: NOISE_PERCENT,
                contained_percent: 90,
                reduced_below_percent: 80,
                augmented_above_percent: 125,
                enough_words: 50,
                certificate_days: 14,
                excerpt_chars: 160,
            },
            data: vec![
                (
                    "marks of block and challenge pages",
                    WallDetector::built_in().digest().to_owned(),
                ),
                (
                    "words and marks of pages that stand in for the content",
                    WallDetector::gate_digest().to_owned(),
                ),
                (
                    "phrases of instructions to machines",
                    sha256(declared::instructions::PHRASES.as_bytes()).to_string(),
                ),
            ],
        }
    }
}
