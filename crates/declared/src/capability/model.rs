//! The types for what a file declares.

use url::Url;

use super::name_words::NameWords;
use super::read_call::ReadCall;

/// How many capabilities of one file are read.
pub const MAX_ITEMS: usize = 200;

/// One operation, skill, service or paid URL that a file declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// The site's own name for it, truncated and safe to display.
    pub name: String,
    /// Its absolute URL; none if the file gives none or only a template.
    pub endpoint: Option<String>,
    pub hints: EffectHints,
    /// The request that can check it, if the description gives one completely. Whether it may be sent is
    /// decided by the safety class.
    pub call: Option<ReadCall>,
}

impl Capability {
    /// Whether its URL is https on this domain or a subdomain of it.
    #[must_use]
    pub fn is_served_within(&self, domain: &str) -> bool {
        let Some(url) = self.url().filter(|url| url.scheme() == "https") else { return false };
        url.host_str().is_some_and(|host| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }

    /// Whether its URL is at or below another URL.
    #[must_use]
    pub fn is_under(&self, address: &str) -> bool {
        let (Some(own), Some(other)) = (self.url(), Url::parse(address).ok()) else { return false };
        let prefix = other.path().trim_end_matches('/');
        own.origin() == other.origin()
            && own
                .path()
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn url(&self) -> Option<Url> {
        Url::parse(self.endpoint.as_deref()?).ok()
    }
}

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

/// What one file declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredCapabilities {
    /// At most [`MAX_ITEMS`], in the order of the file.
    pub items: Vec<Capability>,
    /// Whether the file declares more than that.
    pub more: bool,
}
