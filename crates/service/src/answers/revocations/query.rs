//! Selects which part of the revocation list a caller gets.

use contract::{Domain, Timestamp, limits};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RevocationsPageQuery {
    pub from: RevocationsStart,
    pub limit: usize,
    pub domain: Option<Domain>,
    /// A word of `RevocationType`.
    pub entry_type: Option<String>,
    /// A word of `RevocationTargetKind`.
    pub target_kind: Option<String>,
}

/// Where the page of entries starts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RevocationsStart {
    /// The newest entries.
    Newest,
    Cursor(String),
    Since(Timestamp),
}

impl Default for RevocationsPageQuery {
    fn default() -> Self {
        Self {
            from: RevocationsStart::Newest,
            limit: limits::REVOCATIONS_PAGE_DEFAULT,
            domain: None,
            entry_type: None,
            target_kind: None,
        }
    }
}
