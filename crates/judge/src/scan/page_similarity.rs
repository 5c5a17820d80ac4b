//! How similar a page is to the browser's, in numbers and in a word.

use contract::records::EquivalenceVerdict;
use declared::comparison::Facet;

use super::parsed_evidence::ParsedPage;
use crate::rulepack::Rulepack;

/// How two texts compare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TextSimilarity {
    /// The share of word sequences that both have in common (Jaccard), 0 to 1.
    pub(super) similarity: f64,
    /// The share of this text that occurs in the browser's text.
    pub(super) share_in_reference: f64,
    /// The share of the browser's text that occurs in this text.
    pub(super) share_of_reference: f64,
    /// The number of words divided by that of the browser's text.
    pub(super) word_ratio: f64,
}

/// The similarity of two pages, 0 to 1.
pub(super) fn similarity(one: &ParsedPage, other: &ParsedPage) -> f64 {
    one.compared.similarity(&other.compared, Facet::Text)
}

/// Compares a page with the browser's.
pub(super) fn compare_texts(parsed_page: &ParsedPage, reference: &ParsedPage) -> TextSimilarity {
    let (own, theirs) = (&parsed_page.compared.shingles, &reference.compared.shingles);
    // Both texts are gone through once for all three numbers.
    let overlap = own.overlap(theirs);
    TextSimilarity {
        similarity: parsed_page.compared.similarity_by_overlap(&reference.compared, overlap),
        share_in_reference: overlap.containment(),
        share_of_reference: overlap.reversed().containment(),
        word_ratio: if theirs.words() == 0 {
            0.0
        } else {
            own.words() as f64 / theirs.words() as f64
        },
    }
}

/// The word for a text that follows the identity: part of the browser's, more than it, or another.
pub(super) fn difference_verdict(
    likeness: &TextSimilarity,
    rules: &Rulepack,
) -> EquivalenceVerdict {
    let thresholds = &rules.thresholds;
    let contained = fraction(thresholds.contained_percent);
    if likeness.share_in_reference >= contained
        && likeness.word_ratio < fraction(thresholds.reduced_below_percent)
    {
        return EquivalenceVerdict::Reduced;
    }
    if likeness.share_of_reference >= contained
        && likeness.word_ratio > fraction(thresholds.augmented_above_percent)
    {
        return EquivalenceVerdict::Augmented;
    }
    EquivalenceVerdict::Different
}

fn fraction(hundredths: u32) -> f64 {
    f64::from(hundredths) / 100.0
}
