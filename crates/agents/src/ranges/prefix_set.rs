//! A set of address prefixes, such as those of one feed.

use std::fmt::Write as _;
use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::prefix_text::parse_prefix;

/// Prefixes in ascending order, none inside another. Host bits are cleared.
///
/// Adjacent prefixes are not joined, so the number of prefixes is that of the published list
/// without repetitions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrefixSet {
    ipv4: Vec<Ipv4Net>,
    ipv6: Vec<Ipv6Net>,
}

/// A stored list holds a line that is no prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the stored list is not an address prefix")]
pub struct InvalidPrefixLine {
    /// The line, from 1.
    pub line: usize,
}

impl PrefixSet {
    /// Reads what [`Self::to_text`] writes: one prefix a line.
    pub fn from_text(text: &str) -> Result<Self, InvalidPrefixLine> {
        text.lines()
            .enumerate()
            .map(|(at, line)| parse_prefix(line).ok_or(InvalidPrefixLine { line: at + 1 }))
            .collect()
    }

    /// One prefix a line, in order. Equal sets have equal texts.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.len() * "203.0.113.0/24\n".len());
        for prefix in self.iter() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{prefix}");
        }
        text
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.ipv4.len() + self.ipv6.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[must_use]
    pub fn has_ipv4(&self) -> bool {
        !self.ipv4.is_empty()
    }

    #[must_use]
    pub fn has_ipv6(&self) -> bool {
        !self.ipv6.is_empty()
    }

    #[must_use]
    pub fn ipv4(&self) -> &[Ipv4Net] {
        &self.ipv4
    }

    #[must_use]
    pub fn ipv6(&self) -> &[Ipv6Net] {
        &self.ipv6
    }

    /// All prefixes, IPv4 first.
    pub fn iter(&self) -> impl Iterator<Item = IpNet> + '_ {
        let ipv4 = self.ipv4.iter().copied().map(IpNet::V4);
        ipv4.chain(self.ipv6.iter().copied().map(IpNet::V6))
    }

    /// Whether a prefix of the set contains the address. An IPv4-mapped IPv6 address is looked up
    /// as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        // Prefixes do not overlap: only the last one that starts at or before the address can
        // contain it.
        match address.to_canonical() {
            IpAddr::V4(address) => {
                let after = self.ipv4.partition_point(|net| net.network() <= address);
                let net = after.checked_sub(1).and_then(|at| self.ipv4.get(at));
                net.is_some_and(|net| net.contains(&address))
            }
            IpAddr::V6(address) => {
                let after = self.ipv6.partition_point(|net| net.network() <= address);
                let net = after.checked_sub(1).and_then(|at| self.ipv6.get(at));
                net.is_some_and(|net| net.contains(&address))
            }
        }
    }

    /// How many IPv4 addresses the set contains.
    #[must_use]
    pub fn ipv4_addresses(&self) -> u64 {
        self.ipv4.iter().map(|net| 1_u64 << (32 - net.prefix_len())).sum()
    }

    /// How many IPv6 addresses the set contains, at most `u128::MAX`.
    #[must_use]
    pub fn ipv6_addresses(&self) -> u128 {
        let size = |net: &Ipv6Net| 1_u128.checked_shl(128 - u32::from(net.prefix_len()));
        self.ipv6
            .iter()
            .fold(0, |sum: u128, net| sum.saturating_add(size(net).unwrap_or(u128::MAX)))
    }
}

impl FromIterator<IpNet> for PrefixSet {
    fn from_iter<I: IntoIterator<Item = IpNet>>(prefixes: I) -> Self {
        let (mut ipv4, mut ipv6) = (Vec::new(), Vec::new());
        for prefix in prefixes {
            match prefix {
                IpNet::V4(net) => ipv4.push(net.trunc()),
                IpNet::V6(net) => ipv6.push(net.trunc()),
            }
        }
        // By address, then by length: a prefix comes after those that contain it.
        ipv4.sort_unstable();
        ipv4.dedup_by(|net, kept| kept.contains(&*net));
        ipv6.sort_unstable();
        ipv6.dedup_by(|net, kept| kept.contains(&*net));
        ipv4.shrink_to_fit();
        ipv6.shrink_to_fit();
        Self { ipv4, ipv6 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranges::samples::{address, nets};

    fn set(text: &str) -> PrefixSet {
        PrefixSet::from_text(text).unwrap()
    }

    #[test]
    fn a_set_is_sorted_masked_and_free_of_covered_prefixes() {
        let text = "2a00:1::/48\n9.9.9.9\n5.6.0.0/16\n5.6.7.0/24\n5.6.7.0/24\n1.2.3.4/24\n2a00:1:0:7::1\n5.7.0.0/16\n";
        let sorted = "1.2.3.0/24\n5.6.0.0/16\n5.7.0.0/16\n9.9.9.9/32\n2a00:1::/48\n";
        assert_eq!(set(text).to_text(), sorted);
        let set = set(text);
        assert_eq!((set.len(), set.ipv4().len(), set.ipv6().len()), (5, 4, 1));
        assert!(set.has_ipv4() && set.has_ipv6() && !set.is_empty());
        assert_eq!(set.ipv4_addresses(), 256 + 65_536 * 2 + 1);
        assert_eq!(set.ipv6_addresses(), 1 << 80);
    }

    #[test]
    fn families_are_told_apart_and_the_whole_space_is_counted() {
        let everything = set("0.0.0.0/0\n::/0\n");
        assert_eq!(everything.ipv4_addresses(), 1 << 32);
        assert_eq!(everything.ipv6_addresses(), u128::MAX);
        let ipv6 = set("2a00::/32\n");
        assert!(!ipv6.has_ipv4() && ipv6.has_ipv6());
        assert!(!PrefixSet::default().has_ipv6() && PrefixSet::default().is_empty());
    }

    #[test]
    fn a_mapped_address_is_looked_up_as_ipv4() {
        let set = set("5.6.7.0/24\n");
        assert!(set.contains("::ffff:5.6.7.8".parse().unwrap()));
        assert!(!set.contains("::ffff:5.6.8.8".parse().unwrap()));
        assert!(!set.contains("::5.6.7.8".parse().unwrap()));
    }

    #[test]
    fn the_line_of_a_damaged_list_is_named() {
        for (text, line) in [("1.2.3.0/24\nx\n", 2), ("\n", 1), ("1.2.3.0/33", 1)] {
            assert_eq!(PrefixSet::from_text(text), Err(InvalidPrefixLine { line }), "{text:?}");
        }
        assert_eq!(PrefixSet::from_text("").unwrap(), PrefixSet::default());
    }

    proptest! {
        #[test]
        fn a_set_contains_what_its_prefixes_contain(nets in nets(), address in address()) {
            let set: PrefixSet = nets.iter().copied().collect();
            let canonical = address.to_canonical();
            prop_assert_eq!(
                set.contains(address),
                nets.iter().any(|net| net.contains(&canonical))
            );
        }

        #[test]
        fn a_set_is_the_same_after_writing_and_reading(nets in nets()) {
            let set: PrefixSet = nets.into_iter().collect();
            prop_assert_eq!(PrefixSet::from_text(&set.to_text()), Ok(set));
        }
    }
}
