//! Where an action would take place.

use contract::domain::Asked;
use contract::records::PreflightCheck;
use contract::{Domain, HostName, NamePolicy, NameRefusal};
use url::Url;

/// A domain, and the address on it if one was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub domain: Domain,
    pub host: HostName,
    pub place: Option<Place>,
}

/// An address, taken apart. The query is judged and never kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub url_without_query: String,
    pub path: String,
    pub query: Option<String>,
}

impl Target {
    /// What a check names. A check without a name is refused when the request is read.
    pub fn of(check: &PreflightCheck, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        match (&check.url, &check.domain) {
            (Some(url), _) => Self::of_url(url, policy),
            (None, Some(domain)) => {
                let Asked { domain, host } = Asked::parse(domain, policy)?;
                Ok(Self { domain, host, place: None })
            }
            (None, None) => Err(NameRefusal::Empty),
        }
    }

    fn of_url(text: &str, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        // The name is judged by the same rule as everywhere; only then is the rest looked at.
        let Asked { domain, host } = Asked::parse(text, policy)?;
        let text = text.trim_matches(' ');
        let has_scheme = text
            .split_once("://")
            .is_some_and(|(scheme, _)| !scheme.contains(['/', '?', '#', '.']));
        let whole = if has_scheme { text.to_owned() } else { format!("https://{text}") };
        let mut url = Url::parse(&whole).map_err(|_| NameRefusal::Syntax)?;
        // Two readers of one address must see one host.
        if url.host_str() != Some(host.as_str()) {
            return Err(NameRefusal::Syntax);
        }
        let query = url.query().map(str::to_owned);
        url.set_query(None);
        url.set_fragment(None);
        let path = url.path().to_owned();
        Ok(Self { domain, host, place: Some(Place { url_without_query: url.into(), path, query }) })
    }

    /// The path that rules are held against, with its query.
    pub(super) fn judged_path(&self) -> String {
        match &self.place {
            None => "/".to_owned(),
            Some(Place { path, query: None, .. }) => path.clone(),
            Some(Place { path, query: Some(query), .. }) => format!("{path}?{query}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Result<Target, NameRefusal> {
        let policy = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
        Target::of(
            &PreflightCheck { url: Some(url.to_owned()), ..PreflightCheck::default() },
            &policy,
        )
    }

    #[test]
    fn an_address_is_taken_apart_and_its_query_set_aside() {
        let target = of("https://www.shop.lab/a/../b c?token=1#top").err();
        assert_eq!(target, Some(NameRefusal::BadCharacter));
        let target = of("https://www.shop.lab/a/../b%20c?token=1#top").unwrap();
        assert_eq!((target.domain.as_str(), target.host.as_str()), ("shop.lab", "www.shop.lab"));
        assert_eq!(target.judged_path(), "/b%20c?token=1");
        let place = target.place.unwrap();
        assert_eq!(place.url_without_query, "https://www.shop.lab/b%20c");
        assert_eq!(place.path, "/b%20c");
        assert_eq!(
            of("shop.lab/x").unwrap().place.unwrap().url_without_query,
            "https://shop.lab/x"
        );
        assert_eq!(
            of("shop.lab?next=https://other.lab/").unwrap().judged_path(),
            "/?next=https://other.lab/"
        );
        assert_eq!(
            of("HTTP://Shop.lab").unwrap().place.unwrap().url_without_query,
            "http://shop.lab/"
        );
    }

    #[test]
    fn an_address_with_credentials_or_of_no_host_is_refused() {
        for url in ["https://u:p@shop.lab/", "ftp://shop.lab/", "https://127.0.0.1/", "", "/x"] {
            assert!(of(url).is_err(), "{url}");
        }
    }
}
