//! One look-up gives all feeds that contain an address.

use std::cmp::Reverse;
use std::net::IpAddr;

use super::address_index::{AddressIndex, LabelledRange};
use super::labels::{Label, LabelBuilder, Labels, NO_FEED};
use super::prefix_set::PrefixSet;
use crate::feed_id::FeedIndex;

/// The feeds of every address.
///
/// Immutable: build a new table when a feed changes. A table takes at most
/// [`RangeTable::MAX_BASE_BYTES`] and [`RangeTable::MAX_BYTES_PER_PREFIX`] for each prefix, and the
/// lists of feeds that overlap.
#[derive(Debug, Clone)]
pub struct RangeTable {
    ipv4: AddressIndex<u32>,
    ipv6: AddressIndex<u128>,
    labels: Labels,
}

impl RangeTable {
    /// Memory that does not depend on the number of prefixes: a table of 65,536 entries for each
    /// family.
    pub const MAX_BASE_BYTES: usize = 2 * (4 << 16) + 64;
    pub const MAX_BYTES_PER_PREFIX: usize = 200;

    #[must_use]
    pub fn new<'a>(feeds: impl IntoIterator<Item = (FeedIndex, &'a PrefixSet)>) -> Self {
        let (mut ipv4, mut ipv6) = (Vec::new(), Vec::new());
        for (feed, prefixes) in feeds {
            ipv4.extend(prefixes.ipv4().iter().map(|net| FeedRange {
                first: u128::from(net.network().to_bits()),
                last: u128::from(net.broadcast().to_bits()),
                feed,
            }));
            ipv6.extend(prefixes.ipv6().iter().map(|net| FeedRange {
                first: net.network().to_bits(),
                last: net.broadcast().to_bits(),
                feed,
            }));
        }
        let mut labels = LabelBuilder::new();
        Self {
            ipv4: AddressIndex::new(&labelled_ranges(ipv4, u32::MAX.into(), &mut labels)),
            ipv6: AddressIndex::new(&labelled_ranges(ipv6, u128::MAX, &mut labels)),
            labels: labels.finish(),
        }
    }

    /// All feeds that contain the address, in ascending order. An IPv4-mapped IPv6 address is looked
    /// up as IPv4.
    #[inline]
    #[must_use]
    pub fn feeds_of(&self, address: IpAddr) -> &[FeedIndex] {
        let label = match address {
            IpAddr::V4(address) => self.ipv4.label(address.to_bits()),
            IpAddr::V6(address) => match address.to_ipv4_mapped() {
                Some(address) => self.ipv4.label(address.to_bits()),
                None => self.ipv6.label(address.to_bits()),
            },
        };
        self.labels.feeds(label)
    }

    /// How much memory the table takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.ipv4.memory_bytes() + self.ipv6.memory_bytes() + self.labels.memory_bytes()
    }
}

/// One prefix of a feed.
#[derive(Debug, Clone, Copy)]
struct FeedRange {
    first: u128,
    last: u128,
    feed: FeedIndex,
}

/// Divides the space from 0 to `space_end` into ranges whose addresses are in the same feeds.
fn labelled_ranges(
    mut prefixes: Vec<FeedRange>,
    space_end: u128,
    labels: &mut LabelBuilder,
) -> Vec<LabelledRange> {
    // A prefix comes after those that contain it. Two prefixes never overlap in part.
    prefixes.sort_unstable_by_key(|prefix| (prefix.first, Reverse(prefix.last), prefix.feed));
    let mut ranges = RangeList(vec![LabelledRange { start: 0, label: NO_FEED }]);
    // The prefixes that contain the current address: their last address and the label inside.
    let mut open: Vec<(u128, Label)> = Vec::new();
    for prefix in prefixes {
        while let Some((last, _)) = open.pop_if(|(last, _)| *last < prefix.first) {
            ranges.begin(last + 1, innermost_label(&open));
        }
        let label = labels.with_feed(innermost_label(&open), prefix.feed);
        ranges.begin(prefix.first, label);
        open.push((prefix.last, label));
    }
    while let Some((last, _)) = open.pop() {
        if last < space_end {
            ranges.begin(last + 1, innermost_label(&open));
        }
    }
    ranges.0
}

fn innermost_label(open: &[(u128, Label)]) -> Label {
    open.last().map_or(NO_FEED, |(_, label)| *label)
}

/// Ranges in order; neighbours have different labels.
struct RangeList(Vec<LabelledRange>);

impl RangeList {
    /// From `start` on, addresses have this label. `start` never decreases.
    fn begin(&mut self, start: u128, label: Label) {
        self.0.pop_if(|last| last.start == start);
        if self.0.last().is_none_or(|last| last.label != label) {
            self.0.push(LabelledRange { start, label });
        }
    }
}

#[cfg(test)]
mod tests {
    use ipnet::IpNet;
    use proptest::prelude::*;

    use super::*;
    use crate::ranges::samples::{address, nets};

    fn table(feeds: &[(u16, &str)]) -> RangeTable {
        let sets: Vec<(FeedIndex, PrefixSet)> = feeds
            .iter()
            .map(|(feed, text)| (FeedIndex(*feed), PrefixSet::from_text(text).unwrap()))
            .collect();
        RangeTable::new(sets.iter().map(|(feed, set)| (*feed, set)))
    }

    fn feeds_of(table: &RangeTable, address: &str) -> Vec<u16> {
        table.feeds_of(address.parse().unwrap()).iter().map(|feed| feed.0).collect()
    }

    #[test]
    fn all_feeds_of_an_address_are_found() {
        let table = table(&[
            (7, "5.6.0.0/16\n2a00:1::/32"),
            (3, "5.6.7.0/24\n5.6.9.9\n2a00:1:2::/48"),
            (9, "5.6.7.8/32\n5.6.8.0/24\n2a00:1:2:3::/64\n2a00:1:2:3::4"),
            (1, "5.6.7.0/24"),
        ]);
        for (address, feeds) in [
            ("5.5.255.255", vec![]),
            ("5.6.0.0", vec![7]),
            ("5.6.6.255", vec![7]),
            ("5.6.7.0", vec![1, 3, 7]),
            ("5.6.7.8", vec![1, 3, 7, 9]),
            ("::ffff:5.6.7.8", vec![1, 3, 7, 9]),
            ("5.6.7.9", vec![1, 3, 7]),
            ("5.6.8.0", vec![7, 9]),
            ("5.6.9.8", vec![7]),
            ("5.6.9.9", vec![3, 7]),
            ("5.6.9.10", vec![7]),
            ("5.6.255.255", vec![7]),
            ("5.7.0.0", vec![]),
            ("0.0.0.0", vec![]),
            ("255.255.255.255", vec![]),
            ("2a00:1::", vec![7]),
            ("2a00:1:2:3::4", vec![3, 7, 9]),
            ("2a00:1:2:4::4", vec![3, 7]),
            ("2a00:2::", vec![]),
            ("::", vec![]),
            ("::5.6.7.8", vec![]),
        ] {
            assert_eq!(feeds_of(&table, address), feeds, "{address}");
        }
    }

    #[test]
    fn the_whole_space_and_its_ends_are_found() {
        let table = table(&[
            (0, "0.0.0.0/0\n::/0"),
            (1, "0.0.0.0/32\n255.255.255.255/32\n::/128\nffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ]);
        for address in
            ["0.0.0.0", "255.255.255.255", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]
        {
            assert_eq!(feeds_of(&table, address), [0, 1], "{address}");
        }
        for address in ["0.0.0.1", "255.255.255.254", "::1", "8000::"] {
            assert_eq!(feeds_of(&table, address), [0], "{address}");
        }
    }

    #[test]
    fn a_table_without_prefixes_is_small_and_finds_nothing() {
        let empty = RangeTable::new([(FeedIndex(0), &PrefixSet::default())]);
        assert!(feeds_of(&empty, "5.6.7.8").is_empty());
        assert!(feeds_of(&empty, "2a00::1").is_empty());
        assert!(empty.memory_bytes() < 100, "{}", empty.memory_bytes());
    }

    #[test]
    fn single_addresses_far_apart_stay_within_the_memory_bound() {
        let host = |bits: u128| IpNet::from(IpAddr::from(bits.to_be_bytes()));
        // Every address in a block of its own.
        let scattered_ipv4 = (0..20_000_u32)
            .map(|n| IpNet::from(IpAddr::from(n.wrapping_mul(0x9e37_79b1).to_be_bytes())));
        let scattered_ipv6 = (1..20_000_u128)
            .map(|n| host(n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)));
        let scattered: PrefixSet = scattered_ipv4.chain(scattered_ipv6).collect();
        assert_memory_is_bounded(&[scattered]).unwrap();
        // Two addresses in each block of the lowest level, two such blocks in each above, and so on.
        let pairs = (0..20_000_u128).map(|n| {
            let steps = (0..7).map(|step| (1 + 2 * (n >> step & 1)) << (16 * step));
            host((n >> 7) << 112 | steps.sum::<u128>())
        });
        let pairs: PrefixSet =
            [IpNet::from(IpAddr::from([5, 6, 7, 8]))].into_iter().chain(pairs).collect();
        assert_memory_is_bounded(&[pairs]).unwrap();
    }

    fn assert_memory_is_bounded(sets: &[PrefixSet]) -> Result<(), TestCaseError> {
        let table = RangeTable::new((0..).map(FeedIndex).zip(sets));
        let prefixes: usize = sets.iter().map(PrefixSet::len).sum();
        let bound = RangeTable::MAX_BASE_BYTES + RangeTable::MAX_BYTES_PER_PREFIX * prefixes;
        let used = table.ipv4.memory_bytes() + table.ipv6.memory_bytes();
        prop_assert!(used <= bound, "{used} bytes for {prefixes} prefixes, more than {bound}");
        Ok(())
    }

    proptest! {
        #[test]
        fn the_table_agrees_with_asking_every_prefix(
            feeds in prop::collection::vec(nets(), 0..5),
            addresses in prop::collection::vec(address(), 30),
        ) {
            let sets: Vec<PrefixSet> =
                feeds.iter().map(|nets| nets.iter().copied().collect()).collect();
            let table = RangeTable::new((0..).map(FeedIndex).zip(&sets));
            // The first and last addresses of all prefixes, and their neighbours.
            let edges = feeds.iter().flatten().flat_map(|net| {
                let (first, last) = (net.network(), net.broadcast());
                [first, last, neighbour(first, -1), neighbour(last, 1)]
            });
            for address in edges.chain(addresses) {
                let canonical = address.to_canonical();
                let expected: Vec<FeedIndex> = (0..)
                    .map(FeedIndex)
                    .zip(&feeds)
                    .filter(|(_, nets)| nets.iter().any(|net| net.contains(&canonical)))
                    .map(|(feed, _)| feed)
                    .collect();
                prop_assert_eq!(table.feeds_of(address), expected, "{}", address);
            }
            assert_memory_is_bounded(&sets)?;
        }
    }

    /// The address one before or after, or the other end of the space.
    fn neighbour(address: IpAddr, step: i8) -> IpAddr {
        match address {
            IpAddr::V4(address) => {
                IpAddr::V4(address.to_bits().wrapping_add_signed(step.into()).into())
            }
            IpAddr::V6(address) => {
                IpAddr::V6(address.to_bits().wrapping_add_signed(step.into()).into())
            }
        }
    }
}
