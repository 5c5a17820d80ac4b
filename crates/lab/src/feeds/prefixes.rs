//! The prefixes of a feed. Pure: tests know them without asking.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::table::{Ipv4Entries, LabFeed, find};

/// The prefixes of the good list of this feed, in CIDR notation and in the order of the list; an
/// address without a mask in the list has `/32` here. No two of them touch. Empty if there is no
/// such feed.
#[must_use]
pub fn feed_prefixes(id: &str) -> Vec<String> {
    let prefixes = find(id).map(prefixes).unwrap_or_default();
    prefixes.into_iter().map(|(address, length)| format!("{address}/{length}")).collect()
}

/// A genuine IPv4 address of this feed and, if the feed has IPv6 prefixes, a genuine IPv6 address.
/// Empty if there is no such feed.
#[must_use]
pub fn feed_addresses(id: &str) -> Vec<IpAddr> {
    let prefixes = find(id).map(prefixes).unwrap_or_default();
    let first = |wanted: fn(&IpAddr) -> bool| {
        prefixes.iter().find(|(address, _)| wanted(address)).copied().map(host_inside)
    };
    [first(IpAddr::is_ipv4), first(IpAddr::is_ipv6)].into_iter().flatten().collect()
}

/// Network addresses with their lengths, IPv4 first.
pub(super) fn prefixes(feed: &LabFeed) -> Vec<(IpAddr, u8)> {
    let ipv6 = (0..feed.ipv6).map(|number| ipv6_prefix(feed.block, number));
    match feed.ipv4 {
        Ipv4Entries::Slash24(count) => {
            (0..count).map(|number| ipv4_prefix(feed.block, 24, number)).chain(ipv6).collect()
        }
        Ipv4Entries::Slash28(count) => {
            (0..count).map(|number| ipv4_prefix(feed.block, 28, number)).chain(ipv6).collect()
        }
        Ipv4Entries::Single(count) => {
            (0..count).map(|number| single_address(feed.block, number)).chain(ipv6).collect()
        }
    }
}

/// Every second prefix of the block, so that none of them can be merged.
fn ipv4_prefix(block: u8, length: u8, number: u16) -> (IpAddr, u8) {
    let size = 1_u32 << (32_u8.saturating_sub(length));
    let start = u32::from(Ipv4Addr::new(44, block, 0, 0));
    let address = start.saturating_add(u32::from(number).saturating_mul(2 * size));
    (IpAddr::V4(Ipv4Addr::from(address)), length)
}

/// Every second address between .10 and .208.
fn single_address(block: u8, number: u16) -> (IpAddr, u8) {
    let third = u8::try_from(number / 100).unwrap_or(u8::MAX);
    let fourth = u8::try_from(10 + 2 * (number % 100)).unwrap_or(u8::MAX);
    (IpAddr::V4(Ipv4Addr::new(44, block, third, fourth)), 32)
}

fn ipv6_prefix(block: u8, number: u16) -> (IpAddr, u8) {
    let second = 0xb00 + u16::from(block);
    let third = number.saturating_mul(2);
    (IpAddr::V6(Ipv6Addr::new(0x2a0e, second, third, 0, 0, 0, 0, 0)), 64)
}

/// The first address of a prefix that a machine can have.
fn host_inside((address, length): (IpAddr, u8)) -> IpAddr {
    match address {
        IpAddr::V4(address) if length < 32 => {
            IpAddr::V4(Ipv4Addr::from(u32::from(address).saturating_add(1)))
        }
        IpAddr::V6(address) if length < 128 => {
            IpAddr::V6(Ipv6Addr::from(u128::from(address).saturating_add(1)))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::feeds;

    fn range((address, length): (IpAddr, u8)) -> (bool, u128, u128) {
        let (v6, start, bits) = match address {
            IpAddr::V4(address) => (false, u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (true, u128::from(address), 128),
        };
        (v6, start, start + (1 << (bits - u32::from(length))))
    }

    #[test]
    fn prefixes_are_networks_that_neither_overlap_nor_touch() {
        let mut all: Vec<_> =
            feeds().iter().filter(|feed| feed.id != "duckassistbot").flat_map(prefixes).collect();
        assert!(all.len() > 5000, "{}", all.len());
        for (address, length) in &all {
            let (_, start, end) = range((*address, *length));
            assert_eq!(start % (end - start), 0, "{address}/{length} has host bits");
        }
        all.sort_by_key(|prefix| range(*prefix));
        for pair in all.windows(2) {
            let (first, second) = (range(pair[0]), range(pair[1]));
            assert!(first.0 != second.0 || first.2 < second.1, "{pair:?}");
        }
    }

    #[test]
    fn the_prefixes_and_addresses_of_some_feeds() {
        assert_eq!(feed_prefixes("openai-gptbot")[..2], ["44.1.0.0/24", "44.1.2.0/24"]);
        assert_eq!(feed_prefixes("openai-chatgpt-user")[1], "44.3.0.32/28");
        assert_eq!(feed_prefixes("amazonbot")[1], "44.17.0.12/32");
        assert_eq!(feed_prefixes("amazonbot")[100], "44.17.1.10/32");
        assert_eq!(feed_prefixes("ccbot")[5], "2a0e:b14::/64");
        assert_eq!(feed_prefixes("duckduckbot"), feed_prefixes("duckassistbot"));
        let addresses = |id: &str| feed_addresses(id).iter().map(IpAddr::to_string).collect();
        let some: Vec<Vec<String>> =
            ["openai-gptbot", "ccbot", "kagi-page", "nobody"].map(addresses).into();
        assert_eq!(some[0], ["44.1.0.1"]);
        assert_eq!(some[1], ["44.20.0.1", "2a0e:b14::1"]);
        assert_eq!(some[2], ["44.28.0.10"]);
        assert!(some[3].is_empty() && feed_prefixes("nobody").is_empty());
    }

    #[test]
    fn of_the_lists_of_single_agents_only_two_operators_have_ipv6() {
        let with_ipv6 = feeds().iter().filter(|feed| feed.ipv6 > 0).map(|feed| feed.id);
        let others = ["meta-geofeed", "meta-radb", "plain-text"];
        for id in with_ipv6.filter(|id| !others.contains(id)) {
            assert!(id.starts_with("google-") || id == "ccbot", "{id}");
        }
    }
}
