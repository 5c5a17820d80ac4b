//! Compares two pages, allowing for how much the page changes between two browser requests.

use contract::records::EquivalenceVerdict;

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
    pub(super) same_prices: bool,
}

/// The similarity of two pages, 0 to 1.
pub(super) fn similarity(one: &ParsedPage, other: &ParsedPage) -> f64 {
    one.shingles.jaccard(&other.shingles)
}

/// Compares a page with the browser's. `again` is the browser's second reading.
pub(super) fn compare_texts(
    parsed_page: &ParsedPage,
    reference: &ParsedPage,
    again: Option<&ParsedPage>,
) -> TextSimilarity {
    let (mine, theirs) = (parsed_page.shingles.words(), reference.shingles.words());
    TextSimilarity {
        similarity: similarity(parsed_page, reference),
        share_in_reference: parsed_page.shingles.containment(&reference.shingles),
        share_of_reference: reference.shingles.containment(&parsed_page.shingles),
        word_ratio: if theirs == 0 { 0.0 } else { mine as f64 / theirs as f64 },
        // Prices that differ between two browser readings are ignored.
        same_prices: parsed_page.prices == reference.prices
            || again.is_none_or(|again| again.prices != reference.prices),
    }
}

/// Whether a similarity is high enough for the same page. `noise` is the similarity of the browser's
/// two readings.
pub(super) fn is_same_page(alike: f64, noise: Option<f64>, rules: &Rulepack) -> bool {
    let thresholds = &rules.thresholds;
    let least = fraction(thresholds.equivalent_percent);
    alike >= least.min(noise.unwrap_or(1.0) - fraction(thresholds.noise_percent))
}

/// Whether the two browser readings are similar enough to compare others with them.
pub(super) fn is_stable(noise: Option<f64>, rules: &Rulepack) -> bool {
    noise.is_none_or(|noise| noise >= fraction(rules.thresholds.deterministic_percent))
}

pub(super) fn equivalence_verdict(
    likeness: &TextSimilarity,
    noise: Option<f64>,
    rules: &Rulepack,
) -> EquivalenceVerdict {
    let thresholds = &rules.thresholds;
    if !is_stable(noise, rules) {
        return EquivalenceVerdict::NotDeterministic;
    }
    if is_same_page(likeness.similarity, noise, rules) {
        // The same words with different prices are how a site would deceive crawlers.
        return match likeness.same_prices {
            true => EquivalenceVerdict::Equivalent,
            false => EquivalenceVerdict::Different,
        };
    }
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
