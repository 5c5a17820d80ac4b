//! The parts of a line that all formats have.

use std::net::{IpAddr, Ipv4Addr};

/// An address, without the port that some servers write behind it.
pub(super) fn parse_address(word: &[u8]) -> Option<IpAddr> {
    if let Some(address) = parse_ipv4(word) {
        return Some(IpAddr::V4(address));
    }
    const LONGEST: usize = 64;
    let text = std::str::from_utf8(word.get(..word.len().min(LONGEST))?).ok()?;
    let text = text.trim_end_matches(',');
    let without_port = || text.parse::<std::net::SocketAddr>().ok().map(|socket| socket.ip());
    text.parse().ok().or_else(without_port).map(|address: IpAddr| address.to_canonical())
}

/// Four decimal numbers. Most addresses of a log are of this kind.
fn parse_ipv4(word: &[u8]) -> Option<Ipv4Addr> {
    let mut octets = [0_u8; 4];
    let mut octets_left = octets.iter_mut();
    let (mut number, mut digits) = (0_u16, 0);
    for &byte in word {
        match byte {
            // A leading zero would be read as octal by some.
            b'0'..=b'9' if digits < 3 && !(digits == 1 && number == 0) => {
                number = number * 10 + u16::from(byte - b'0');
                digits += 1;
            }
            b'.' if digits > 0 => {
                *octets_left.next()? = u8::try_from(number).ok()?;
                (number, digits) = (0, 0);
            }
            _ => return None,
        }
    }
    if digits == 0 {
        return None;
    }
    *octets_left.next()? = u8::try_from(number).ok()?;
    octets_left.next().is_none().then(|| Ipv4Addr::from(octets))
}

pub(super) fn parse_status(word: &[u8]) -> Option<u16> {
    match word {
        [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
            Some(u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0'))
        }
        _ => None,
    }
}

/// Logs that do not have the header show a conditional request only by the answer to it.
pub(super) fn conditional_by_status(status: Option<u16>) -> Option<bool> {
    (status == Some(304)).then_some(true)
}

/// A dash stands for nothing.
pub(super) fn dash_is_empty(text: &[u8]) -> &[u8] {
    if text == b"-" { b"" } else { text }
}
