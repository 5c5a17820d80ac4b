//! The deciding trial: does the text follow the identity?
//!
//! Reference reads and reads of the suspected identities are made in an order drawn at random. If the
//! site does not look at the identity, every way to split the reads into two groups of these sizes is
//! equally likely to be the one that was drawn, whatever the site does by itself (chance, turns,
//! changes over time). So the split into our two groups is the clearest of all only with a chance of
//! one in the number of splits. It must be the clearest, without a tie, for an accusation.

use super::compared_page::{ComparedPage, Facet};

/// Reads of the browser and the control client in a trial.
pub const TRIAL_REFERENCE_READS: usize = 8;
/// Reads of the suspected identities, unless there are more of them.
pub const TRIAL_SUSPECT_READS: usize = 7;
/// The most reads of a trial. All splits of that many are looked at.
pub const MAX_TRIAL_READS: usize = 20;

/// With three facets tested, the chance of a false alarm is at most three in this many: under one in a
/// thousand.
const LEAST_SPLITS: u64 = 3_000;

/// One read of a trial.
#[derive(Debug, Clone, Copy)]
pub struct TrialReading<'a> {
    pub is_suspect: bool,
    pub page: &'a ComparedPage,
}

/// What a trial showed in one respect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialOutcome {
    /// Our split is the clearest of all.
    FollowsIdentity { splits: u64 },
    /// Another split is as clear: the differences do not follow the identity.
    Chance { splits: u64 },
    /// Too few reads to decide.
    TooFew { splits: u64 },
}

/// Decides one facet from the reads of a trial.
#[must_use]
pub fn run_trial(reads: &[TrialReading<'_>], facet: Facet) -> TrialOutcome {
    let count = reads.len();
    let suspects = reads.iter().filter(|read| read.is_suspect).count();
    let splits = distinct_splits(count, suspects);
    if count > MAX_TRIAL_READS || splits < LEAST_SPLITS {
        return TrialOutcome::TooFew { splits };
    }
    let similarity: Vec<Vec<f64>> = reads
        .iter()
        .map(|one| reads.iter().map(|other| one.page.similarity(other.page, facet)).collect())
        .collect();
    let drawn = reads
        .iter()
        .enumerate()
        .filter(|(_, read)| read.is_suspect)
        .fold(0_u32, |mask, (at, _)| mask | (1 << at));
    let all = (1_u32 << count) - 1;
    let own = similarity_across(&similarity, drawn);
    let is_clearest = subsets(count, suspects)
        .filter(|mask| *mask != drawn && (count != 2 * suspects || *mask != all ^ drawn))
        .all(|mask| similarity_across(&similarity, mask) > own + 1e-9);
    if is_clearest {
        TrialOutcome::FollowsIdentity { splits }
    } else {
        TrialOutcome::Chance { splits }
    }
}

/// The sum of the similarities between the two groups. The smaller, the clearer the split.
fn similarity_across(similarity: &[Vec<f64>], mask: u32) -> f64 {
    let mut sum = 0.0;
    for (one, row) in similarity.iter().enumerate() {
        if mask & (1 << one) == 0 {
            continue;
        }
        for (other, value) in row.iter().enumerate() {
            if mask & (1 << other) == 0 {
                sum += value;
            }
        }
    }
    sum
}

/// Every choice of `chosen` of `count` reads, as bits.
fn subsets(count: usize, chosen: usize) -> impl Iterator<Item = u32> {
    let end = 1_u32 << count;
    let first = (1_u32 << chosen) - 1;
    std::iter::successors(Some(first), move |mask| {
        // The next larger number with as many bits.
        let lowest = mask & mask.wrapping_neg();
        let ripple = mask.checked_add(lowest)?;
        let next = (((ripple ^ mask) >> 2) / lowest) | ripple;
        (next < end).then_some(next)
    })
}

/// How many different splits there are. Two groups of one size can be swapped, which is the same split.
fn distinct_splits(count: usize, chosen: usize) -> u64 {
    if chosen == 0 || chosen >= count {
        return 0;
    }
    let (count, chosen_n) = (count as u64, chosen as u64);
    let mut splits = 1_u64;
    for step in 0..chosen_n {
        splits = splits.saturating_mul(count - step) / (step + 1);
    }
    if 2 * chosen_n == count { splits / 2 } else { splits }
}

/// The order of a trial: which slots are reads of suspects. Drawn from the seed, which must be random.
#[must_use]
pub fn trial_order(references: usize, suspects: usize, seed: u64) -> Vec<bool> {
    let mut slots: Vec<bool> =
        std::iter::repeat_n(true, suspects).chain(std::iter::repeat_n(false, references)).collect();
    let mut state = seed;
    for at in (1..slots.len()).rev() {
        let other = usize::try_from(next_random(&mut state) % (at as u64 + 1)).unwrap_or(at);
        slots.swap(at, other);
    }
    slots
}

/// One step of the SplitMix64 generator.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut value = *state;
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
