//! Path patterns: prefixes with `*` for anything and `$` for the end.

/// The pattern as it is compared, if that differs from how it is written: bytes above ASCII are
/// percent-encoded and existing escapes are upper-cased. Nothing is decoded.
pub(crate) fn percent_encoded(pattern: &[u8]) -> Option<Vec<u8>> {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let plain = |byte: &u8| *byte < 0x80 && *byte != b'%';
    if pattern.iter().all(plain) {
        return None;
    }
    let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
    let mut out = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        match (*byte, tail) {
            (b'%', [high, low, after @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                out.extend([b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]);
                rest = after;
            }
            (0x80.., _) => out.extend([b'%', digit(byte >> 4), digit(byte & 15)]),
            _ => out.push(*byte),
        }
    }
    Some(out)
}

/// Whether a path starts with the pattern, or matches it entirely if the pattern ends in `$`.
pub(crate) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern.split_last() {
        Some((b'$', rest)) => matches_whole(rest, path),
        _ => parts_match(pattern, path, false),
    }
}

/// Whether an entire path matches the pattern; a `$` in it is an ordinary character.
pub(crate) fn matches_whole(pattern: &[u8], path: &[u8]) -> bool {
    parts_match(pattern, path, true)
}

/// Each part between stars is searched once, at the earliest possible position: an earlier match
/// never prevents a later one. So the time is linear in path plus pattern, not in their product.
fn parts_match(pattern: &[u8], path: &[u8], whole: bool) -> bool {
    let Some(star) = memchr::memchr(b'*', pattern) else {
        return if whole { path == pattern } else { path.starts_with(pattern) };
    };
    let (start, stars) = pattern.split_at(star);
    let Some(mut rest) = path.strip_prefix(start) else { return false };
    let last_star = memchr::memrchr(b'*', stars).unwrap_or(0);
    let (middle, last) = stars.split_at(last_star);
    let last = last.get(1..).unwrap_or_default();
    for part in middle.split(|byte| *byte == b'*').filter(|part| !part.is_empty()) {
        let Some(at) = memchr::memmem::find(rest, part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    if whole { rest.ends_with(last) } else { memchr::memmem::find(rest, last).is_some() }
}

/// `/x/` for a pattern that ends in `/x/index.html` or `/x/index.htm`.
pub(super) fn index_folder(pattern: &[u8]) -> Option<&[u8]> {
    let slash = memchr::memrchr(b'/', pattern)?;
    let (folder, file) = pattern.split_at(slash + 1);
    file.starts_with(b"index.htm").then_some(folder)
}
