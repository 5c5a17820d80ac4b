//! The page that a question is about.

use contract::{Domain, NameRefusal};
use url::Url;

use crate::Service;

/// The longest address taken.
const MAX_URL: usize = 2_048;

/// A page by its address, without query and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub url: String,
    pub domain: Domain,
    pub path: String,
    /// Whether it is the page that every scan reads.
    pub is_home: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPage {
    #[error("it is not an http or https address that can be read")]
    NotAnAddress,
    #[error("an address with a user name or a password is not taken")]
    UserInfo,
    #[error(transparent)]
    NotPublic(NameRefusal),
    #[error(transparent)]
    Name(NameRefusal),
}

impl Service {
    /// Reads what a caller typed as the address of a page. Query and fragment are dropped: they can
    /// hold what is nobody's business, and what is kept is shown to everybody.
    pub fn page(&self, text: &str) -> Result<Page, BadPage> {
        if text.len() > MAX_URL || text.chars().any(char::is_control) {
            return Err(BadPage::NotAnAddress);
        }
        let mut url = Url::parse(text.trim()).map_err(|_| BadPage::NotAnAddress)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BadPage::NotAnAddress);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadPage::UserInfo);
        }
        url.set_query(None);
        url.set_fragment(None);
        let domain = self.domain(url.as_str()).map_err(|refusal| match refusal {
            NameRefusal::IpAddress
            | NameRefusal::SingleLabel
            | NameRefusal::Reserved
            | NameRefusal::PublicSuffix => BadPage::NotPublic(refusal),
            other => BadPage::Name(other),
        })?;
        let host = url.host_str().unwrap_or_default();
        let is_home = url.path() == "/"
            && url.port().is_none()
            && domain.hosts().iter().any(|known| known == host);
        Ok(Page { path: url.path().to_owned(), url: url.into(), domain, is_home })
    }
}
