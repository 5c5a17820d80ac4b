//! Lines and fields of a robots.txt file.

/// What one line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Field<'a> {
    UserAgent(&'a [u8]),
    Rule {
        allow: bool,
        pattern: &'a [u8],
    },
    Sitemap(&'a [u8]),
    /// A record that is not ours to understand here. It ends nothing.
    Other,
}

/// Longer lines are cut here and still used, as Google does.
const MAX_LINE_BYTES: usize = 2_083 * 8;

/// Every line with something on it, numbered from 1.
pub(super) fn fields(body: &[u8]) -> impl Iterator<Item = (u32, Field<'_>)> {
    lines(without_byte_order_mark(body)).zip(1u32..).filter_map(|(line, number)| {
        Some((number, field(line.get(..MAX_LINE_BYTES).unwrap_or(line))?))
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

/// Splits at LF, CR and CRLF.
fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(body);
    std::iter::from_fn(move || {
        let body = rest?;
        let Some(end) = body.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            rest = None;
            return Some(body);
        };
        let (line, ending) = body.split_at(end);
        rest = ending.strip_prefix(b"\r\n").or_else(|| ending.get(1..));
        Some(line)
    })
}

fn field(line: &[u8]) -> Option<Field<'_>> {
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    if line.is_empty() {
        return None;
    }
    let (key, value) = match line.iter().position(|byte| *byte == b':') {
        Some(colon) => {
            let (key, rest) = line.split_at(colon);
            (key, rest.get(1..).unwrap_or_default())
        }
        // A forgotten colon is forgiven when the line is exactly two words.
        None => {
            let space = line.iter().position(u8::is_ascii_whitespace)?;
            let (key, value) = line.split_at(space);
            if value.trim_ascii().iter().any(u8::is_ascii_whitespace) {
                return Some(Field::Other);
            }
            (key, value)
        }
    };
    let (key, value) = (key.trim_ascii().to_ascii_lowercase(), value.trim_ascii());
    let is = |names: &[&str]| names.iter().any(|name| key.starts_with(name.as_bytes()));
    // Keys are known by how they begin, common misspellings included.
    Some(if is(&["user-agent", "useragent", "user agent"]) {
        Field::UserAgent(value)
    } else if is(&["allow"]) {
        Field::Rule { allow: true, pattern: value }
    } else if is(&["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]) {
        Field::Rule { allow: false, pattern: value }
    } else if is(&["sitemap", "site-map"]) {
        Field::Sitemap(value)
    } else {
        Field::Other
    })
}
