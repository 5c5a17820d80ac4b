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
                let named = Self::of_operation(check, policy);
                Ok(named.filter(|named| named.domain == domain).unwrap_or(Self {
                    domain,
                    host,
                    place: None,
                }))
            }
            (None, None) => Err(NameRefusal::Empty),
        }
    }

    /// The address that an operation names. A receipt that repeats the operation must not say more
    /// than was judged: where the address is one of the domain, its path counts.
    fn of_operation(check: &PreflightCheck, policy: &NamePolicy) -> Option<Self> {
        let url = check.operation.as_ref()?.get("url")?.as_str()?;
        Self::of_url(url, policy).ok()
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
    fn the_address_of_an_operation_counts_where_it_is_of_the_domain() {
        let policy = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
        let path = |operation: serde_json::Value| {
            let check = PreflightCheck {
                domain: Some("shop.lab".to_owned()),
                operation: operation.as_object().cloned(),
                ..PreflightCheck::default()
            };
            let target = Target::of(&check, &policy).unwrap();
            assert_eq!(target.domain.as_str(), "shop.lab");
            target.judged_path()
        };
        let url = |url: &str| serde_json::json!({ "method": "GET", "url": url });
        assert_eq!(path(url("https://shop.lab/private/x?a=1")), "/private/x?a=1");
        assert_eq!(path(url("http://www.shop.lab/private/")), "/private/");
        // What is elsewhere, or no address at all, says nothing of a path here.
        for other in ["https://other.lab/x", "https://a.shop.lab/x", "not an address", "", "/x"] {
            assert_eq!(path(url(other)), "/", "{other}");
        }
        assert_eq!(path(serde_json::json!({ "url": 7 })), "/");
        assert_eq!(path(serde_json::json!({ "tool": "search" })), "/");
    }

    #[test]
    fn an_address_with_credentials_or_of_no_host_is_refused() {
        for url in ["https://u:p@shop.lab/", "ftp://shop.lab/", "https://127.0.0.1/", "", "/x"] {
            assert!(of(url).is_err(), "{url}");
        }
    }
}
