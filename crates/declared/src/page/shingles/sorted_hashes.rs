//! Sorts hashes and compares sorted ones.

/// How many hashes two sorted lists have in common. Neither list has duplicates. If it is less than `least`, the count
/// may be too low: it ends when the rest of the lists cannot reach that any more.
pub(super) fn count_common(one: &[u64], other: &[u64], least: usize) -> usize {
    const STEPS: usize = 8;
    let (mut ours, mut theirs) = (one, other);
    let mut common = 0;
    loop {
        // Pages that are compared often differ in a few words only: most hashes are the same.
        while let Some((our, our_rest)) = ours.split_first_chunk::<STEPS>()
            && let Some((their, their_rest)) = theirs.split_first_chunk::<STEPS>()
            && our == their
        {
            common += STEPS;
            (ours, theirs) = (our_rest, their_rest);
        }
        if common + ours.len().min(theirs.len()) < least {
            return common;
        }
        let (mut our_at, mut their_at) = (0, 0);
        for _ in 0..STEPS {
            let (Some(our), Some(their)) = (ours.get(our_at), theirs.get(their_at)) else {
                return common;
            };
            // Each list moves on by a comparison, not by a branch: which of two hashes is smaller is
            // chance, and the processor would guess wrong half of the time.
            common += usize::from(our == their);
            our_at += usize::from(our <= their);
            their_at += usize::from(their <= our);
        }
        ours = ours.get(our_at..).unwrap_or_default();
        theirs = theirs.get(their_at..).unwrap_or_default();
    }
}

/// Sorts hashes, which are evenly distributed: first into drawers by their highest bits, about two in
/// each, so that hardly anything is left to sort.
pub(super) fn sort_hashes(hashes: &mut Vec<u64>) {
    const MAX_BITS: u32 = 16;
    if hashes.len() < 256 || u32::try_from(hashes.len()).is_err() {
        hashes.sort_unstable();
        return;
    }
    let bits = (hashes.len().ilog2() - 1).min(MAX_BITS);
    let drawer = |hash: u64| (hash >> (64 - bits)) as usize;
    let mut starts = vec![0_u32; 1 << bits];
    for hash in hashes.iter() {
        if let Some(count) = starts.get_mut(drawer(*hash)) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += std::mem::replace(start, sum);
    }
    let mut sorted = vec![0; hashes.len()];
    for hash in hashes.iter() {
        if let Some(next) = starts.get_mut(drawer(*hash)) {
            if let Some(place) = sorted.get_mut(*next as usize) {
                *place = *hash;
            }
            *next += 1;
        }
    }
    // Every drawer now starts where the one before it ends.
    let mut rest = sorted.as_mut_slice();
    let mut from = 0;
    for end in starts {
        let length = (end - from) as usize;
        let Some((drawer, after)) = rest.split_at_mut_checked(length) else { break };
        sort_drawer(drawer);
        (rest, from) = (after, end);
    }
    *hashes = sorted;
}

/// Most drawers have too few hashes for a call to be worth it.
fn sort_drawer(drawer: &mut [u64]) {
    match drawer {
        [] | [_] => {}
        [a, b] => {
            if a > b {
                std::mem::swap(a, b);
            }
        }
        _ => drawer.sort_unstable(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn common_hashes_are_counted(
            all in proptest::collection::btree_map(0_u64..400, 0_u8..40, 0..200)
        ) {
            // Most hashes are in both lists.
            let list = |without: u8| -> Vec<u64> {
                all.iter().filter(|(_, kind)| **kind != without).map(|(hash, _)| *hash).collect()
            };
            let both = all.values().filter(|kind| **kind > 1).count();
            for least in [0, both / 2, both] {
                proptest::prop_assert_eq!(count_common(&list(0), &list(1), least), both);
                proptest::prop_assert_eq!(count_common(&list(1), &list(0), least), both);
            }
            proptest::prop_assert!(count_common(&list(0), &list(1), both + 1) <= both);
        }
    }
}
