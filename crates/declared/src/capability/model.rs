//! The types for what a file declares.

use url::Url;

use super::effect_hints::EffectHints;
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

/// What one file declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredCapabilities {
    /// At most [`MAX_ITEMS`], in the order of the file.
    pub items: Vec<Capability>,
    /// Whether the file declares more than that.
    pub more: bool,
}
