//! The pairs of a query (`application/x-www-form-urlencoded`), each decoded in one pass.
//!
//! `url::form_urlencoded` finds the same pairs and goes over each value four times, which shows in the time of
//! a request whose query is a whole user agent.

use std::borrow::Cow;

/// The names and values of a query, in its order.
pub(super) fn query_pairs(query: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

/// `+` is a space, and `%` with two hex digits a byte. What is not UTF-8 then becomes U+FFFD.
fn decode(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| matches!(byte, b'+' | b'%')) {
        return Cow::Borrowed(text);
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        decoded.push(match *byte {
            b'+' => b' ',
            b'%' => match split_hex_byte(after) {
                Some((byte, after)) => {
                    rest = after;
                    byte
                }
                None => b'%',
            },
            plain => plain,
        });
    }
    let decoded = String::from_utf8(decoded);
    Cow::Owned(
        decoded.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

/// The byte that two hex digits stand for, and what follows them.
fn split_hex_byte(text: &[u8]) -> Option<(u8, &[u8])> {
    let [high, low, rest @ ..] = text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?;
    Some((byte, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decodes_what_browsers_and_programs_send() {
        for (query, pairs) in [
            ("", vec![]),
            ("&&", vec![]),
            (
                "ua=GPTBot%2F1.3+%28x%29&ip=192.0.2.7",
                vec![("ua", "GPTBot/1.3 (x)"), ("ip", "192.0.2.7")],
            ),
            ("a&b=&=c&d=e=f", vec![("a", ""), ("b", ""), ("", "c"), ("d", "e=f")]),
            ("%75%61=caf%C3%A9", vec![("ua", "café")]),
            (
                "a=%&b=%4&c=%zz&d=%+1&e=%2525",
                vec![("a", "%"), ("b", "%4"), ("c", "%zz"), ("d", "% 1"), ("e", "%25")],
            ),
            ("a=%ff%C3", vec![("a", "\u{fffd}\u{fffd}")]),
        ] {
            let found: Vec<_> = query_pairs(query).collect();
            let pairs: Vec<_> = pairs.into_iter().map(|(n, v)| (n.into(), v.into())).collect();
            assert_eq!(found, pairs, "{query}");
        }
    }

    proptest! {
        /// The same as the crate that implements the standard for browsers.
        #[test]
        fn finds_the_pairs_that_the_url_crate_finds(
            query in prop_oneof!["\\PC*", "([&=+%a-f0-9é]|%[0-9a-fA-F]{2})*"],
        ) {
            let expected: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
            prop_assert_eq!(query_pairs(&query).collect::<Vec<_>>(), expected);
        }
    }
}
