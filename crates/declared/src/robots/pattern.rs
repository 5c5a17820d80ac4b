//! Path patterns: prefixes with `*` for anything and `$` for the end.

/// The comparable form of a pattern: bytes above ASCII are percent-encoded, existing escapes are
/// written in upper case, nothing is decoded.
pub(super) fn escaped(pattern: &[u8]) -> Vec<u8> {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
    let mut out = Vec::with_capacity(pattern.len());
    let mut upper = 0;
    for (at, byte) in pattern.iter().enumerate() {
        let escape = *byte == b'%'
            && pattern.get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
        if escape {
            upper = 3;
        }
        if *byte >= 0x80 {
            out.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
        } else if upper > 0 {
            out.push(byte.to_ascii_uppercase());
        } else {
            out.push(*byte);
        }
        upper = upper.max(1) - 1;
    }
    out
}

/// Whether a path begins as the pattern says (or is exactly it, when it ends in `$`).
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, anchored) = match pattern.split_last() {
        Some((b'$', rest)) => (rest, true),
        _ => (pattern, false),
    };
    let mut parts = pattern.split(|byte| *byte == b'*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&[u8]> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return !anchored || rest.is_empty() };
    for part in middle {
        let Some(at) = find(rest, part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    if anchored { rest.ends_with(last) } else { find(rest, last).is_some() }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() {
        return Some(0);
    }
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// `/x/$` for a pattern that ends in `/x/index.html` or `/x/index.htm`.
pub(super) fn index_folder(pattern: &[u8]) -> Option<Vec<u8>> {
    let slash = pattern.iter().rposition(|byte| *byte == b'/')?;
    let (folder, file) = pattern.split_at(slash + 1);
    file.starts_with(b"index.htm").then(|| [folder, b"$"].concat())
}
