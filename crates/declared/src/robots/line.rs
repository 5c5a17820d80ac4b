//! Lines and fields of a robots.txt file.

/// Longer lines are truncated here and still used, as Google does.
pub(crate) const MAX_LINE_BYTES: usize = 2_083 * 8 - 1;

/// One line, numbered from 1, without its ending.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawLine<'a> {
    pub(crate) number: u32,
    pub(crate) bytes: &'a [u8],
    /// Whether the line was longer than [`MAX_LINE_BYTES`].
    pub(crate) truncated: bool,
}

/// What one line contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineContent<'a> {
    Blank,
    /// Only a comment: what comes after the `#`.
    Comment(&'a [u8]),
    Field(Field<'a>),
    /// Text that is not `name: value`.
    Unreadable(&'a [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    pub(crate) name: FieldName,
    /// The name as it is written.
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
    /// Whether there is a colon between name and value.
    pub(crate) colon: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldName {
    UserAgent,
    Allow,
    Disallow,
    Sitemap,
    CrawlDelay,
    ContentSignal,
    ContentUsage,
    License,
    /// An unknown record. It does not end a group.
    Other,
}

/// Every line, including empty ones.
pub(crate) fn raw_lines(body: &[u8]) -> impl Iterator<Item = RawLine<'_>> {
    let mut rest = Some(without_byte_order_mark(body));
    let mut number = 0u32;
    std::iter::from_fn(move || {
        let body = rest?;
        number = number.saturating_add(1);
        let line = match memchr::memchr2(b'\n', b'\r', body) {
            None => {
                rest = None;
                body
            }
            Some(end) => {
                let (line, ending) = body.split_at(end);
                rest = ending.strip_prefix(b"\r\n").or_else(|| ending.get(1..));
                line
            }
        };
        let bytes = line.get(..MAX_LINE_BYTES).unwrap_or(line);
        Some(RawLine { number, bytes, truncated: bytes.len() < line.len() })
    })
}

/// The mark may be incomplete: Google also skips only its first one or two bytes.
fn without_byte_order_mark(body: &[u8]) -> &[u8] {
    let mut rest = body;
    for byte in *b"\xef\xbb\xbf" {
        match rest.split_first() {
            Some((first, tail)) if *first == byte => rest = tail,
            _ => break,
        }
    }
    rest
}

/// Whether the file is UTF-16: by its mark, or because every second byte at its start is zero.
pub(crate) fn is_utf16(body: &[u8]) -> bool {
    if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
        return true;
    }
    let start = body.get(..64).unwrap_or(body);
    let (pairs, _) = start.as_chunks::<2>();
    pairs.len() >= 2
        && (pairs.iter().all(|[a, b]| *a != 0 && *b == 0)
            || pairs.iter().all(|[a, b]| *a == 0 && *b != 0))
}

pub(crate) fn parse_line(line: &[u8]) -> LineContent<'_> {
    let text = trim(before_comment(line));
    if text.is_empty() {
        let line = trim(line);
        return match line.split_first() {
            Some((b'#', comment)) => LineContent::Comment(comment),
            _ => LineContent::Blank,
        };
    }
    let (key, value, colon) = match memchr::memchr(b':', text) {
        Some(at) => (split_around(text, at).0, split_around(text, at).1, true),
        // A forgotten colon is forgiven when the line is exactly two words.
        None => match memchr::memchr2(b' ', b'\t', text) {
            Some(at) => (split_around(text, at).0, split_around(text, at).1, false),
            None => return LineContent::Unreadable(text),
        },
    };
    let (key, value) = (trim(key), trim(value));
    if key.is_empty() || !colon && memchr::memchr2(b' ', b'\t', value).is_some() {
        return LineContent::Unreadable(text);
    }
    LineContent::Field(Field { name: field_name(key), key, value, colon })
}

/// A line up to its comment. A zero byte ends a line as well, as it does for Google.
pub(crate) fn before_comment(line: &[u8]) -> &[u8] {
    memchr::memchr2(b'#', 0, line).and_then(|end| line.get(..end)).unwrap_or(line)
}

fn split_around(text: &[u8], at: usize) -> (&[u8], &[u8]) {
    (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default())
}

/// Rule names are recognised by how they begin, including common misspellings; other records only
/// by their exact name.
fn field_name(key: &[u8]) -> FieldName {
    let begins = |names: &[&str]| {
        names.iter().any(|name| {
            key.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        })
    };
    let is = |name: &str| key.eq_ignore_ascii_case(name.as_bytes());
    match key.first().map(u8::to_ascii_lowercase) {
        Some(b'u') if begins(&["user-agent", "useragent", "user agent"]) => FieldName::UserAgent,
        Some(b'a') if begins(&["allow"]) => FieldName::Allow,
        Some(b'd')
            if begins(&[
                "disallow",
                "dissallow",
                "dissalow",
                "disalow",
                "diasllow",
                "disallaw",
            ]) =>
        {
            FieldName::Disallow
        }
        Some(b's') if begins(&["sitemap", "site-map"]) => FieldName::Sitemap,
        Some(b'c') if is("crawl-delay") => FieldName::CrawlDelay,
        Some(b'c') if is("content-signal") => FieldName::ContentSignal,
        Some(b'c') if is("content-usage") => FieldName::ContentUsage,
        Some(b'l') if is("license") => FieldName::License,
        _ => FieldName::Other,
    }
}

/// Whether a user-agent value means everyone: `*`, possibly followed by more words.
pub(crate) fn is_everyone(value: &[u8]) -> bool {
    value.first() == Some(&b'*') && value.get(1).is_none_or(|next| is_space(*next))
}

/// The first word of a user-agent value (without a version), and the part of that word that is a
/// product token: letters, `-` and `_`.
pub(crate) fn product_token(value: &[u8]) -> (&[u8], &[u8]) {
    let until = |ends: fn(u8) -> bool| {
        let end = value.iter().position(|byte| ends(*byte)).unwrap_or(value.len());
        value.get(..end).unwrap_or_default()
    };
    let token = until(|byte| !(byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_'));
    (until(|byte| is_space(byte) || byte == b'/'), token)
}

fn is_space(byte: u8) -> bool {
    // White space as in C, which includes vertical tab.
    byte.is_ascii_whitespace() || byte == 0x0b
}

pub(crate) fn trim(text: &[u8]) -> &[u8] {
    let Some(start) = text.iter().position(|byte| !is_space(*byte)) else {
        return Default::default();
    };
    let end = text.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
    text.get(start..end).unwrap_or_default()
}
