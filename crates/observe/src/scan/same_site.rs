//! What belongs to the site that is scanned: hosts under the same registrable domain.

use std::sync::Arc;

use door::{RedirectGate, RedirectRefusal};
use futures_util::future::BoxFuture;
use url::Url;

use super::robots_gate::RobotsGate;

const OTHER_SITE: RedirectRefusal = RedirectRefusal {
    reason: "other_site",
    detail: "The redirect leads to another site, and this file is read only on the scanned one.",
};

/// The registrable domain, or the host itself if it has none.
pub(super) fn registrable_domain(host: &str) -> &str {
    psl::domain_str(host).unwrap_or(host)
}

/// Whether an address is a plain http(s) URL on the site of this host: no port, no credentials.
pub(super) fn is_on_site(url: &Url, host: &str) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && url.host_str().is_some_and(|named| registrable_domain(named) == registrable_domain(host))
}

/// The gate for reads that the site's own documents name. They never leave the site, whatever it
/// redirects them to.
#[derive(Debug)]
pub(super) struct SameSiteGate {
    pub(super) host: String,
    pub(super) robots_gate: Arc<RobotsGate>,
}

impl RedirectGate for SameSiteGate {
    fn check_redirect<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Option<RedirectRefusal>> {
        Box::pin(async move {
            match Url::parse(url) {
                Ok(target) if !is_on_site(&target, &self.host) => Some(OTHER_SITE),
                _ => self.robots_gate.check_redirect(url).await,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_registrable_domain_without_ports_and_credentials() {
        for (url, expected) in [
            ("https://shop.example/a", true),
            ("http://www.shop.example/", true),
            ("https://a.b.shop.example/", true),
            ("https://shop.example:8443/", false),
            ("https://me@shop.example/", false),
            ("https://other.example/", false),
            ("https://127.0.0.1/", false),
            ("ftp://shop.example/", false),
            ("data:text/plain,x", false),
        ] {
            assert_eq!(is_on_site(&Url::parse(url).unwrap(), "shop.example"), expected, "{url}");
        }
        // Two customers of one hosting service are not one owner.
        let neighbour = Url::parse("https://other.github.io/").unwrap();
        assert!(!is_on_site(&neighbour, "mine.github.io"));
    }
}
