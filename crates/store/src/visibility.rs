//! Who may see a kept scan.

use std::fmt;

/// The visibility a scan was asked for. Closed, unlike the wire's: a store keeps only what it
/// knows how to hide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Listed everywhere.
    Public,
    /// Reachable by its link, listed nowhere.
    Unlisted,
    /// For a licence holder or the owner alone, listed nowhere.
    Private,
}

impl Visibility {
    pub const ALL: [Self; 3] = [Self::Public, Self::Unlisted, Self::Private];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::Private => "private",
        }
    }

    /// The visibility for a word, and nothing for any other.
    #[must_use]
    pub fn known(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visibility| visibility.as_str() == word)
    }

    #[must_use]
    pub fn is_listed(self) -> bool {
        self == Self::Public
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
