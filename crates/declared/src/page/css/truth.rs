//! Three-valued answers: what cannot be told without a browser is neither yes nor no.

/// Whether something holds, as far as it can be told without a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Truth {
    No,
    Unknown,
    Yes,
}

impl Truth {
    pub(super) fn from_bool(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    pub(super) fn and(self, other: Self) -> Self {
        self.min(other)
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.max(other)
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
            Self::Yes => Self::No,
        }
    }
}
