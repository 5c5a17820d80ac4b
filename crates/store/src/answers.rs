//! Stored answers: signed resolve answers, found by digest and by domain.
//!
//! Only [`crate::Log::append`] writes them, in one transaction with their batch, so every stored
//! answer is in the log.

use contract::{Domain, Timestamp};

use crate::{BoxFuture, Digest, HashedBytes, StoreError};

/// An answer as the exact bytes that were signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Its own `sha256`.
    pub sha256: Digest,
    pub domain: Domain,
    pub answered_at: Timestamp,
    /// The log index of its decision.
    pub log_index: u64,
    pub bytes: HashedBytes,
}

/// A position in the order in which the log stored answers. Neither the time of an answer nor its log
/// index gives this order: clocks are set back, and a decision that returns to what it was keeps the
/// index of its first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnswerCursor {
    /// Greater for every answer that was stored later.
    pub position: u64,
    pub sha256: Digest,
}

/// The answer that a new answer about the domain follows: the latest one, `None` if there is none. If
/// another one was stored in between, the new answer was made from outdated facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predecessor {
    pub domain: Domain,
    pub answer: Option<Digest>,
}

/// The first two to eight lower-case hex digits of the SHA-256 of a domain. A caller requests all
/// domains with a prefix, so that the service does not learn which one it wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HexPrefix(String);

pub trait Answers: Send + Sync {
    fn answer(&self, sha256: Digest) -> BoxFuture<'_, Result<Option<StoredAnswer>, StoreError>>;

    /// The answer about a domain that was stored last, whatever its time.
    fn latest_answer<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<StoredAnswer>, StoreError>>;

    /// The digests of the latest answers about these domains, in the given order.
    fn latest_digests(
        &self,
        domains: Vec<Domain>,
    ) -> BoxFuture<'_, Result<Vec<Option<Digest>>, StoreError>>;

    /// The positions of all answers after `after`, in the order in which they were stored, at most
    /// `limit`: for copying to another store. A damaged answer is listed too; reading it returns an
    /// error.
    fn list_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<AnswerCursor>, StoreError>>;

    /// All answers after `after`, in the order in which they were stored, at most `limit`.
    fn export_answers(
        &self,
        after: Option<AnswerCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredAnswer>, StoreError>>;

    /// The latest answer of each domain whose SHA-256 has this prefix, ordered by that digest, at
    /// most `limit`.
    fn answers_by_prefix(
        &self,
        prefix: HexPrefix,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredAnswer>, StoreError>>;

    /// How many domains have an answer.
    fn count_answered_domains(&self) -> BoxFuture<'_, Result<u64, StoreError>>;
}

impl HexPrefix {
    pub const SHORTEST: usize = 2;
    pub const LONGEST: usize = 8;

    /// `None` unless the text is a valid prefix.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let long_enough = (Self::SHORTEST..=Self::LONGEST).contains(&text.len());
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (long_enough && text.bytes().all(hex)).then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the domain's digest has this prefix.
    #[must_use]
    pub fn covers(&self, domain: &Domain) -> bool {
        domain_digest(domain).to_hex().starts_with(&self.0)
    }

    /// The first and the last digest with this prefix.
    #[must_use]
    pub fn bounds(&self) -> (Digest, Digest) {
        let filled = |with: char| {
            let text: String = self.0.chars().chain(std::iter::repeat(with)).take(64).collect();
            // Cannot fail: the text has 64 hex digits.
            text.parse().unwrap_or(Digest([0; 32]))
        };
        (filled('0'), filled('f'))
    }
}

/// The digest by which a domain is looked up without naming it.
#[must_use]
pub fn domain_digest(domain: &Domain) -> Digest {
    Digest::of(domain.as_str().as_bytes())
}

impl StoredAnswer {
    /// A digest over all members, which engines compare when they read. It takes the bytes by their digest, which is
    /// known already.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let content = self.bytes.sha256();
        Digest::of(format!("answer 2\n{}{content}\n", self.fingerprinted_columns()).as_bytes())
    }

    /// Whether a stored fingerprint is that of this answer, by the present rule or the one before it.
    #[must_use]
    pub fn has_fingerprint(&self, stated: &Digest) -> bool {
        self.fingerprint() == *stated || self.first_fingerprint() == *stated
    }

    fn fingerprinted_columns(&self) -> String {
        let (at, length) = (self.answered_at.as_millis(), self.bytes.len());
        format!("{} {} {at} {} {length}\n", self.sha256, self.domain, self.log_index)
    }

    /// The fingerprint of answers that were stored before there was the present rule.
    fn first_fingerprint(&self) -> Digest {
        let head = format!("answer 1\n{}", self.fingerprinted_columns());
        let mut hasher = proof::Hasher::new();
        hasher.update(head.as_bytes());
        hasher.update(&self.bytes);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::parse_stored_domain;

    /// Answers that were stored by the first rule stay readable.
    #[test]
    fn both_rules_of_fingerprints_are_known() {
        let answer = StoredAnswer {
            sha256: Digest::of(b"a"),
            domain: parse_stored_domain("shop.lab").unwrap(),
            answered_at: Timestamp::from_millis(1),
            log_index: 2,
            bytes: "{\"a\"}".into(),
        };
        let first = "c7feccc5088afdb0c478f90a479abf0e303c8f4e7b579e5680a59cea504422eb";
        assert!(answer.has_fingerprint(&first.parse().unwrap()));
        assert!(answer.has_fingerprint(&answer.fingerprint()));
        let changes: [fn(&mut StoredAnswer); 5] = [
            |a| a.sha256 = Digest::of(b"b"),
            |a| a.domain = parse_stored_domain("shop.lap").unwrap(),
            |a| a.answered_at = Timestamp::from_millis(2),
            |a| a.log_index = 3,
            |a| a.bytes = "{\"b\"}".into(),
        ];
        for change in changes {
            let mut after = answer.clone();
            change(&mut after);
            assert!(!after.has_fingerprint(&answer.fingerprint()), "{after:?}");
            assert!(!after.has_fingerprint(&first.parse().unwrap()), "{after:?}");
        }
    }

    #[test]
    fn a_prefix_is_a_few_hex_digits_and_bounds_its_digests() {
        for bad in ["", "a", "AB", "ag", "012345678", "0 ", "ü1"] {
            assert_eq!(HexPrefix::parse(bad), None, "{bad:?}");
        }
        let shop = parse_stored_domain("shop.lab").unwrap();
        let hex = domain_digest(&shop).to_hex();
        for length in HexPrefix::SHORTEST..=HexPrefix::LONGEST {
            let digits: String = hex.chars().take(length).collect();
            let prefix = HexPrefix::parse(&digits).unwrap();
            assert!(prefix.covers(&shop) && prefix.as_str() == digits);
            let (first, last) = prefix.bounds();
            assert!((first..=last).contains(&domain_digest(&shop)));
            assert!(first.to_hex().ends_with("000") && last.to_hex().ends_with("fff"));
        }
    }
}
