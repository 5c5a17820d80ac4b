//! Prefixes and addresses for property tests: close together, so that they nest, touch and repeat.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use proptest::prelude::*;

/// Up to 20 prefixes of both families, from single addresses to the whole space.
pub(crate) fn nets() -> impl Strategy<Value = Vec<IpNet>> {
    prop::collection::vec(net(), 0..20)
}

pub(crate) fn net() -> impl Strategy<Value = IpNet> {
    let ipv4 = (ipv4(), prop_oneof![0..=32_u8, 14..=26_u8, Just(32)])
        .prop_map(|(address, length)| IpNet::V4(Ipv4Net::new_assert(address, length)));
    let ipv6 = (ipv6(), prop_oneof![0..=128_u8, 28..=72_u8, Just(128)])
        .prop_map(|(address, length)| IpNet::V6(Ipv6Net::new_assert(address, length)));
    prop_oneof![ipv4, ipv6]
}

/// An address of either family, among them IPv4-mapped ones.
pub(crate) fn address() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        3 => ipv4().prop_map(IpAddr::V4),
        3 => ipv6().prop_map(IpAddr::V6),
        1 => ipv4().prop_map(|address| IpAddr::V6(address.to_ipv6_mapped())),
    ]
}

// Boxed, because nested strategies of this size overflow the stack of a test.

fn ipv4() -> BoxedStrategy<Ipv4Addr> {
    let byte = || prop_oneof![Just(0_u8), Just(1), Just(127), Just(128), Just(255), any::<u8>()];
    let anywhere = prop::array::uniform4(byte().boxed()).prop_map(Ipv4Addr::from);
    let close = (byte(), byte()).prop_map(|(c, d)| Ipv4Addr::new(5, 6, c, d));
    prop_oneof![anywhere.boxed(), close.boxed()].boxed()
}

fn ipv6() -> BoxedStrategy<Ipv6Addr> {
    let part =
        || prop_oneof![Just(0_u16), Just(1), Just(0x7fff), Just(0xffff), any::<u16>()].boxed();
    let anywhere = prop::array::uniform8(part()).prop_map(Ipv6Addr::from);
    let close =
        (part(), part(), part()).prop_map(|(a, b, c)| Ipv6Addr::new(0x2a00, 1, a, b, 0, 0, 0, c));
    prop_oneof![anywhere.boxed(), close.boxed()].boxed()
}
