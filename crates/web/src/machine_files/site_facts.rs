//! What the machine files say about this deployment.

use contract::Issuer;

#[derive(Debug, Clone)]
pub(crate) struct SiteFacts {
    pub(crate) issuer: Issuer,
    /// Who runs it.
    pub(crate) operator: Option<String>,
    pub(crate) contact: Option<String>,
    pub(crate) version: &'static str,
}

impl SiteFacts {
    pub(super) fn url(&self, path: &str) -> String {
        self.issuer.url(path)
    }
}
