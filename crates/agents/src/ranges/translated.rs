//! IPv4 addresses that are written inside IPv6 addresses.

use std::net::{IpAddr, Ipv4Addr};

/// The IPv4 address of a client whose address was mapped (`::ffff:0:0/96`) or translated by NAT64 with the
/// well-known prefix (`64:ff9b::/96`, RFC 6052); any other address as it is. A server that is reachable by
/// IPv6 only sees IPv4 clients so, and operators list their addresses as IPv4.
#[must_use]
pub fn untranslated(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => match v6.segments() {
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
                IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
            }
            _ => address.to_canonical(),
        },
        IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mapped_and_translated_addresses_change() {
        for (given, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("64:ff9b::192.0.2.7", "192.0.2.7"),
            ("64:ff9b::a01:203", "10.1.2.3"),
            // The prefix for local use does not say where the IPv4 address is.
            ("64:ff9b:1::192.0.2.7", "64:ff9b:1::192.0.2.7"),
            ("64:ff9b:0:0:0:1:c000:207", "64:ff9b:0:0:0:1:c000:207"),
            ("2001:db8::192.0.2.7", "2001:db8::192.0.2.7"),
            ("::192.0.2.7", "::192.0.2.7"),
        ] {
            let given: IpAddr = given.parse().unwrap();
            assert_eq!(untranslated(given), expected.parse::<IpAddr>().unwrap(), "{given}");
        }
    }
}
