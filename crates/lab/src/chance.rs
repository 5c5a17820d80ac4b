//! Chance for sites that vary: numbers that nobody can foresee and that do not depend on who asks.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// Different in every process, so that no test passes because of one lucky sequence.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
/// Every generator takes the next number. All requests share it.
static GENERATORS: AtomicU64 = AtomicU64::new(0);

/// A small generator (SplitMix64) for one request or one text.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    /// A generator with an unpredictable state.
    pub(crate) fn new() -> Self {
        let number = GENERATORS.fetch_add(1, Ordering::Relaxed);
        // Two rounds, so that neighbouring requests have nothing in common.
        let mut chance = Self(SEED.wrapping_add(number.wrapping_mul(0xA076_1D64_78BD_642F)));
        Self(chance.next())
    }

    /// A generator whose sequence depends on the text alone.
    pub(crate) fn seeded(text: &str) -> Self {
        Self(hash(text))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or_default()
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// One of these; `None` if there is none.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let index = self.below(u64::try_from(all.len()).unwrap_or_default());
        all.get(usize::try_from(index).unwrap_or_default())
    }
}

/// A hash of a text that is the same in every process (FNV-1a).
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_fair_enough_and_stay_in_their_bounds() {
        let mut chance = Chance::new();
        let mut counts = [0_u32; 4];
        for _ in 0..4000 {
            counts[usize::try_from(chance.below(4)).unwrap()] += 1;
            assert!((7..=9).contains(&chance.between(7, 9)));
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert_eq!(chance.below(0), 0);
        assert_eq!(chance.pick::<u8>(&[]), None);
    }

    #[test]
    fn a_seeded_generator_repeats_itself_and_others_differ() {
        let first = |mut chance: Chance| chance.next();
        assert_eq!(first(Chance::seeded("a")), first(Chance::seeded("a")));
        assert_ne!(first(Chance::seeded("a")), first(Chance::seeded("b")));
        assert_ne!(first(Chance::new()), first(Chance::new()));
    }
}
