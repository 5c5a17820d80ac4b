//! From the text of a URL to a host, a scheme and a port that may be asked.

use contract::evidence::{Failure, Phase};
use contract::{HostName, NameRefusal};
use url::{Host, Position, Url};

use crate::Policy;
use crate::failure::{refused, refused_name};

/// A URL that passed every rule that can be checked without asking anybody.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// As recorded and compared: without a fragment.
    pub(crate) url: Url,
    pub(crate) host: HostName,
    pub(crate) tls: bool,
    /// The port the URL means.
    pub(crate) port: u16,
}

impl Target {
    /// Reads the first URL of a chain.
    pub(crate) fn parse(text: &str, policy: &Policy) -> Result<Self, Failure> {
        check_length(text, policy)?;
        let url = Url::parse(text).map_err(|_| unreadable())?;
        Self::check(url, policy)
    }

    /// Reads a Location field, relative to where it was received.
    pub(crate) fn join(&self, location: &str, policy: &Policy) -> Result<Self, Failure> {
        check_length(location, policy)?;
        let url = self.url.join(location).map_err(|_| unreadable())?;
        Self::check(url, policy)
    }

    fn check(mut url: Url, policy: &Policy) -> Result<Self, Failure> {
        url.set_fragment(None);
        check_length(url.as_str(), policy)?;
        let tls = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(refused_name(NameRefusal::Scheme)),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused_name(NameRefusal::UserInfo));
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if ![80, 443].contains(&port) && !policy.names.allow_ports.contains(&port) {
            return Err(refused_name(NameRefusal::Port));
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => {
                HostName::parse(name, &policy.names).map_err(refused_name)?
            }
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => {
                return Err(refused_name(NameRefusal::IpAddress));
            }
            None => return Err(refused_name(NameRefusal::Empty)),
        };
        Ok(Self { url, host, tls, port })
    }

    /// The port that is really dialled.
    pub(crate) fn dial_port(&self, policy: &Policy) -> u16 {
        match self.port {
            80 => policy.http_port,
            443 => policy.https_port,
            other => other,
        }
    }

    /// The Host field: the name, and the port when it is not the scheme's own.
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

fn check_length(text: &str, policy: &Policy) -> Result<(), Failure> {
    if text.len() <= policy.limits.url_bytes {
        return Ok(());
    }
    Err(refused(Phase::Name, "url_too_long", "The address is longer than is read."))
}

fn unreadable() -> Failure {
    refused(Phase::Name, "bad_url", "The address is not a valid URL.")
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
    fn a_good_url_gives_its_parts() {
        let policy = lab();
        for (text, host, tls, dial, authority, path) in [
            ("http://open.lab", "open.lab", false, 10080, "open.lab", "/"),
            ("https://Open.LAB./a?b#c", "open.lab", true, 10443, "open.lab", "/a?b"),
            ("https://open.lab:8443/x", "open.lab", true, 8443, "open.lab:8443", "/x"),
            ("https://wikipedia.org:443/", "wikipedia.org", true, 10443, "wikipedia.org", "/"),
            ("http://wikipedia.org:443/", "wikipedia.org", false, 10443, "wikipedia.org:443", "/"),
        ] {
            let target = Target::parse(text, &policy).unwrap();
            assert_eq!(target.host.as_str(), host, "{text}");
            assert_eq!(target.tls, tls, "{text}");
            assert_eq!(target.dial_port(&policy), dial, "{text}");
            assert_eq!(target.authority(), authority, "{text}");
            assert_eq!(target.path_and_query(), path, "{text}");
        }
    }

    #[test]
    fn bad_urls_are_refused_with_their_word() {
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
            let refusal = Target::parse(text, &policy).map(|target| target.url).unwrap_err();
            assert_eq!(refusal.reason, reason, "{text}");
        }
    }

    #[test]
    fn a_location_is_read_relative_and_checked_anew() {
        let policy = lab();
        let at = Target::parse("https://open.lab/a/b?c", &policy).unwrap();
        for (location, url) in [
            ("d", "https://open.lab/a/d"),
            ("/d#e", "https://open.lab/d"),
            ("//other.lab/", "https://other.lab/"),
            ("http:\\\\other.lab\\x", "http://other.lab/x"),
            ("", "https://open.lab/a/b?c"),
        ] {
            assert_eq!(at.join(location, &policy).unwrap().url.as_str(), url, "{location}");
        }
        for (location, reason) in [
            ("//127.0.0.1/", "ip_address"),
            ("//0x7f.1/", "ip_address"),
            ("http://169.254.169.254/latest/", "ip_address"),
            ("https://open.lab@evil.lab/", "userinfo"),
            ("ftp://open.lab/", "scheme"),
            ("//open.lab:25/", "port"),
        ] {
            let refusal = at.join(location, &policy).map(|target| target.url).unwrap_err();
            assert_eq!(refusal.reason, reason, "{location}");
        }
    }
}
