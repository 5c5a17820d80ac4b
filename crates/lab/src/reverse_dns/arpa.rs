//! The names of addresses in the reverse zones.

use std::net::IpAddr;

/// The name whose PTR records are the names of this address.
pub(crate) fn reverse_name(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            format!("{d}.{c}.{b}.{a}.in-addr.arpa")
        }
        IpAddr::V6(address) => {
            let nibbles =
                address.octets().into_iter().rev().flat_map(|byte| [byte & 15, byte >> 4]);
            let labels: Vec<String> = nibbles.map(|nibble| format!("{nibble:x}")).collect();
            format!("{}.ip6.arpa", labels.join("."))
        }
    }
}

/// Whether a reverse name is one of loopback outside the lab's own network: the lab's name server
/// does not answer for those.
pub(crate) fn is_special(name: &str) -> bool {
    name.ends_with(".127.in-addr.arpa") && !name.ends_with(".77.127.in-addr.arpa")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverse_names_of_both_versions() {
        assert_eq!(reverse_name("192.0.2.7".parse().unwrap()), "7.2.0.192.in-addr.arpa");
        assert_eq!(
            reverse_name("2001:db8::a1".parse().unwrap()),
            "1.a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
        );
        assert!(is_special("1.0.0.127.in-addr.arpa") && !is_special("1.1.77.127.in-addr.arpa"));
    }
}
