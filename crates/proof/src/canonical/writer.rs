//! Writes values, members, strings and numbers in canonical form.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::limits::{MAX_DEPTH, MAX_INTEGER};
use crate::ProofError;

pub(super) fn write_value(
    out: &mut Vec<u8>,
    value: &Value,
    depth: usize,
) -> Result<(), ProofError> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(out, number)?,
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            let depth = next_depth(depth)?;
            out.push(b'[');
            let mut items = items.iter();
            if let Some(first) = items.next() {
                write_value(out, first, depth)?;
            }
            for item in items {
                out.push(b',');
                write_value(out, item, depth)?;
            }
            out.push(b']');
        }
        Value::Object(members) => write_members(out, members, depth, |_| true)?,
    }
    Ok(())
}

/// Writes an object with the members for whose names `keep` returns true.
pub(super) fn write_members(
    out: &mut Vec<u8>,
    members: &Map<String, Value>,
    depth: usize,
    keep: impl Fn(&str) -> bool,
) -> Result<(), ProofError> {
    let depth = next_depth(depth)?;
    if is_in_canonical_order(members) {
        write_ordered(out, members.iter(), depth, keep)
    } else {
        let mut sorted: Vec<_> = members.iter().collect();
        sorted.sort_unstable_by(|(a, _), (b, _)| compare_utf16(a, b));
        write_ordered(out, sorted.into_iter(), depth, keep)
    }
}

/// The order of RFC 8785: by UTF-16 units. Characters beyond the basic plane sort before U+E000 to
/// U+FFFF.
pub(crate) fn compare_utf16(a: &str, b: &str) -> Ordering {
    compare_utf16_bytes(a.as_bytes(), b.as_bytes())
}

/// The same for the bytes of two texts.
pub(super) fn compare_utf16_bytes(a: &[u8], b: &[u8]) -> Ordering {
    // The first byte that differs tells: UTF-8 sorts like UTF-16, but for these two ranges of first bytes.
    let beyond_basic_plane = |byte: u8| byte >= 0xF0;
    let above_surrogates = |byte: u8| (0xEE..0xF0).contains(&byte);
    match a.iter().copied().zip(b.iter().copied()).find(|(a, b)| a != b) {
        None => a.len().cmp(&b.len()),
        Some((a, b)) if beyond_basic_plane(a) && above_surrogates(b) => Ordering::Less,
        Some((a, b)) if above_surrogates(a) && beyond_basic_plane(b) => Ordering::Greater,
        Some((a, b)) => a.cmp(&b),
    }
}

/// The first bytes of a text as a number. Texts whose numbers differ are in the order of [`compare_utf16_bytes`].
pub(super) fn sort_prefix(text: &[u8]) -> u64 {
    const BEYOND_ASCII: u64 = 0x8080_8080_8080_8080;
    let first = text.first_chunk::<8>().copied().unwrap_or_else(|| {
        let mut first = [0; 8];
        first.iter_mut().zip(text).for_each(|(to, byte)| *to = *byte);
        first
    });
    let number = u64::from_be_bytes(first);
    if number & BEYOND_ASCII == 0 {
        return number;
    }
    // As above: characters beyond the basic plane are before U+E000 to U+FFFF.
    u64::from_be_bytes(first.map(|byte| match byte {
        0xEE..0xF0 => byte + 0x10,
        0xF0.. => byte - 2,
        other => other,
    }))
}

/// The depth of the next level. Fails if that is too deep.
pub(super) fn next_depth(depth: usize) -> Result<usize, ProofError> {
    if depth < MAX_DEPTH {
        Ok(depth + 1)
    } else {
        Err(ProofError::NotCanonical(format!("nested deeper than {MAX_DEPTH} levels")))
    }
}

fn write_ordered<'a>(
    out: &mut Vec<u8>,
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    depth: usize,
    keep: impl Fn(&str) -> bool,
) -> Result<(), ProofError> {
    let mut before = b'{';
    for (name, value) in members {
        if !keep(name) {
            continue;
        }
        out.push(before);
        write_string(out, name);
        out.push(b':');
        write_value(out, value, depth)?;
        before = b',';
    }
    if before == b'{' {
        out.push(b'{');
    }
    out.push(b'}');
    Ok(())
}

/// Whether the names are already in canonical order. The map is usually a tree sorted by bytes,
/// and byte order is UTF-16 order as long as no name reaches beyond the basic plane (in UTF-8, a
/// byte of 0xF0 or more). This is checked, not assumed: another crate may enable the serde_json
/// feature that keeps the order of insertion.
fn is_in_canonical_order(members: &Map<String, Value>) -> bool {
    let mut previous: Option<&str> = None;
    members.keys().all(|name| {
        let rising = previous.is_none_or(|previous| previous < name.as_str());
        previous = Some(name);
        rising && name.bytes().fold(0, u8::max) < 0xF0
    })
}

fn write_number(out: &mut Vec<u8>, number: &Number) -> Result<(), ProofError> {
    if let Some(whole) = number.as_u64() {
        write_unsigned(out, whole)
    } else if let Some(whole) = number.as_i64() {
        write_signed(out, whole)
    } else if let Some(double) = number.as_f64() {
        write_double(out, double)
    } else {
        Err(ProofError::NotCanonical(format!("the number {number}")))
    }
}

pub(super) fn write_signed(out: &mut Vec<u8>, whole: i64) -> Result<(), ProofError> {
    if whole < 0 {
        out.push(b'-');
    }
    write_unsigned(out, whole.unsigned_abs())
}

pub(super) fn write_unsigned(out: &mut Vec<u8>, whole: u64) -> Result<(), ProofError> {
    if whole > MAX_INTEGER {
        return Err(ProofError::NotCanonical(format!("the integer {whole} is beyond 2^53 - 1")));
    }
    // 2^53 has 16 digits.
    let mut digits = [0_u8; 16];
    let mut rest = whole;
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        // The remainder of ten is one digit.
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        used += 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - used..).unwrap_or_default());
    Ok(())
}

pub(super) fn write_double(out: &mut Vec<u8>, double: f64) -> Result<(), ProofError> {
    if !double.is_finite() {
        return Err(ProofError::NotCanonical(format!("the number {double}")));
    }
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(double).as_bytes());
    Ok(())
}

pub(super) fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, tail) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = tail.split_first() else { break };
        write_escape(out, byte);
        rest = after;
    }
    out.push(b'"');
}

/// How many bytes from the start need no escape. Blocks are tested as a whole, which the compiler
/// turns into a few vector instructions; only a block with a hit is looked at byte by byte.
fn plain_length(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<16>();
    let mut plain = 0;
    for block in blocks {
        if has_escape(block) {
            return plain + plain_bytes(block);
        }
        plain += block.len();
    }
    // Most texts are short: their ends are blocks, too, which overlap those before.
    let is_plain = match (bytes.last_chunk::<16>(), rest.first_chunk::<8>(), rest.last_chunk::<8>())
    {
        (Some(end), ..) => !has_escape(end),
        (None, Some(start), Some(end)) => !has_escape(start) && !has_escape(end),
        _ => false,
    };
    if is_plain { bytes.len() } else { plain + plain_bytes(rest) }
}

fn has_escape<const LENGTH: usize>(block: &[u8; LENGTH]) -> bool {
    block.iter().fold(false, |hit, byte| hit | needs_escape(*byte))
}

fn plain_bytes(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| needs_escape(*byte)).unwrap_or(bytes.len())
}

fn needs_escape(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0C => b'f',
        0x0D => b'r',
        control => {
            let hex = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + (nibble - 10) };
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex(control >> 4), hex(control & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_first_byte_that_needs_an_escape_is_found(
            text in "[a-zé]{0,40}[\u{0}-\u{1f}\"\\\\]{0,2}[a-zé\u{7f}]{0,20}"
        ) {
            let first = text.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\');
            proptest::prop_assert_eq!(plain_length(text.as_bytes()), first.unwrap_or(text.len()));
        }

        #[test]
        fn a_prefix_sorts_like_the_text(
            a in "[a-c\u{0}é\u{e000}\u{ffff}\u{10000}\u{10ffff}\u{d7ff}]{0,5}",
            b in "[a-c\u{0}é\u{e000}\u{ffff}\u{10000}\u{10ffff}\u{d7ff}]{0,5}",
        ) {
            let prefixes = sort_prefix(a.as_bytes()).cmp(&sort_prefix(b.as_bytes()));
            let texts = compare_utf16(&a, &b);
            proptest::prop_assert!(prefixes.is_eq() || prefixes == texts, "{:?} {:?}", a, b);
            let utf16 = a.encode_utf16().cmp(b.encode_utf16());
            proptest::prop_assert_eq!(texts, utf16);
        }
    }
}
