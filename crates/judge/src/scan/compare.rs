//! Whether two pages are the same page, given how much the page changes by itself.

use contract::records::EquivalenceVerdict;

use super::look::Sheet;
use crate::rulepack::Rulepack;

/// How two texts compare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Likeness {
    /// What they have in common of what both hold, 0 to 1.
    pub(super) alike: f64,
    /// The share of this text that stands in the yardstick.
    pub(super) contained: f64,
    /// The share of the yardstick that stands in this text.
    pub(super) contains: f64,
    /// Words for each word of the yardstick.
    pub(super) ratio: f64,
    pub(super) same_prices: bool,
}

/// How much of two pages is common, 0 to 1.
pub(super) fn alike(one: &Sheet, other: &Sheet) -> f64 {
    one.shingles.jaccard(&other.shingles)
}

/// This page against the yardstick; `again` is the yardstick's second reading.
pub(super) fn likeness(sheet: &Sheet, yardstick: &Sheet, again: Option<&Sheet>) -> Likeness {
    let (mine, theirs) = (sheet.shingles.words(), yardstick.shingles.words());
    Likeness {
        alike: alike(sheet, yardstick),
        contained: sheet.shingles.containment(&yardstick.shingles),
        contains: yardstick.shingles.containment(&sheet.shingles),
        ratio: if theirs == 0 { 0.0 } else { mine as f64 / theirs as f64 },
        // Prices that the page changes by itself say nothing.
        same_prices: sheet.prices == yardstick.prices
            || again.is_none_or(|again| again.prices != yardstick.prices),
    }
}

/// Whether a likeness is that of a page with itself. `noise` is how alike two reads by the browser
/// are.
pub(super) fn is_the_same(alike: f64, noise: Option<f64>, rules: &Rulepack) -> bool {
    let t = &rules.thresholds;
    let least = percent(t.equivalent_percent);
    alike >= least.min(noise.unwrap_or(1.0) - percent(t.noise_percent))
}

/// Whether two reads by the browser are alike enough to say anything about others.
pub(super) fn is_like_itself(noise: Option<f64>, rules: &Rulepack) -> bool {
    noise.is_none_or(|noise| noise >= percent(rules.thresholds.deterministic_percent))
}

pub(super) fn verdict(
    likeness: &Likeness,
    noise: Option<f64>,
    rules: &Rulepack,
) -> EquivalenceVerdict {
    let t = &rules.thresholds;
    if !is_like_itself(noise, rules) {
        return EquivalenceVerdict::NotDeterministic;
    }
    if is_the_same(likeness.alike, noise, rules) {
        // The same words with other prices are what somebody who deceives would serve.
        return match likeness.same_prices {
            true => EquivalenceVerdict::Equivalent,
            false => EquivalenceVerdict::Different,
        };
    }
    let part = percent(t.contained_percent);
    if likeness.contained >= part && likeness.ratio < percent(t.reduced_below_percent) {
        return EquivalenceVerdict::Reduced;
    }
    if likeness.contains >= part && likeness.ratio > percent(t.augmented_above_percent) {
        return EquivalenceVerdict::Augmented;
    }
    EquivalenceVerdict::Different
}

fn percent(hundredths: u32) -> f64 {
    f64::from(hundredths) / 100.0
}
