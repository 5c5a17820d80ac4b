//! The client's IP address: the socket's peer, or the address that a trusted proxy reports.

use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr, SocketAddr},
};

use axum::extract::FromRequestParts;
use http::{HeaderMap, header::FORWARDED, request::Parts};
use ipnet::IpNet;

/// The peer address of the socket, as a request extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// The address that rate limits count. Every request inside the middleware has it as an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // Without a socket (a router called directly) all clients count as one.
        let unspecified = Self(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        Ok(parts.extensions.get::<Self>().copied().unwrap_or(unspecified))
    }
}

/// Proxy hops that are followed at most; no honest chain has more.
const MAX_HOPS: usize = 32;

/// The right-most address that is not a trusted proxy's, starting from the socket.
///
/// A proxy writes one of the two headers and passes the other on as the client sent it. So when
/// both are present and disagree, neither is used and the proxy itself counts as the client.
pub(crate) fn client_address(
    peer: IpAddr,
    headers: &HeaderMap,
    trusted: &[IpNet],
) -> ClientAddress {
    let peer = peer.to_canonical();
    if !is_trusted(peer, trusted) {
        return ClientAddress(peer);
    }
    let x_forwarded_for = joined_header_lines(headers, "x-forwarded-for").map(|text| {
        first_untrusted(peer, text.split(',').map(|entry| parse_address(entry.trim())), trusted)
    });
    let forwarded = joined_header_lines(headers, FORWARDED.as_str()).map(|text| {
        first_untrusted(peer, split_outside_quotes(&text, ',').map(forwarded_for), trusted)
    });
    ClientAddress(match (x_forwarded_for, forwarded) {
        (Some(one), None) | (None, Some(one)) => one,
        (Some(one), Some(other)) if one == other => one,
        _ => peer,
    })
}

fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|net| net.contains(&address))
}

/// All lines of one header, joined in order. A line that is not text becomes an entry that is no
/// address.
fn joined_header_lines(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines: Vec<&str> =
        headers.get_all(name).iter().map(|line| line.to_str().unwrap_or("unreadable")).collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

/// The first address from the right that is not a trusted proxy. If an entry cannot be parsed, the
/// address to its right.
fn first_untrusted<'a, I>(peer: IpAddr, entries: I, trusted: &[IpNet]) -> IpAddr
where
    I: Iterator<Item = Option<IpAddr>> + 'a,
{
    let entries: Vec<Option<IpAddr>> = entries.collect();
    let mut nearest = peer;
    for entry in entries.iter().rev().take(MAX_HOPS) {
        let Some(address) = entry else { break };
        nearest = *address;
        if !is_trusted(nearest, trusted) {
            break;
        }
    }
    nearest
}

/// `1.2.3.4`, `1.2.3.4:5`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:5`.
fn parse_address(text: &str) -> Option<IpAddr> {
    let address = text
        .parse::<IpAddr>()
        .ok()
        .or_else(|| text.parse::<SocketAddr>().ok().map(|with_port| with_port.ip()))
        .or_else(|| text.strip_prefix('[')?.strip_suffix(']')?.parse().ok())?;
    Some(address.to_canonical())
}

/// The `for` parameter of one element of a Forwarded header (RFC 7239).
fn forwarded_for(element: &str) -> Option<IpAddr> {
    split_outside_quotes(element, ';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let value = value.trim();
        let value =
            value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
        name.trim().eq_ignore_ascii_case("for").then(|| parse_address(value)).flatten()
    })
}

/// Splits at separators outside quoted strings.
fn split_outside_quotes(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c| {
        let here = c == separator && !quoted;
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        here
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, headers: &[(&'static str, &str)], expected: &str) {
        let trusted: Vec<IpNet> =
            ["10.0.0.0/8", "fd00::/8"].iter().map(|net| net.parse().unwrap()).collect();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let found = client_address(peer.parse().unwrap(), &map, &trusted);
        assert_eq!(found.0, expected.parse::<IpAddr>().unwrap(), "{peer} {headers:?}");
    }

    #[test]
    fn headers_of_an_untrusted_peer_are_ignored() {
        check("203.0.113.9", &[], "203.0.113.9");
        check("203.0.113.9", &[("x-forwarded-for", "198.51.100.1")], "203.0.113.9");
        check("203.0.113.9", &[("forwarded", "for=198.51.100.1")], "203.0.113.9");
        check("::ffff:203.0.113.9", &[("x-forwarded-for", "10.0.0.1")], "203.0.113.9");
        check("2001:db8::1", &[("x-forwarded-for", "198.51.100.1")], "2001:db8::1");
    }

    #[test]
    fn only_the_entry_added_by_a_trusted_proxy_is_used() {
        let x = "x-forwarded-for";
        check("10.0.0.1", &[], "10.0.0.1");
        check("10.0.0.1", &[(x, "198.51.100.1")], "198.51.100.1");
        check("::ffff:10.0.0.1", &[(x, "198.51.100.1")], "198.51.100.1");
        check("10.0.0.1", &[(x, "1.1.1.1, 198.51.100.1")], "198.51.100.1");
        check("10.0.0.1", &[(x, "1.1.1.1, 198.51.100.1, 10.2.3.4")], "198.51.100.1");
        check("10.0.0.1", &[(x, "1.1.1.1"), (x, "198.51.100.1")], "198.51.100.1");
        check("10.0.0.1", &[(x, "1.1.1.1"), (x, "10.9.9.9")], "1.1.1.1");
        check("10.0.0.1", &[(x, "10.3.3.3, 10.4.4.4")], "10.3.3.3");
        check("fd00::5", &[(x, "2001:db8::7")], "2001:db8::7");
        check("10.0.0.1", &[(x, "198.51.100.1:4711")], "198.51.100.1");
        check("10.0.0.1", &[(x, "[2001:db8::7]:443")], "2001:db8::7");
        check("10.0.0.1", &[(x, "[2001:db8::7]")], "2001:db8::7");
        check("10.0.0.1", &[(x, "::ffff:198.51.100.1")], "198.51.100.1");
    }

    #[test]
    fn an_unparsable_entry_ends_the_search() {
        let x = "x-forwarded-for";
        check("10.0.0.1", &[(x, "")], "10.0.0.1");
        check("10.0.0.1", &[(x, "unknown")], "10.0.0.1");
        check("10.0.0.1", &[(x, "198.51.100.1, unknown")], "10.0.0.1");
        check("10.0.0.1", &[(x, "1.1.1.1, nonsense, 10.0.0.2")], "10.0.0.2");
        check("10.0.0.1", &[(x, "198.51.100.1,")], "10.0.0.1");
        check("10.0.0.1", &[(x, "0x7f.1")], "10.0.0.1");
        let long = ["10.0.0.9"; 100].join(", ");
        check("10.0.0.1", &[(x, &format!("1.1.1.1, {long}"))], "10.0.0.9");
    }

    #[test]
    fn forwarded_is_parsed_by_rfc_7239() {
        let f = "forwarded";
        check("10.0.0.1", &[(f, "for=198.51.100.1")], "198.51.100.1");
        check("10.0.0.1", &[(f, "For=\"198.51.100.1:80\";proto=http")], "198.51.100.1");
        check("10.0.0.1", &[(f, "proto=https;for=\"[2001:db8::7]:1\"")], "2001:db8::7");
        check("10.0.0.1", &[(f, "for=1.1.1.1, for=198.51.100.1;by=10.0.0.1")], "198.51.100.1");
        check("10.0.0.1", &[(f, "for=198.51.100.1, for=_hidden")], "10.0.0.1");
        check("10.0.0.1", &[(f, "for=198.51.100.1, by=10.0.0.1")], "10.0.0.1");
        let quoted = "host=\"a,for=1.1.1.1\";for=198.51.100.1";
        check("10.0.0.1", &[(f, quoted)], "198.51.100.1");
        let escaped = "host=\"a\\\",for=1.1.1.1\";for=198.51.100.1";
        check("10.0.0.1", &[(f, escaped)], "198.51.100.1");
    }

    #[test]
    fn two_headers_that_disagree_are_both_ignored() {
        let both = [("x-forwarded-for", "198.51.100.1"), ("forwarded", "for=1.1.1.1")];
        check("10.0.0.1", &both, "10.0.0.1");
        let agreeing = [("x-forwarded-for", "198.51.100.1"), ("forwarded", "for=198.51.100.1")];
        check("10.0.0.1", &agreeing, "198.51.100.1");
    }
}
