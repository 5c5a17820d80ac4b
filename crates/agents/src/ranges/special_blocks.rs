//! Address blocks that no public client has, each with the document that says so.
//!
//! The IANA special-purpose registries without the blocks that are globally reachable, multicast, and
//! the IPv6 forms that carry an IPv4 address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// A block and what it is reserved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecialBlock {
    pub prefix: IpNet,
    /// An adjective for its addresses: `private`.
    pub name: &'static str,
    /// The document that reserves it.
    pub source: &'static str,
}

/// The block that contains the address, if no public client can have it. An IPv4-mapped IPv6 address
/// is looked up as IPv4.
#[must_use]
pub fn special_block_of(address: IpAddr) -> Option<&'static SpecialBlock> {
    let address = address.to_canonical();
    if is_ordinary(address) { None } else { special_block_in(&IpNet::from(address)) }
}

/// Whether the first bits of an address are those of no block. Every visitor is looked up, and most of them
/// are dismissed by this.
fn is_ordinary(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, ..] = address.octets();
            !matches!(first, 0 | 10 | 100 | 127 | 169 | 172 | 192 | 198 | 203 | 224..)
        }
        IpAddr::V6(address) => {
            let [first, ..] = address.segments();
            matches!(first, 0x2000 | 0x2003..0x3fff)
        }
    }
}

/// The first block that has an address in common with the prefix.
#[must_use]
pub fn special_block_in(prefix: &IpNet) -> Option<&'static SpecialBlock> {
    let overlaps =
        |block: &&SpecialBlock| block.prefix.contains(prefix) || prefix.contains(&block.prefix);
    match prefix {
        IpNet::V4(_) => IPV4_BLOCKS.iter().find(overlaps),
        IpNet::V6(net) if GLOBAL_UNICAST.contains(net) => IPV6_BLOCKS.iter().find(overlaps),
        IpNet::V6(_) => IPV6_BLOCKS.iter().find(overlaps).or(Some(&NOT_GLOBAL_UNICAST)),
    }
}

const fn v4(base: [u8; 4], length: u8, name: &'static str, source: &'static str) -> SpecialBlock {
    let [a, b, c, d] = base;
    let prefix = IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length));
    SpecialBlock { prefix, name, source }
}

const fn v6(base: [u16; 4], length: u8, name: &'static str, source: &'static str) -> SpecialBlock {
    let [a, b, c, d] = base;
    let prefix = IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), length));
    SpecialBlock { prefix, name, source }
}

/// The only part of IPv6 that is allocated to networks.
const GLOBAL_UNICAST: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
const NOT_GLOBAL_UNICAST: SpecialBlock = v6([0, 0, 0, 0], 0, "unallocated", "RFC 4291 section 2.4");

#[rustfmt::skip]
const IPV4_BLOCKS: &[SpecialBlock] = &[
    v4([0, 0, 0, 0], 8, "unspecified", "RFC 791 section 3.2"),
    v4([10, 0, 0, 0], 8, "private", "RFC 1918"),
    v4([100, 64, 0, 0], 10, "carrier-grade NAT", "RFC 6598"),
    v4([127, 0, 0, 0], 8, "loopback", "RFC 1122 section 3.2.1.3"),
    v4([169, 254, 0, 0], 16, "link-local", "RFC 3927"),
    v4([172, 16, 0, 0], 12, "private", "RFC 1918"),
    v4([192, 0, 0, 0], 24, "protocol", "RFC 6890"),
    v4([192, 0, 2, 0], 24, "documentation", "RFC 5737"),
    v4([192, 88, 99, 0], 24, "6to4 relay", "RFC 7526"),
    v4([192, 168, 0, 0], 16, "private", "RFC 1918"),
    v4([198, 18, 0, 0], 15, "benchmarking", "RFC 2544"),
    v4([198, 51, 100, 0], 24, "documentation", "RFC 5737"),
    v4([203, 0, 113, 0], 24, "documentation", "RFC 5737"),
    v4([224, 0, 0, 0], 4, "multicast", "RFC 5771"),
    v4([240, 0, 0, 0], 4, "reserved", "RFC 1112 section 4"),
];

/// Blocks outside [`GLOBAL_UNICAST`] are here only for a more exact name.
#[rustfmt::skip]
const IPV6_BLOCKS: &[SpecialBlock] = &[
    SpecialBlock {
        prefix: IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
        name: "loopback",
        source: "RFC 4291 section 2.5.3",
    },
    SpecialBlock {
        prefix: IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96)),
        name: "IPv4-mapped",
        source: "RFC 4291 section 2.5.5.2",
    },
    v6([0, 0, 0, 0], 8, "reserved", "RFC 4291 section 2.4"),
    v6([0x2001, 0, 0, 0], 23, "protocol", "RFC 2928"),
    v6([0x2001, 0xdb8, 0, 0], 32, "documentation", "RFC 3849"),
    v6([0x2002, 0, 0, 0], 16, "6to4", "RFC 3056"),
    v6([0x3fff, 0, 0, 0], 20, "documentation", "RFC 9637"),
    v6([0x5f00, 0, 0, 0], 16, "segment routing", "RFC 9602"),
    v6([0xfc00, 0, 0, 0], 7, "unique local", "RFC 4193"),
    v6([0xfe80, 0, 0, 0], 10, "link-local", "RFC 4291 section 2.5.6"),
    v6([0xfec0, 0, 0, 0], 10, "site-local", "RFC 3879"),
    v6([0xff00, 0, 0, 0], 8, "multicast", "RFC 4291 section 2.7"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_recognised() {
        for (address, name) in [
            ("10.1.2.3", "private"),
            ("172.31.0.1", "private"),
            ("192.168.0.1", "private"),
            ("100.64.0.1", "carrier-grade NAT"),
            ("127.0.0.1", "loopback"),
            ("169.254.169.254", "link-local"),
            ("0.0.0.0", "unspecified"),
            ("192.0.0.8", "protocol"),
            ("192.0.2.1", "documentation"),
            ("198.51.100.7", "documentation"),
            ("203.0.113.7", "documentation"),
            ("198.19.0.1", "benchmarking"),
            ("192.88.99.1", "6to4 relay"),
            ("239.1.1.1", "multicast"),
            ("255.255.255.255", "reserved"),
            ("::ffff:10.1.2.3", "private"),
            ("::1", "loopback"),
            ("::", "reserved"),
            ("64:ff9b::1", "reserved"),
            ("2001::1", "protocol"),
            ("2001:db8::1", "documentation"),
            ("2002:506:708::1", "6to4"),
            ("3fff:fff::1", "documentation"),
            ("5f00::1", "segment routing"),
            ("fd00::1", "unique local"),
            ("fe80::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
            ("4000::1", "unallocated"),
        ] {
            let block = special_block_of(address.parse().unwrap());
            assert_eq!(block.map(|block| block.name), Some(name), "{address}");
        }
    }

    #[test]
    fn public_addresses_are_in_no_block() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "2001:200::1",
            "2001:4860::1",
            "2a00::1",
            "3ffe::1",
        ] {
            assert_eq!(special_block_of(address.parse().unwrap()), None, "{address}");
        }
    }

    #[test]
    fn a_prefix_around_a_block_is_recognised_too() {
        for (prefix, name) in [
            ("192.0.0.0/8", "protocol"),
            ("0.0.0.0/0", "unspecified"),
            ("2001:d00::/24", "documentation"),
            ("2000::/3", "protocol"),
            ("::/0", "loopback"),
            ("::ffff:5.6.7.0/120", "IPv4-mapped"),
        ] {
            let block = special_block_in(&prefix.parse().unwrap());
            assert_eq!(block.map(|block| block.name), Some(name), "{prefix}");
        }
        assert_eq!(special_block_in(&"9.0.0.0/8".parse().unwrap()), None);
    }

    #[test]
    fn every_block_is_a_valid_prefix() {
        for block in IPV4_BLOCKS.iter().chain(IPV6_BLOCKS) {
            assert_eq!(block.prefix, block.prefix.trunc(), "{}", block.name);
            assert!(block.source.starts_with("RFC "), "{}", block.name);
        }
    }

    #[test]
    fn no_block_has_an_ordinary_address() {
        for block in IPV4_BLOCKS.iter().chain(IPV6_BLOCKS) {
            for address in [block.prefix.network(), block.prefix.broadcast()] {
                let found = special_block_of(address);
                assert!(found.is_some(), "{address} of {block:?}");
            }
        }
        for first in 0..=u8::MAX {
            let whole: IpNet = format!("{first}.0.0.0/8").parse().unwrap();
            let has_block = special_block_in(&whole).is_some();
            assert_eq!(is_ordinary(whole.addr()), !has_block, "{whole}");
        }
        for first in 0..=u16::MAX {
            let whole: IpNet = format!("{first:x}::/16").parse().unwrap();
            let has_block = special_block_in(&whole).is_some();
            assert_eq!(is_ordinary(whole.addr()), !has_block, "{whole}");
        }
    }
}
