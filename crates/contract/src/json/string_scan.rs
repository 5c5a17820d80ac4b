//! Finds the end of the part of a string that stands for itself.

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);

/// How many bytes from the start are neither control characters, quotes nor backslashes. Eight at a
/// time: texts are short, so that wider blocks would seldom be full.
#[must_use]
pub fn plain_length(bytes: &[u8]) -> usize {
    let (blocks, rest) = bytes.as_chunks::<8>();
    let mut plain = 0;
    for block in blocks {
        let special = special_bytes(u64::from_le_bytes(*block));
        if special != 0 {
            return plain + special.trailing_zeros() as usize / 8;
        }
        plain += block.len();
    }
    plain + rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len())
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The high bit of each special byte. Bytes above the lowest special one may be marked wrongly, because
/// a subtraction borrows from them; the lowest mark is always right.
fn special_bytes(word: u64) -> u64 {
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGH_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_at_every_place_behind_every_other() {
        for byte in 0..=u8::MAX {
            for before in [b'a', 0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0xFF] {
                for place in 0..20 {
                    let mut bytes = vec![before; place];
                    bytes.push(byte);
                    // What follows must not matter.
                    bytes.extend([b'"'; 9]);
                    let wanted = place + usize::from(!is_special(byte));
                    assert_eq!(plain_length(&bytes), wanted, "{byte} after {place} of {before}");
                    bytes.truncate(place + 1);
                    assert_eq!(plain_length(&bytes), wanted, "{byte} at the end");
                }
            }
        }
        assert_eq!(plain_length(b""), 0);
    }
}
