//! Whether two pages are the same page, given how much the page changes by itself.

use contract::records::EquivalenceVerdict;
use declared::page::Page;

use crate::rulepack::Rulepack;
use crate::similarity::similarity;

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

pub(super) fn alike(one: &Page, other: &Page) -> f64 {
    let words = |page: &'_ Page| page.words().map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (words(one), words(other));
    let one: Vec<&str> = one.iter().map(String::as_str).collect();
    let other: Vec<&str> = other.iter().map(String::as_str).collect();
    similarity(&one, &other)
}

/// This page against the yardstick.
pub(super) fn likeness(page: &Page, yardstick: &Page) -> Likeness {
    let alike = alike(page, yardstick);
    let (mine, theirs) = (page.words().count(), yardstick.words().count());
    Likeness {
        alike,
        contained: alike,
        contains: alike,
        ratio: if theirs == 0 { 0.0 } else { mine as f64 / theirs as f64 },
        same_prices: true,
    }
}

/// Whether a likeness is that of a page with itself. `noise` is how alike two reads by the browser
/// are.
pub(super) fn is_the_same(alike: f64, noise: Option<f64>, rules: &Rulepack) -> bool {
    let t = &rules.thresholds;
    let least = percent(t.equivalent_percent);
    alike >= least.min(noise.unwrap_or(1.0) - percent(t.noise_percent))
}

pub(super) fn verdict(
    likeness: &Likeness,
    noise: Option<f64>,
    rules: &Rulepack,
) -> EquivalenceVerdict {
    let t = &rules.thresholds;
    if noise.is_some_and(|noise| noise < percent(t.deterministic_percent)) {
        return EquivalenceVerdict::NotDeterministic;
    }
    if !likeness.same_prices {
        return EquivalenceVerdict::Different;
    }
    if is_the_same(likeness.alike, noise, rules) {
        return EquivalenceVerdict::Equivalent;
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
