//! The order in which the addresses of a host are dialled. Pure: addresses in, addresses out.

use std::net::IpAddr;

use crate::guard::address::VettedAddress;

/// At most `most` of the addresses that can be dialled from `source`. The address that accepted a
/// connection before comes first. Then IPv6 and IPv4 alternate (RFC 8305, section 4), each in the
/// order of the resolver, so that one broken family costs one attempt.
pub(crate) fn dial_order(
    vetted: &[VettedAddress],
    connected_before: Option<IpAddr>,
    source: Option<IpAddr>,
    most: usize,
) -> Vec<VettedAddress> {
    let is_ipv6 = |address: &VettedAddress| address.socket_address().is_ipv6();
    let (six, four): (Vec<VettedAddress>, Vec<VettedAddress>) = vetted
        .iter()
        .filter(|address| source.is_none_or(|source| source.is_ipv6() == is_ipv6(address)))
        .partition(|address| is_ipv6(address));
    let before = six
        .iter()
        .chain(&four)
        .find(|address| Some(address.socket_address().ip()) == connected_before);
    let pairs = (0..six.len().max(four.len())).flat_map(|at| [six.get(at), four.get(at)]);
    let mut order = Vec::new();
    for address in before.into_iter().chain(pairs.flatten()) {
        if order.len() == most {
            break;
        }
        if !order.contains(address) {
            order.push(*address);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AddressRule;

    fn order(
        addresses: &[&str],
        before: Option<&str>,
        source: Option<&str>,
        most: usize,
    ) -> String {
        let rule = AddressRule::new(&[], &[]);
        let parse = |text: &str| -> IpAddr { text.parse().unwrap() };
        let vetted: Vec<VettedAddress> =
            addresses.iter().map(|text| rule.vet_socket(parse(text), 443).unwrap()).collect();
        let order = dial_order(&vetted, before.map(parse), source.map(parse), most);
        let texts: Vec<String> =
            order.iter().map(|address| address.socket_address().ip().to_string()).collect();
        texts.join(" ")
    }

    #[test]
    fn families_alternate_and_a_working_address_comes_first() {
        let mixed = ["9.9.9.1", "9.9.9.2", "9.9.9.3", "2620:fe::1", "2620:fe::2", "9.9.9.1"];
        assert_eq!(order(&mixed, None, None, 9), "2620:fe::1 9.9.9.1 2620:fe::2 9.9.9.2 9.9.9.3");
        assert_eq!(order(&mixed, None, None, 2), "2620:fe::1 9.9.9.1");
        assert_eq!(order(&mixed, Some("9.9.9.3"), None, 3), "9.9.9.3 2620:fe::1 9.9.9.1");
        assert_eq!(order(&mixed, Some("9.9.9.9"), None, 1), "2620:fe::1", "not of this name");
        assert_eq!(order(&mixed, None, Some("9.0.0.1"), 9), "9.9.9.1 9.9.9.2 9.9.9.3");
        assert_eq!(
            order(&mixed, Some("2620:fe::2"), Some("9.0.0.1"), 1),
            "9.9.9.1",
            "of the other family"
        );
        assert_eq!(order(&mixed[..3], None, Some("2620:fe::9"), 9), "");
    }
}
