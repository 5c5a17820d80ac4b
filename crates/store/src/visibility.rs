//! Who may see a stored scan.

use std::fmt;

/// The requested visibility of a scan. Unlike the wire type it has no unknown values: a store must
/// know how to hide everything it stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Listed everywhere.
    Public,
    /// Reachable by its link, but not listed.
    Unlisted,
    /// Only for a licence holder or the owner; not listed.
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

    /// The visibility for a known word; `None` for any other.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
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
