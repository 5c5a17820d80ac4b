//! The hosts whose pages speak for a domain: the domain itself and its www name.

use contract::Domain;
use contract::evidence::DnsReading;
use door::{RecordType, RedirectGate, RedirectRefusal, Visit};
use futures_util::future::BoxFuture;
use url::Url;

use super::Verdict;

const NOT_HTTPS: RedirectRefusal = RedirectRefusal {
    reason: "not_https",
    detail: "The redirect leads away from https, so anybody on the way could answer.",
};
const OTHER_HOST: RedirectRefusal = RedirectRefusal {
    reason: "other_host",
    detail: "The redirect leads to another host, which proves nothing about this domain.",
};

/// Lets redirects lead only to the hosts of the domain, over https and at its default port.
#[derive(Debug)]
pub(super) struct OwnHosts([String; 2]);

impl OwnHosts {
    pub(super) fn new(domain: &Domain) -> Self {
        Self(domain.hosts())
    }

    /// Why a page at this URL does not speak for the domain.
    pub(super) fn refusal(&self, url: &str) -> Option<RedirectRefusal> {
        let Ok(url) = Url::parse(url) else { return Some(OTHER_HOST) };
        if url.scheme() != "https" {
            return Some(NOT_HTTPS);
        }
        let is_own = url.port().is_none()
            && url.host_str().is_some_and(|host| self.0.iter().any(|own| own == host));
        (!is_own).then_some(OTHER_HOST)
    }
}

impl RedirectGate for OwnHosts {
    fn check_redirect<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Option<RedirectRefusal>> {
        Box::pin(async move { self.refusal(url) })
    }
}

/// The host to read: the domain, or its www name if only that has an address.
pub(super) async fn choose_host(visit: &Visit, domain: &Domain) -> Result<String, Verdict> {
    let [bare, www] = domain.hosts();
    for host in [&bare, &www] {
        match address_state(&visit.look_up(host, &[RecordType::A, RecordType::Aaaa]).await) {
            AddressState::Present => return Ok(host.clone()),
            AddressState::Absent => {}
            AddressState::Unknown(why) => {
                let detail = format!("The address of {host} could not be looked up. {why}");
                return Err(Verdict::unreadable(detail));
            }
        }
    }
    let detail = format!("Neither {bare} nor {www} has an address, so there is nothing to read.");
    Err(Verdict::not_found(detail))
}

enum AddressState {
    Present,
    /// The name does not exist, or it has no address.
    Absent,
    /// Why nothing is known.
    Unknown(String),
}

fn address_state(reading: &DnsReading) -> AddressState {
    if reading.answers.iter().any(|answer| !answer.records.is_empty()) {
        return AddressState::Present;
    }
    for answer in &reading.answers {
        if let Some(failure) = &answer.failure {
            return AddressState::Unknown(failure.detail.clone());
        }
        match answer.rcode.as_deref() {
            Some("NOERROR" | "NXDOMAIN") => {}
            Some(rcode) => {
                return AddressState::Unknown(format!("The resolver answered {rcode}."));
            }
            None => return AddressState::Unknown("The resolver did not answer.".to_owned()),
        }
    }
    AddressState::Absent
}

#[cfg(test)]
mod tests {
    use contract::NamePolicy;

    use super::*;

    #[test]
    fn only_https_at_the_domain_and_its_www_name_counts() {
        let hosts =
            OwnHosts::new(&Domain::parse("shop.example.com", &NamePolicy::default()).unwrap());
        for url in ["https://shop.example.com/a?b", "https://www.shop.example.com:443/"] {
            assert_eq!(hosts.refusal(url), None, "{url}");
        }
        for (url, refusal) in [
            ("http://shop.example.com/", NOT_HTTPS),
            ("ftp://shop.example.com/", NOT_HTTPS),
            ("https://shop.example.com:8443/", OTHER_HOST),
            ("https://example.com/", OTHER_HOST),
            ("https://m.shop.example.com/", OTHER_HOST),
            ("https://shop.example.com.evil.org/", OTHER_HOST),
            ("https://evil.org/?https://shop.example.com/", OTHER_HOST),
            ("https://shop.example.com@evil.org/", OTHER_HOST),
            ("//shop.example.com/", OTHER_HOST),
        ] {
            assert_eq!(hosts.refusal(url), Some(refusal), "{url}");
        }
    }
}
