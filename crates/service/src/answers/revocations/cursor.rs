//! Cursors into the chain of revocations: `r1-<seq>-<first digits of the entry's digest>`.

use proof::Digest;
use store::StoredRevocation;

/// Digest digits in a cursor. They distinguish our cursors from those of another chain.
const DIGITS: usize = 16;

/// The position after an entry, or at the start of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RevocationCursor {
    pub(super) seq: u64,
    digits: String,
}

impl RevocationCursor {
    pub(super) fn after(entry: Option<&StoredRevocation>) -> Self {
        Self {
            seq: entry.map_or(0, |entry| entry.seq),
            digits: entry.map_or_else(String::new, |entry| digits(&entry.entry_sha256)),
        }
    }

    /// `None` for a text that cannot be a cursor of ours.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("r1-")?;
        let (number, digits) = rest.split_once('-').unwrap_or((rest, ""));
        let seq: u64 = number.parse().ok()?;
        let cursor = Self { seq, digits: digits.to_owned() };
        // Only the canonical spelling: `r1-007` is not `r1-7`.
        let expected = if seq == 0 { 0 } else { DIGITS };
        (cursor.digits.len() == expected && cursor.to_string() == text).then_some(cursor)
    }

    /// Whether the position is directly after this entry.
    pub(super) fn is_after(&self, entry: &StoredRevocation) -> bool {
        self.seq == entry.seq && self.digits == digits(&entry.entry_sha256)
    }
}

fn digits(digest: &Digest) -> String {
    digest.to_hex().chars().take(DIGITS).collect()
}

impl std::fmt::Display for RevocationCursor {
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
    fn only_the_canonical_spelling_is_parsed() {
        for text in ["r1-0", "r1-7-0123456789abcdef"] {
            assert_eq!(RevocationCursor::parse(text).unwrap().to_string(), text);
        }
        for text in
            ["", "r1-", "r1-7", "r1-00", "r1-07-0123456789abcdef", "r1-0-0123456789abcdef", "r2-0"]
        {
            assert_eq!(RevocationCursor::parse(text), None, "{text}");
        }
    }
}
