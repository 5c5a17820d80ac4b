//! Lines and fields of a robots.txt file.

/// Longer lines are cut here and still used, as Google does.
pub(super) const MAX_LINE_BYTES: usize = 2_083 * 8 - 1;

/// One line, numbered from 1, without its ending.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) number: u32,
    pub(super) bytes: &'a [u8],
    /// Whether the line was longer than [`MAX_LINE_BYTES`].
    pub(super) cut: bool,
}

/// What one line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said<'a> {
    Nothing,
    /// Only a comment: what comes after the `#`.
    Comment(&'a [u8]),
    Field(Field<'a>),
    /// Words that are not `name: value`.
    Unreadable(&'a [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub(super) name: Name,
    /// The name as it is written.
    pub(super) key: &'a [u8],
    pub(super) value: &'a [u8],
    /// Whether a colon stands between the two.
    pub(super) colon: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    UserAgent,
    Allow,
    Disallow,
    Sitemap,
    CrawlDelay,
    ContentSignal,
    ContentUsage,
    License,
    /// A record that is not ours to understand. It ends nothing.
    Other,
}

/// Every line, also the empty ones.
pub(super) fn rows(body: &[u8]) -> impl Iterator<Item = Row<'_>> {
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
        Some(Row { number, bytes, cut: bytes.len() < line.len() })
    })
}

/// A mark may also be cut short (Google reads on after its first one or two bytes).
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
pub(super) fn utf16(body: &[u8]) -> bool {
    if body.starts_with(b"\xff\xfe") || body.starts_with(b"\xfe\xff") {
        return true;
    }
    let start = body.get(..64).unwrap_or(body);
    let (pairs, _) = start.as_chunks::<2>();
    pairs.len() >= 2
        && (pairs.iter().all(|[a, b]| *a != 0 && *b == 0)
            || pairs.iter().all(|[a, b]| *a == 0 && *b != 0))
}

pub(super) fn said(line: &[u8]) -> Said<'_> {
    let text = trimmed(before_comment(line));
    if text.is_empty() {
        let line = trimmed(line);
        return match line.split_first() {
            Some((b'#', comment)) => Said::Comment(comment),
            _ => Said::Nothing,
        };
    }
    let (key, value, colon) = match memchr::memchr(b':', text) {
        Some(at) => (split(text, at).0, split(text, at).1, true),
        // A forgotten colon is forgiven when the line is exactly two words.
        None => match memchr::memchr2(b' ', b'\t', text) {
            Some(at) => (split(text, at).0, split(text, at).1, false),
            None => return Said::Unreadable(text),
        },
    };
    let (key, value) = (trimmed(key), trimmed(value));
    if key.is_empty() || !colon && memchr::memchr2(b' ', b'\t', value).is_some() {
        return Said::Unreadable(text);
    }
    Said::Field(Field { name: name(key), key, value, colon })
}

/// A line up to its comment. A zero byte ends a line as well, as it does for Google.
pub(super) fn before_comment(line: &[u8]) -> &[u8] {
    memchr::memchr2(b'#', 0, line).and_then(|end| line.get(..end)).unwrap_or(line)
}

fn split(text: &[u8], at: usize) -> (&[u8], &[u8]) {
    (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default())
}

/// Keys are known by how they begin, common misspellings included; the records beside the rules
/// have only their own name.
fn name(key: &[u8]) -> Name {
    let begins = |names: &[&str]| {
        names.iter().any(|name| {
            key.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        })
    };
    let is = |name: &str| key.eq_ignore_ascii_case(name.as_bytes());
    match key.first().map(u8::to_ascii_lowercase) {
        Some(b'u') if begins(&["user-agent", "useragent", "user agent"]) => Name::UserAgent,
        Some(b'a') if begins(&["allow"]) => Name::Allow,
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
            Name::Disallow
        }
        Some(b's') if begins(&["sitemap", "site-map"]) => Name::Sitemap,
        Some(b'c') if is("crawl-delay") => Name::CrawlDelay,
        Some(b'c') if is("content-signal") => Name::ContentSignal,
        Some(b'c') if is("content-usage") => Name::ContentUsage,
        Some(b'l') if is("license") => Name::License,
        _ => Name::Other,
    }
}

/// Whether a user-agent value means everyone: `*`, and perhaps words behind it.
pub(super) fn is_everyone(value: &[u8]) -> bool {
    value.first() == Some(&b'*') && value.get(1).is_none_or(|next| is_space(*next))
}

/// The first word of a user-agent value (a version is not part of it), and as much of that word as
/// is a product token: letters, `-` and `_`.
pub(super) fn product(value: &[u8]) -> (&[u8], &[u8]) {
    let until = |ends: fn(u8) -> bool| {
        let end = value.iter().position(|byte| ends(*byte)).unwrap_or(value.len());
        value.get(..end).unwrap_or_default()
    };
    let token = until(|byte| !(byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_'));
    (until(|byte| is_space(byte) || byte == b'/'), token)
}

fn is_space(byte: u8) -> bool {
    // C's idea of white space, which has one character more than Rust's.
    byte.is_ascii_whitespace() || byte == 0x0b
}

pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let Some(start) = text.iter().position(|byte| !is_space(*byte)) else {
        return Default::default();
    };
    let end = text.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
    text.get(start..end).unwrap_or_default()
}
