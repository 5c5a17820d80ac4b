//! What a declaration says about the effect of a call.

use super::name_words::NameWords;

/// Hints about the effect of a call, all of them declared by the site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectHints {
    /// The HTTP method, if the file describes single requests.
    pub method: Option<MethodKind>,
    /// Whether a request needs a body.
    pub needs_body: bool,
    pub credential: CredentialRequirement,
    pub scopes: Vec<String>,
    /// Whether the file declares that it costs something.
    pub priced: bool,
    /// Whether the file is about commerce.
    pub commerce: bool,
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    /// The words of its names and its path.
    pub words: NameWords,
    /// The words of its summary.
    pub summary: NameWords,
    /// What a safe operation reads: the URL with its templates.
    pub read_of: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MethodKind {
    /// GET, HEAD, OPTIONS and QUERY: meant to change nothing.
    Safe,
    /// POST, PUT and PATCH.
    Write,
    Delete,
    /// A method without a rule.
    Other,
}

impl MethodKind {
    pub(super) fn from_name(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "get" | "head" | "options" | "query" => Self::Safe,
            "post" | "put" | "patch" => Self::Write,
            "delete" => Self::Delete,
            "trace" => Self::Other,
            _ => return None,
        })
    }
}

/// Whether a caller needs credentials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CredentialRequirement {
    NotNeeded,
    Needed,
    /// The file does not say, or not readably.
    #[default]
    Unstated,
}
