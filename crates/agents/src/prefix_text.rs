//! Reads one prefix as operators write it.

use std::net::IpAddr;

use ipnet::IpNet;

/// A prefix or a single address. White space around it and characters without width in it are
/// ignored, because published lists contain them. Host bits are cleared.
pub(crate) fn parse_prefix(text: &str) -> Option<IpNet> {
    let text = text.trim_matches(is_ignored);
    if text.chars().any(is_zero_width) {
        let visible: String = text.chars().filter(|c| !is_zero_width(*c)).collect();
        parse_visible(&visible)
    } else {
        parse_visible(text)
    }
}

fn parse_visible(text: &str) -> Option<IpNet> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(parse_length(length)?)),
        None => (text, None),
    };
    // Not `ipnet`'s own reader: that one takes 010.1.2.3 for 10.1.2.3.
    let address: IpAddr = address.parse().ok()?;
    let net = match length {
        Some(length) => IpNet::new(address, length).ok()?,
        None => IpNet::from(address),
    };
    Some(net.trunc())
}

/// Decimal digits without a sign or leading zeros.
fn parse_length(text: &str) -> Option<u8> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_padded = text.len() > 1 && text.starts_with('0');
    text.parse().ok().filter(|_| is_plain && !is_padded)
}

fn is_ignored(c: char) -> bool {
    c.is_whitespace() || is_zero_width(c)
}

/// Zero-width spaces and joiners, the word joiner, the soft hyphen and the byte order mark.
pub(crate) fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_read_as_operators_write_them() {
        for (text, net) in [
            ("5.6.7.0/24", "5.6.7.0/24"),
            ("5.6.7.8/24", "5.6.7.0/24"),
            ("5.6.7.8", "5.6.7.8/32"),
            (" 5.6.7.0/24\u{a0}\t", "5.6.7.0/24"),
            ("\u{200b}5.6.\u{200b}7.0/2\u{2060}4\u{feff}", "5.6.7.0/24"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("2A00:1::7/48", "2a00:1::/48"),
            ("2a00:1::7", "2a00:1::7/128"),
            ("::ffff:5.6.7.8", "::ffff:5.6.7.8/128"),
        ] {
            assert_eq!(parse_prefix(text), Some(net.parse().unwrap()), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_prefix_is_refused() {
        for text in [
            "",
            " ",
            "/24",
            "000/0",
            "3.455.766.537",
            "010.1.2.3",
            "010.1.2.3/24",
            "1.2.3",
            "1.2.3/24",
            "1.2.3.4.5",
            "1.2.3.4/",
            "1.2.3.4/33",
            "1.2.3.4/+8",
            "1.2.3.4/08",
            "1.2.3.4/256",
            "1.2.3.4/-1",
            "1.2.3.4/24/24",
            "1.2.3.4 /24",
            "1.2.3. 4",
            "1.2.3.4/255.255.255.0",
            "1.2.3.4-1.2.3.9",
            "1.2.3.4:80",
            "[2a00::1]",
            "fe80::1%eth0",
            "2a00::/129",
            "2a00:::1",
            "12:30:45",
            "localhost",
        ] {
            assert_eq!(parse_prefix(text), None, "{text:?}");
        }
    }
}
