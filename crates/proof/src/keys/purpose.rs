//! Key purposes. A signature by a key of the wrong purpose is not accepted.

use std::fmt;
use std::str::FromStr;

use contract::Brand;

use crate::ProofError;

/// The four purposes of the key directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyPurpose {
    /// HTTP message signatures on what the service sends.
    Requests,
    /// Every signed document that is neither a decision receipt nor a tree head.
    Documents,
    /// Decision receipts.
    Decisions,
    /// Signed tree heads of the log.
    LogHeads,
}

impl KeyPurpose {
    pub const ALL: [Self; 4] = [Self::Requests, Self::Documents, Self::Decisions, Self::LogHeads];

    /// The word used in the key directory.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Documents => "documents",
            Self::Decisions => "decisions",
            Self::LogHeads => "log heads",
        }
    }

    /// The purpose of the key that signs documents of this `kind`; `None` if the kind does not have
    /// the form `{brand}-word[-word…]`.
    #[must_use]
    pub fn for_kind(kind: &str, brand: &Brand) -> Option<Self> {
        let words = kind.strip_prefix(brand.as_str())?.strip_prefix('-')?;
        let word_like = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        words.split('-').all(word_like).then_some(match words {
            "decision" => Self::Decisions,
            "log-sth" => Self::LogHeads,
            _ => Self::Documents,
        })
    }
}

impl fmt::Display for KeyPurpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for KeyPurpose {
    type Err = ProofError;

    fn from_str(word: &str) -> Result<Self, ProofError> {
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == word).ok_or_else(|| {
            ProofError::Key(
                "unknown purpose (expected requests, documents, decisions or log heads)".to_owned(),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_each_kind_and_refuses_what_is_no_kind() {
        let brand = Brand::default();
        let purpose = |kind| KeyPurpose::for_kind(kind, &brand);
        assert_eq!(purpose("svc-decision"), Some(KeyPurpose::Decisions));
        assert_eq!(purpose("svc-log-sth"), Some(KeyPurpose::LogHeads));
        for kind in ["svc-resolve", "svc-decisions", "svc-mcp-lock-check", "svc-log"] {
            assert_eq!(purpose(kind), Some(KeyPurpose::Documents), "{kind}");
        }
        for kind in
            ["", "svc", "svc-", "svc-a-", "svc--a", "svc-A", "other-resolve", "svcs-a", "svc_a"]
        {
            assert_eq!(purpose(kind), None, "{kind:?}");
        }
    }

    #[test]
    fn words_are_read_back() {
        for purpose in KeyPurpose::ALL {
            assert_eq!(purpose.as_str().parse(), Ok(purpose));
        }
        assert!("log_heads".parse::<KeyPurpose>().is_err());
    }
}
