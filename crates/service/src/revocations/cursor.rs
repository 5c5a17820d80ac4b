//! Places in the chain of revocations, as callers hold them.

use proof::Digest;
use store::KeptRevocation;

/// Digits of an entry's digest in its cursor: a cursor of another chain is told from one of ours.
const DIGITS: usize = 16;

/// Behind an entry, or at the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) seq: u64,
    digits: String,
}

impl Cursor {
    pub(super) fn after(entry: Option<&KeptRevocation>) -> Self {
        Self {
            seq: entry.map_or(0, |entry| entry.seq),
            digits: entry.map_or_else(String::new, |entry| digits(&entry.entry_sha256)),
        }
    }

    /// Nothing for a text that we never gave out.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("r1-")?;
        let (number, digits) = rest.split_once('-').unwrap_or((rest, ""));
        let seq: u64 = number.parse().ok()?;
        let cursor = Self { seq, digits: digits.to_owned() };
        // Only as it would be written: `r1-007` is not `r1-7`.
        let expected = if seq == 0 { 0 } else { DIGITS };
        (cursor.digits.len() == expected && cursor.to_string() == text).then_some(cursor)
    }

    /// Whether it stands behind this very entry.
    pub(super) fn is_after(&self, entry: &KeptRevocation) -> bool {
        self.seq == entry.seq && self.digits == digits(&entry.entry_sha256)
    }
}

fn digits(digest: &Digest) -> String {
    digest.to_hex().chars().take(DIGITS).collect()
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.seq == 0 {
            f.write_str("r1-0")
        } else {
            write!(f, "r1-{}-{}", self.seq, self.digits)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for text in ["r1-0", "r1-7-0123456789abcdef"] {
            assert_eq!(Cursor::parse(text).unwrap().to_string(), text);
        }
        for text in
            ["", "r1-", "r1-7", "r1-00", "r1-07-0123456789abcdef", "r1-0-0123456789abcdef", "r2-0"]
        {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
