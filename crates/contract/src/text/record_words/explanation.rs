//! A value in plain words.

/// A value in plain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Two or three words, in lower case.
    pub label: String,
    /// What happened, in one sentence.
    pub meaning: &'static str,
    /// What the owner of the site can do; `None` when there is nothing to do.
    pub advice: Option<&'static str>,
}

impl Explanation {
    pub(super) fn new(label: &str, meaning: &'static str, advice: Option<&'static str>) -> Self {
        Self { label: label.to_owned(), meaning, advice }
    }
}

/// A wire word with spaces instead of underscores: `rate_limited` becomes `rate limited`.
#[must_use]
pub fn spaced(word: &str) -> String {
    word.replace('_', " ")
}
