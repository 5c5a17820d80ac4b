//! Tag names and attributes, read in place.
//!
//! The tokeniser has found where a tag starts and ends. Its content is parsed here without copying,
//! because a page has thousands of tags and few of them matter.

/// A tag name or another short word as a number, for fast comparison and `match`. Ignores case. Names
/// of more than eight bytes are hashed.
pub(super) const fn name_key(name: &[u8]) -> u64 {
    let mut rest = name;
    let long = name.len() > 8;
    let mut packed: u64 = if long { 0xcbf2_9ce4_8422_2325 } else { 0 };
    let mut shift = 0;
    while let [first, tail @ ..] = rest {
        let byte = first.to_ascii_lowercase() as u64;
        if long {
            packed = (packed ^ byte).wrapping_mul(0x0000_0100_0000_01b3);
        } else {
            packed |= byte << shift;
            shift += 8;
        }
        rest = tail;
    }
    // The eighth byte of a packed ASCII name never has this bit.
    if long { packed | 1 << 63 } else { packed }
}

pub(super) const fn ends_name(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c | b'/' | b'>')
}

/// The name of a start tag written `<name …>`, and what follows it.
pub(super) fn split_start(raw: &str) -> (&str, &str) {
    let inner = raw.strip_prefix('<').unwrap_or(raw);
    let end = inner.bytes().position(ends_name).unwrap_or(inner.len());
    inner.split_at_checked(end).unwrap_or((inner, ""))
}

/// Skips the attributes and the closing bracket of a tag whose name was read.
pub(super) fn after_tag(rest: &str) -> &str {
    if let Some(after) = rest.strip_prefix('>') {
        return after;
    }
    let mut attributes = Attributes(rest);
    attributes.by_ref().for_each(drop);
    let rest = skip_while(attributes.0, is_gap);
    rest.strip_prefix('>').unwrap_or(rest)
}

/// The attributes of a tag in their order, as written: names in their own case, values with their
/// character references.
pub(super) struct Attributes<'a>(pub(super) &'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = skip_while(self.0, is_gap);
        if rest.is_empty() || rest.starts_with('>') {
            return None;
        }
        // A name may start with an equals sign, so that every iteration makes progress.
        let end = rest
            .bytes()
            .skip(1)
            .position(|byte| ends_name(byte) || byte == b'=')
            .map_or(rest.len(), |at| at + 1);
        // If `end` is inside a character, the whole rest is treated as one name.
        let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let Some(value) = skip_while(after, is_space).strip_prefix('=') else {
            self.0 = after;
            return Some((name, ""));
        };
        let value = skip_while(value, is_space);
        let (value, after) = match value.as_bytes().first() {
            Some(quote @ (b'"' | b'\'')) => split_quoted(value, *quote),
            _ => {
                let end = value.bytes().position(|byte| is_space(byte) || byte == b'>');
                value.split_at_checked(end.unwrap_or(value.len())).unwrap_or((value, ""))
            }
        };
        self.0 = after;
        Some((name, value))
    }
}

fn skip_while(text: &str, what: fn(u8) -> bool) -> &str {
    let length = text.bytes().position(|byte| !what(byte)).unwrap_or(text.len());
    text.get(length..).unwrap_or_default()
}

/// Splits behind the closing mark, which is the first byte of the value and of ASCII.
fn split_quoted(value: &str, mark: u8) -> (&str, &str) {
    let inner = value.get(1..).unwrap_or_default();
    let end = memchr::memchr(mark, inner.as_bytes());
    let split = |end: usize| Some((inner.get(..end)?, inner.get(end + 1..)?));
    end.and_then(split).unwrap_or((inner, ""))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

fn is_gap(byte: u8) -> bool {
    is_space(byte) || byte == b'/'
}

/// The first value of one attribute.
pub(super) fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<&'a str> {
    Attributes(attributes)
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> (String, Vec<(&str, &str)>) {
        let (name, rest) = split_start(raw);
        (name.to_owned(), Attributes(rest).collect())
    }

    #[test]
    fn attributes_are_read_as_browsers_read_them() {
        for (raw, name, attributes) in [
            ("<p>", "p", vec![]),
            ("<br/>", "br", vec![]),
            (
                "<a href=x class='a b' id = \"c>\" hidden>",
                "a",
                vec![("href", "x"), ("class", "a b"), ("id", "c>"), ("hidden", "")],
            ),
            ("<a\nhref=/p/?q=1&r=2 x>", "a", vec![("href", "/p/?q=1&r=2"), ("x", "")]),
            ("<a =b=c d='open>", "a", vec![("=b", "c"), ("d", "open>")]),
            ("<a b/c=d/>", "a", vec![("b", ""), ("c", "d/")]),
        ] {
            assert_eq!(read(raw), (name.to_owned(), attributes), "{raw}");
        }
        assert_eq!(attribute(" A=1 a=2", "a"), Some("1"));
    }

    #[test]
    fn keys_know_no_case_and_tell_names_apart() {
        assert_eq!(name_key(b"DIV"), name_key(b"div"));
        assert_eq!(name_key(b"BlockQuote"), name_key(b"blockquote"));
        assert_ne!(name_key(b"blockquote"), name_key(b"blockquotf"));
        assert_ne!(name_key(b"h1"), name_key(b"h2"));
        for (rest, after) in
            [(">x", "x"), (" a='>' b>x", "x"), ("/ >x", "x"), (" a='", ""), ("", "")]
        {
            assert_eq!(after_tag(rest), after, "{rest}");
        }
    }
}
