//! Something in a file that is not as its standard asks, said so that its owner can mend it.

/// How much a fault spoils.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Worth knowing; the file does what it is for.
    Note,
    /// Some readers will go wrong.
    Warning,
    /// The file, or this part of it, cannot be used for what it is meant for.
    Error,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A stable word in `snake_case`, for machines: `no_contact`, `rule_before_group`, …
    pub code: &'static str,
    pub weight: Weight,
    /// Where: a line (`line 3`), a JSON pointer (`/skills/0/tags`), a header field; empty when the
    /// whole is meant.
    pub at: String,
    /// What is wrong, one sentence. What it quotes of the file is cut and holds no control characters.
    pub problem: String,
    /// What to do, one sentence or text to paste.
    pub fix: String,
}
