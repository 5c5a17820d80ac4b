//! Checks the text of a URL and takes from it the scheme, the host and the port of a request.

use contract::evidence::{Failure, FailurePhase};
use contract::{HostName, NameRefusal};
use url::{Host, Position, Url};

use crate::Policy;
use crate::failure::{name_refusal, policy_refusal};

/// Which ports the URLs of a visit may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortSet {
    /// 80, 443 and what the operator allowed.
    Web,
    /// The same and [`Policy::mcp_ports`].
    Mcp,
}

impl PortSet {
    fn allow(self, port: u16, policy: &Policy) -> bool {
        [80, 443].contains(&port)
            || policy.names.allow_ports.contains(&port)
            || (self == Self::Mcp && port != 0 && policy.mcp_ports.contains(&port))
    }
}

/// A URL that passed every rule that can be checked without network access.
#[derive(Debug, Clone)]
pub(crate) struct CheckedTarget {
    /// The form that is recorded and compared: without a fragment.
    pub(crate) url: Url,
    pub(crate) host: HostName,
    pub(crate) tls: bool,
    /// The port of the URL.
    pub(crate) port: u16,
}

impl CheckedTarget {
    /// Parses the first URL of a redirect chain.
    pub(crate) fn parse(text: &str, policy: &Policy, ports: PortSet) -> Result<Self, Failure> {
        check_length(text, policy)?;
        let url = Url::parse(text).map_err(|_| bad_url_failure())?;
        Self::check(url, policy, ports)
    }

    /// Parses a Location header relative to the URL that sent it.
    pub(crate) fn join_location(
        &self,
        location: &str,
        policy: &Policy,
        ports: PortSet,
    ) -> Result<Self, Failure> {
        check_length(location, policy)?;
        let url = self.url.join(location).map_err(|_| bad_url_failure())?;
        Self::check(url, policy, ports)
    }

    fn check(mut url: Url, policy: &Policy, ports: PortSet) -> Result<Self, Failure> {
        url.set_fragment(None);
        check_length(url.as_str(), policy)?;
        let tls = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(name_refusal(NameRefusal::Scheme)),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(name_refusal(NameRefusal::UserInfo));
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if !ports.allow(port, policy) {
            return Err(name_refusal(NameRefusal::Port));
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => {
                HostName::parse(name, &policy.names).map_err(name_refusal)?
            }
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => {
                return Err(name_refusal(NameRefusal::IpAddress));
            }
            None => return Err(name_refusal(NameRefusal::Empty)),
        };
        Ok(Self { url, host, tls, port })
    }

    /// The port that is actually dialled (the policy may map 80 and 443).
    pub(crate) fn dial_port(&self, policy: &Policy) -> u16 {
        match self.port {
            80 => policy.http_port,
            443 => policy.https_port,
            other => other,
        }
    }

    /// The Host header: the name, and the port if it is not the scheme's default.
    pub(crate) fn authority(&self) -> String {
        match self.url.port() {
            None => self.host.as_str().to_owned(),
            Some(port) => format!("{}:{port}", self.host),
        }
    }

    pub(crate) fn path_and_query(&self) -> &str {
        &self.url[Position::BeforePath..Position::AfterQuery]
    }
}

/// Checks a URL by every rule that needs no network access, and returns it in the form that is requested:
/// without a fragment.
pub fn check_url(text: &str, policy: &Policy) -> Result<Url, Failure> {
    CheckedTarget::parse(text, policy, PortSet::Web).map(|target| target.url)
}

fn check_length(text: &str, policy: &Policy) -> Result<(), Failure> {
    if text.len() <= policy.limits.max_url_bytes {
        return Ok(());
    }
    Err(policy_refusal(FailurePhase::Name, "url_too_long", "The URL exceeds the length limit."))
}

fn bad_url_failure() -> Failure {
    policy_refusal(FailurePhase::Name, "bad_url", "The URL is not valid.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab() -> Policy {
        let mut policy = Policy::public();
        policy.names.allow_suffixes.push("lab".into());
        policy.names.allow_ports.push(8443);
        policy.http_port = 10080;
        policy.https_port = 10443;
        policy
    }

    #[test]
    fn a_valid_url_gives_host_scheme_port_and_path() {
        let policy = lab();
        for (text, host, tls, dial, authority, path) in [
            ("http://open.lab", "open.lab", false, 10080, "open.lab", "/"),
            ("https://Open.LAB./a?b#c", "open.lab", true, 10443, "open.lab", "/a?b"),
            ("https://open.lab:8443/x", "open.lab", true, 8443, "open.lab:8443", "/x"),
            ("https://wikipedia.org:443/", "wikipedia.org", true, 10443, "wikipedia.org", "/"),
            ("http://wikipedia.org:443/", "wikipedia.org", false, 10443, "wikipedia.org:443", "/"),
        ] {
            let target = CheckedTarget::parse(text, &policy, PortSet::Web).unwrap();
            assert_eq!(target.host.as_str(), host, "{text}");
            assert_eq!(target.tls, tls, "{text}");
            assert_eq!(target.dial_port(&policy), dial, "{text}");
            assert_eq!(target.authority(), authority, "{text}");
            assert_eq!(target.path_and_query(), path, "{text}");
        }
    }

    #[test]
    fn bad_urls_are_refused_with_their_code() {
        let policy = lab();
        let long = format!("http://open.lab/{}", "a".repeat(2048));
        for (text, reason) in [
            ("", "bad_url"),
            ("open.lab", "bad_url"),
            ("//open.lab/", "bad_url"),
            ("http://", "bad_url"),
            ("http://open.lab:99999/", "bad_url"),
            ("ftp://open.lab/", "scheme"),
            ("file:///etc/passwd", "scheme"),
            ("gopher://open.lab:6379/_INFO", "scheme"),
            ("javascript:alert(1)", "scheme"),
            ("data:text/html,x", "scheme"),
            ("http://user@open.lab/", "userinfo"),
            ("http://user:pw@open.lab/", "userinfo"),
            ("http://open.lab:22/", "port"),
            ("http://open.lab:6379/", "port"),
            ("http://open.lab:0/", "port"),
            ("http://127.0.0.1/", "ip_address"),
            ("http://127.1/", "ip_address"),
            ("http://2130706433/", "ip_address"),
            ("http://0x7f000001/", "ip_address"),
            ("http://0177.0.0.1/", "ip_address"),
            ("http://0x7f.0x0.0x0.0x1/", "ip_address"),
            ("http://①②⑦.⓪.⓪.①/", "ip_address"),
            ("http://127.0.0.1./", "ip_address"),
            ("http://%31%32%37.0.0.1/", "ip_address"),
            ("http://[::1]/", "ip_address"),
            ("http://[::ffff:7f00:1]/", "ip_address"),
            ("http://[fe80::1]/", "ip_address"),
            ("http://localhost/", "reserved_name"),
            ("http://metadata.google.internal/", "reserved_name"),
            ("http://printer.local/", "reserved_name"),
            ("http://intranet/", "reserved_name"),
            ("http://server/", "single_label"),
            ("http://co.uk/", "public_suffix"),
            ("http://a.nosuchtld/", "unknown_tld"),
            (long.as_str(), "url_too_long"),
        ] {
            let refusal = CheckedTarget::parse(text, &policy, PortSet::Web)
                .map(|target| target.url)
                .unwrap_err();
            assert_eq!(refusal.reason, reason, "{text}");
        }
    }

    #[test]
    fn a_location_is_resolved_relative_and_checked_again() {
        let policy = lab();
        let at = CheckedTarget::parse("https://open.lab/a/b?c", &policy, PortSet::Web).unwrap();
        for (location, url) in [
            ("d", "https://open.lab/a/d"),
            ("/d#e", "https://open.lab/d"),
            ("//other.lab/", "https://other.lab/"),
            ("http:\\\\other.lab\\x", "http://other.lab/x"),
            ("", "https://open.lab/a/b?c"),
        ] {
            assert_eq!(
                at.join_location(location, &policy, PortSet::Web).unwrap().url.as_str(),
                url,
                "{location}"
            );
        }
        for (location, reason) in [
            ("//127.0.0.1/", "ip_address"),
            ("//0x7f.1/", "ip_address"),
            ("http://169.254.169.254/latest/", "ip_address"),
            ("https://open.lab@evil.lab/", "userinfo"),
            ("ftp://open.lab/", "scheme"),
            ("//open.lab:25/", "port"),
        ] {
            let refusal = at
                .join_location(location, &policy, PortSet::Web)
                .map(|target| target.url)
                .unwrap_err();
            assert_eq!(refusal.reason, reason, "{location}");
        }
    }

    #[test]
    fn the_ports_of_mcp_servers_are_open_to_their_visits_only() {
        let policy = Policy::public();
        for port in [3000, 3001, 8000, 8080, 8443] {
            let url = format!("http://wikipedia.org:{port}/mcp");
            let web = CheckedTarget::parse(&url, &policy, PortSet::Web).map(|target| target.url);
            assert_eq!(web.unwrap_err().reason, "port", "{port}");
            let mcp = CheckedTarget::parse(&url, &policy, PortSet::Mcp).unwrap();
            assert_eq!(mcp.dial_port(&policy), port);
        }
        for port in [0, 22, 25, 3306, 6379, 9200] {
            let url = format!("http://wikipedia.org:{port}/mcp");
            let refused =
                CheckedTarget::parse(&url, &policy, PortSet::Mcp).map(|target| target.url);
            assert_eq!(refused.unwrap_err().reason, "port", "{port}");
        }
    }
}
