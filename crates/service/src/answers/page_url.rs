//! Parses the URL of a page that a caller asks about.

use contract::{Domain, NamePolicy, NameRefusal};
use url::Url;

/// The longest URL accepted.
const MAX_URL_BYTES: usize = 2_048;

/// The URL of a page, without query and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageUrl {
    pub url: String,
    pub domain: Domain,
    pub path: String,
    /// Whether it is the home page, which every scan reads.
    pub is_home: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageUrlError {
    #[error("this is not a valid http or https URL")]
    InvalidUrl,
    #[error("a URL with a user name or password is not accepted")]
    UserInfo,
    #[error(transparent)]
    NotPublic(NameRefusal),
    #[error(transparent)]
    BadName(NameRefusal),
}

impl PageUrl {
    /// Parses what a caller typed. Query and fragment are dropped: they may contain private data, and
    /// stored pages are public.
    pub fn parse(text: &str, names: &NamePolicy) -> Result<Self, PageUrlError> {
        if text.len() > MAX_URL_BYTES || text.chars().any(char::is_control) {
            return Err(PageUrlError::InvalidUrl);
        }
        let mut url = Url::parse(text.trim()).map_err(|_| PageUrlError::InvalidUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(PageUrlError::InvalidUrl);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(PageUrlError::UserInfo);
        }
        url.set_query(None);
        url.set_fragment(None);
        let domain = Domain::parse(url.as_str(), names).map_err(|refusal| match refusal {
            NameRefusal::IpAddress
            | NameRefusal::SingleLabel
            | NameRefusal::Reserved
            | NameRefusal::PublicSuffix => PageUrlError::NotPublic(refusal),
            other => PageUrlError::BadName(other),
        })?;
        let host = url.host_str().unwrap_or_default();
        let is_home = url.path() == "/"
            && url.port().is_none()
            && domain.hosts().iter().any(|known| known == host);
        Ok(PageUrl { path: url.path().to_owned(), url: url.into(), domain, is_home })
    }
}
