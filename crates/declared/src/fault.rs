//! A deviation of a file from its standard, described so that the site's owner can fix it.

/// How serious a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Worth knowing; the file still works.
    Note,
    /// Some readers will misread the file.
    Warning,
    /// The file, or this part of it, cannot be used for its purpose.
    Error,
}

/// One fault of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A stable word in `snake_case`, for machines: `no_contact`, `rule_before_group`, …
    pub code: &'static str,
    pub weight: Weight,
    /// Where: a line (`line 3`), a JSON pointer (`/skills/0/tags`) or a header field; empty for the
    /// whole file.
    pub at: String,
    /// What is wrong. Quotations from the file are truncated and contain no control characters.
    pub problem: String,
    /// What to do: an instruction, or text to paste.
    pub fix: String,
}
