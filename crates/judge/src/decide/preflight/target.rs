//! The domain and address that a preflight request is about.

use contract::domain::DomainInput;
use contract::records::PreflightCheck;
use contract::{Domain, HostName, NamePolicy, NameRefusal};
use url::Url;

/// A domain, and an address on it where the request gives one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionTarget {
    pub domain: Domain,
    pub host: HostName,
    pub url: Option<TargetUrl>,
}

/// The parts of an address. The query is used for the decision and never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetUrl {
    pub url_without_query: String,
    pub path: String,
    pub query: Option<String>,
}

impl ActionTarget {
    /// The target that a check names. A check without one is rejected when the request is parsed.
    pub fn from_check(check: &PreflightCheck, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        match (&check.url, &check.domain) {
            (Some(url), _) => Self::from_url(url, policy),
            (None, Some(domain)) => {
                let DomainInput { domain, host } = DomainInput::parse(domain, policy)?;
                let named = Self::from_operation(check, policy);
                Ok(named.filter(|named| named.domain == domain).unwrap_or(Self {
                    domain,
                    host,
                    url: None,
                }))
            }
            (None, None) => Err(NameRefusal::Empty),
        }
    }

    /// The address in `operation.url`. The receipt repeats the operation, so it must be part of the
    /// decision: where the address is on the domain, its path is checked.
    fn from_operation(check: &PreflightCheck, policy: &NamePolicy) -> Option<Self> {
        let url = check.operation.as_ref()?.get("url")?.as_str()?;
        Self::from_url(url, policy).ok()
    }

    fn from_url(text: &str, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        // The name is checked by the same rule as everywhere, before the rest of the address is parsed.
        let DomainInput { domain, host } = DomainInput::parse(text, policy)?;
        let text = text.trim_matches(' ');
        let has_scheme = text
            .split_once("://")
            .is_some_and(|(scheme, _)| !scheme.contains(['/', '?', '#', '.']));
        let whole = if has_scheme { text.to_owned() } else { format!("https://{text}") };
        let mut url = Url::parse(&whole).map_err(|_| NameRefusal::Syntax)?;
        // Both parsers must find the same host.
        if url.host_str() != Some(host.as_str()) {
            return Err(NameRefusal::Syntax);
        }
        let query = url.query().map(str::to_owned);
        url.set_query(None);
        url.set_fragment(None);
        let path = url.path().to_owned();
        Ok(Self {
            domain,
            host,
            url: Some(TargetUrl { url_without_query: url.into(), path, query }),
        })
    }

    /// The path with its query, as robots.txt rules are matched against it.
    pub(super) fn path_with_query(&self) -> String {
        match &self.url {
            None => "/".to_owned(),
            Some(TargetUrl { path, query: None, .. }) => path.clone(),
            Some(TargetUrl { path, query: Some(query), .. }) => format!("{path}?{query}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Result<ActionTarget, NameRefusal> {
        let policy = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
        ActionTarget::from_check(
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
        assert_eq!(target.path_with_query(), "/b%20c?token=1");
        let place = target.url.unwrap();
        assert_eq!(place.url_without_query, "https://www.shop.lab/b%20c");
        assert_eq!(place.path, "/b%20c");
        assert_eq!(of("shop.lab/x").unwrap().url.unwrap().url_without_query, "https://shop.lab/x");
        assert_eq!(
            of("shop.lab?next=https://other.lab/").unwrap().path_with_query(),
            "/?next=https://other.lab/"
        );
        assert_eq!(
            of("HTTP://Shop.lab").unwrap().url.unwrap().url_without_query,
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
            let target = ActionTarget::from_check(&check, &policy).unwrap();
            assert_eq!(target.domain.as_str(), "shop.lab");
            target.path_with_query()
        };
        let url = |url: &str| serde_json::json!({ "method": "GET", "url": url });
        assert_eq!(path(url("https://shop.lab/private/x?a=1")), "/private/x?a=1");
        assert_eq!(path(url("http://www.shop.lab/private/")), "/private/");
        // An address on another domain, or no address at all, is ignored.
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
