//! An AI engine, as the operator configured it.

use door::operator::{KeyHeader, Secret, TrustedAuthorities};

#[derive(Debug, Clone)]
pub struct Engine {
    /// The operator's name for it, which records have.
    pub name: String,
    /// Such as `https://api.example/v1`, without a slash at the end.
    pub base_url: String,
    pub model: String,
    pub key: Secret,
    pub key_header: KeyHeader,
    /// Whether the engine is asked to search the web.
    pub web_search: bool,
    pub authorities: TrustedAuthorities,
}

impl Engine {
    pub(super) fn url(&self) -> String {
        format!("{}/chat/completions", self.base_url.trim_end_matches('/'))
    }
}
