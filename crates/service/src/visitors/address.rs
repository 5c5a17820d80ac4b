//! The address of a visitor, as a caller writes it.

use std::net::IpAddr;

use agents::ranges::untranslated;
use ipnet::IpNet;

/// Why a text is not the address of a visitor. The messages do not repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VisitorAddressError {
    #[error(
        "The address has a port or brackets. Pass the IP address alone, such as 192.0.2.7 or 2001:db8::7."
    )]
    Port,
    #[error("The address has a zone (%). Pass the address without it.")]
    Zone,
    #[error("This is not an IP address. Pass one such as 192.0.2.7 or 2001:db8::7.")]
    NotAnAddress,
    #[error(
        "This is the address of a proxy in front of the site. Pass the address of the client behind it."
    )]
    Proxy,
}

/// Parses an address. An IPv4 address that was mapped or translated to IPv6 is the IPv4 address.
pub fn parse_visitor_address(text: &str, proxies: &[IpNet]) -> Result<IpAddr, VisitorAddressError> {
    let text = text.trim();
    if text.contains('%') {
        return Err(VisitorAddressError::Zone);
    }
    let Ok(address) = text.parse::<IpAddr>() else {
        let is_with_port = text.parse::<std::net::SocketAddr>().is_ok()
            || text.starts_with('[') && text.contains(']');
        return Err(if is_with_port {
            VisitorAddressError::Port
        } else {
            VisitorAddressError::NotAnAddress
        });
    };
    let address = untranslated(address);
    if proxies.iter().any(|proxy| proxy.contains(&address)) {
        return Err(VisitorAddressError::Proxy);
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_an_address_has_its_answer() {
        let proxies = ["10.1.0.0/16".parse().unwrap()];
        let parse = |text: &str| parse_visitor_address(text, &proxies);
        for (text, address) in [
            ("192.0.2.7", "192.0.2.7"),
            (" 192.0.2.7 ", "192.0.2.7"),
            ("2001:DB8::7", "2001:db8::7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("64:ff9b::c000:207", "192.0.2.7"),
            ("10.2.0.1", "10.2.0.1"),
        ] {
            assert_eq!(parse(text), Ok(address.parse().unwrap()), "{text}");
        }
        use VisitorAddressError::{NotAnAddress, Port, Proxy, Zone};
        for (text, error) in [
            ("192.0.2.7:443", Port),
            ("[2001:db8::7]", Port),
            ("[2001:db8::7]:443", Port),
            ("fe80::1%eth0", Zone),
            ("", NotAnAddress),
            ("192.0.2", NotAnAddress),
            ("192.0.2.256", NotAnAddress),
            ("0x7f.1", NotAnAddress),
            ("example.com", NotAnAddress),
            ("10.1.2.3", Proxy),
            ("::ffff:10.1.2.3", Proxy),
            ("64:ff9b::10.1.2.3", Proxy),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }
}
