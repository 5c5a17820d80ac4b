//! Shuffles the order in which reads start, so that no identity is always first.

/// Shuffles the items; the same seed gives the same order.
pub(super) fn shuffle<T>(items: &mut [T], seed: &str) {
    // FNV-1a over the seed, then one xorshift step per swap. This spreads the order; it is not
    // meant to be unpredictable.
    let mut state = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    }) | 1;
    for at in (1..items.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = usize::try_from(state % (at as u64 + 1)).unwrap_or(at);
        items.swap(at, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_a_permutation_that_depends_on_the_token() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..17).collect();
            shuffle(&mut items, seed);
            items
        };
        let mut sorted = shuffled("abc");
        sorted.sort_unstable();
        assert_eq!(sorted, (0..17).collect::<Vec<_>>());
        assert_eq!(shuffled("abc"), shuffled("abc"));
        assert_ne!(shuffled("abc"), shuffled("abd"));
        shuffle(&mut [(); 0], "x");
    }
}
