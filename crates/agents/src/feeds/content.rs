//! What was read of a feed.

use contract::Timestamp;

use crate::ranges::PrefixSet;

/// A feed as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedContent {
    /// Never empty.
    pub prefixes: PrefixSet,
    /// When the operator made the list, if it says so. A time without a zone is taken as UTC.
    pub created_at: Option<Timestamp>,
    /// Lines or entries that hold a prefix, with repetitions.
    pub entries: usize,
    /// Lines or entries that hold no valid prefix.
    pub skipped: usize,
}
