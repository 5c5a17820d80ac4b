//! Address blocks that belong to no public host, each with the document that reserves it.
//!
//! The table holds the IANA special-purpose registries for IPv4 and IPv6 row by row, multicast, the
//! IPv6 forms that embed an IPv4 address, and the addresses on which clouds serve credentials to
//! their own machines. The first row that contains an address gives the reason, so narrow rows come
//! before wide ones.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::address_kind::AddressKind::{self, *};

/// One row: addresses whose first `prefix` bits are those of `base`.
#[derive(Debug)]
pub(super) struct AddressBlock<A> {
    pub(super) base: A,
    pub(super) prefix: u32,
    pub(super) kind: AddressKind,
    pub(super) name: &'static str,
    pub(super) source: &'static str,
}

const fn v4(
    base: [u8; 4],
    prefix: u32,
    kind: AddressKind,
    name: &'static str,
    source: &'static str,
) -> AddressBlock<Ipv4Addr> {
    let [a, b, c, d] = base;
    AddressBlock { base: Ipv4Addr::new(a, b, c, d), prefix, kind, name, source }
}

const fn v6(
    base: [u16; 8],
    prefix: u32,
    kind: AddressKind,
    name: &'static str,
    source: &'static str,
) -> AddressBlock<Ipv6Addr> {
    let [a, b, c, d, e, f, g, h] = base;
    AddressBlock { base: Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix, kind, name, source }
}

impl AddressBlock<Ipv4Addr> {
    pub(super) fn contains(&self, address: Ipv4Addr) -> bool {
        let differing = address.to_bits() ^ self.base.to_bits();
        self.prefix == 0 || differing >> (32 - self.prefix) == 0
    }
}

impl AddressBlock<Ipv6Addr> {
    pub(super) fn contains(&self, address: Ipv6Addr) -> bool {
        let differing = address.to_bits() ^ self.base.to_bits();
        self.prefix == 0 || differing >> (128 - self.prefix) == 0
    }
}

#[rustfmt::skip]
pub(super) const IPV4_BLOCKS: &[AddressBlock<Ipv4Addr>] = &[
    v4([169, 254, 169, 254], 32, Metadata, "cloud metadata service", "cloud vendors"),
    v4([169, 254, 170, 2], 32, Metadata, "container credentials service", "cloud vendors"),
    v4([100, 100, 100, 200], 32, Metadata, "cloud metadata service", "cloud vendors"),
    v4([192, 0, 0, 192], 32, Metadata, "cloud metadata service", "cloud vendors"),
    v4([168, 63, 129, 16], 32, Metadata, "cloud host agent", "cloud vendors"),
    v4([0, 0, 0, 0], 32, Unspecified, "this host on this network", "RFC 1122 section 3.2.1.3"),
    v4([0, 0, 0, 0], 8, Unspecified, "this network", "RFC 791 section 3.2"),
    v4([10, 0, 0, 0], 8, Private, "private use", "RFC 1918"),
    v4([100, 64, 0, 0], 10, Shared, "shared address space", "RFC 6598"),
    v4([127, 0, 0, 0], 8, Loopback, "loopback", "RFC 1122 section 3.2.1.3"),
    v4([169, 254, 0, 0], 16, LinkLocal, "link local", "RFC 3927"),
    v4([172, 16, 0, 0], 12, Private, "private use", "RFC 1918"),
    v4([192, 0, 0, 0], 29, Protocol, "IPv4 service continuity prefix", "RFC 7335"),
    v4([192, 0, 0, 8], 32, Protocol, "IPv4 dummy address", "RFC 7600"),
    v4([192, 0, 0, 9], 32, Protocol, "port control protocol anycast", "RFC 7723"),
    v4([192, 0, 0, 10], 32, Protocol, "traversal using relays anycast", "RFC 8155"),
    v4([192, 0, 0, 170], 32, Protocol, "NAT64/DNS64 discovery", "RFC 7050"),
    v4([192, 0, 0, 171], 32, Protocol, "NAT64/DNS64 discovery", "RFC 7050"),
    v4([192, 0, 0, 0], 24, Protocol, "IETF protocol assignments", "RFC 6890 section 2.1"),
    v4([192, 0, 2, 0], 24, Documentation, "documentation (TEST-NET-1)", "RFC 5737"),
    v4([192, 31, 196, 0], 24, Protocol, "AS112-v4", "RFC 7535"),
    v4([192, 52, 193, 0], 24, Protocol, "AMT", "RFC 7450"),
    v4([192, 88, 99, 2], 32, Protocol, "6a44 relay anycast", "RFC 6751"),
    v4([192, 88, 99, 0], 24, Protocol, "6to4 relay anycast", "RFC 7526"),
    v4([192, 168, 0, 0], 16, Private, "private use", "RFC 1918"),
    v4([192, 175, 48, 0], 24, Protocol, "direct delegation AS112 service", "RFC 7534"),
    v4([198, 18, 0, 0], 15, Benchmarking, "benchmarking", "RFC 2544"),
    v4([198, 51, 100, 0], 24, Documentation, "documentation (TEST-NET-2)", "RFC 5737"),
    v4([203, 0, 113, 0], 24, Documentation, "documentation (TEST-NET-3)", "RFC 5737"),
    v4([224, 0, 0, 0], 4, Multicast, "multicast", "RFC 5771"),
    v4([255, 255, 255, 255], 32, Broadcast, "limited broadcast", "RFC 8190"),
    v4([240, 0, 0, 0], 4, Reserved, "reserved", "RFC 1112 section 4"),
];

/// An IPv6 address outside [`GLOBAL_UNICAST`] is refused without a row. Rows outside it exist only
/// to give a more precise reason.
#[rustfmt::skip]
pub(super) const IPV6_BLOCKS: &[AddressBlock<Ipv6Addr>] = &[
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, Metadata, "cloud metadata service", "cloud vendors"),
    v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, Metadata, "cloud metadata service", "cloud vendors"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe], 128, Metadata, "cloud metadata service", "cloud vendors"),
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128, Loopback, "loopback", "RFC 4291"),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128, Unspecified, "unspecified", "RFC 4291"),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96, EmbeddedIpv4, "IPv4-compatible", "RFC 4291 section 2.5.5.1"),
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, EmbeddedIpv4, "IPv4-mapped", "RFC 4291 section 2.5.5.2"),
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, EmbeddedIpv4, "IPv4-translated", "RFC 2765"),
    v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, EmbeddedIpv4, "IPv4-IPv6 translation", "RFC 6052"),
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, EmbeddedIpv4, "local-use translation", "RFC 8215"),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64, Reserved, "discard only", "RFC 6666"),
    v6([0x100, 0, 0, 1, 0, 0, 0, 0], 64, Reserved, "dummy prefix", "RFC 9780"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, EmbeddedIpv4, "Teredo", "RFC 4380"),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 1], 128, Protocol, "port control protocol anycast", "RFC 7723"),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 2], 128, Protocol, "traversal using relays anycast", "RFC 8155"),
    v6([0x2001, 1, 0, 0, 0, 0, 0, 3], 128, Protocol, "DNS-SD registration anycast", "RFC 9665"),
    v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48, Benchmarking, "benchmarking", "RFC 5180"),
    v6([0x2001, 3, 0, 0, 0, 0, 0, 0], 32, Protocol, "AMT", "RFC 7450"),
    v6([0x2001, 4, 0x112, 0, 0, 0, 0, 0], 48, Protocol, "AS112-v6", "RFC 7535"),
    v6([0x2001, 0x10, 0, 0, 0, 0, 0, 0], 28, Protocol, "ORCHID, deprecated", "RFC 4843"),
    v6([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28, Protocol, "ORCHIDv2", "RFC 7343"),
    v6([0x2001, 0x30, 0, 0, 0, 0, 0, 0], 28, Protocol, "drone remote id tags", "RFC 9374"),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Protocol, "IETF protocol assignments", "RFC 2928"),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, Documentation, "documentation", "RFC 3849"),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, EmbeddedIpv4, "6to4", "RFC 3056"),
    v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, Protocol, "direct delegation AS112 service", "RFC 7534"),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Documentation, "documentation", "RFC 9637"),
    v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16, Protocol, "segment routing identifiers", "RFC 9602"),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Private, "unique local", "RFC 4193"),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, LinkLocal, "link local", "RFC 4291"),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, Private, "site local, deprecated", "RFC 3879"),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Multicast, "multicast", "RFC 4291 section 2.7"),
];

/// The only part of IPv6 that is allocated to networks (RFC 4291 section 2.4, RFC 3587).
pub(super) const GLOBAL_UNICAST: AddressBlock<Ipv6Addr> =
    v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, Unallocated, "not global unicast", "RFC 4291 section 2.4");

/// The translation prefix that an operator may allow (DNS64). The IPv4 address is in the last 32
/// bits.
pub(super) const NAT64: AddressBlock<Ipv6Addr> =
    v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, EmbeddedIpv4, "IPv4-IPv6 translation", "RFC 6052");
