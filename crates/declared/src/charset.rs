//! Decodes a page to text. The encoding is determined in the order that browsers use.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

/// How many bytes of a page are searched for a `<meta charset>`.
const PRESCAN_BYTES: usize = 1_024;

/// Decodes a body: byte order mark, then the Content-Type parameter, then `<meta charset>`, then
/// UTF-8. Invalid bytes become U+FFFD.
#[must_use]
pub fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    let encoding_for = |label: String| Encoding::for_label(label.as_bytes());
    let encoding = content_type
        .and_then(charset_parameter)
        .and_then(encoding_for)
        .or_else(|| meta_charset(body).and_then(encoding_for).map(ascii_compatible))
        .unwrap_or(UTF_8);
    // `decode` lets a byte order mark win.
    encoding.decode(body).0
}

/// A page whose meta element is readable as ASCII is not UTF-16, whatever the element says.
fn ascii_compatible(encoding: &'static Encoding) -> &'static Encoding {
    if encoding.is_ascii_compatible() { encoding } else { UTF_8 }
}

/// The charset parameter of a Content-Type value.
fn charset_parameter(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    })
}

/// The first `charset=` inside the opening of a page, which covers both forms of the meta element.
fn meta_charset(body: &[u8]) -> Option<String> {
    let opening = body.get(..PRESCAN_BYTES).unwrap_or(body).to_ascii_lowercase();
    let at = opening.windows(8).position(|window| window == b"charset=")?;
    let value: String = opening
        .get(at + 8..)?
        .iter()
        .skip_while(|byte| matches!(byte, b'"' | b'\'' | b' '))
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))
        .map(|byte| char::from(*byte))
        .collect();
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_beats_the_header_beats_the_meta_element() {
        assert_eq!(decode(b"caf\xe9", Some("text/html; charset=ISO-8859-1")), "café");
        assert_eq!(
            decode(b"<meta charset=\"latin1\">caf\xe9", Some("text/html")),
            "<meta charset=\"latin1\">café"
        );
        assert_eq!(decode(b"\xef\xbb\xbfcaf\xc3\xa9", Some("text/html; charset=latin1")), "café");
        assert_eq!(decode(b"\xff\xfec\0a\0", None), "ca");
        assert_eq!(decode("café".as_bytes(), None), "café");
        assert_eq!(decode(b"<meta charset=utf-16>a", None), "<meta charset=utf-16>a");
        assert_eq!(
            decode(b"<meta charset=latin1>\xe9", Some("text/html; charset='x'")),
            "<meta charset=latin1>é"
        );
        assert_eq!(decode(b"caf\xe9", Some("text/html; charset=nonsense")), "caf\u{fffd}");
    }
}
