//! Addresses found inside a file: looked at, handed out, never followed.

use url::{Host, Url};

use super::report::{Report, quoted};

/// No address that is meant to be used is longer.
const MAX_CHARS: usize = 2_048;

impl Report<'_> {
    /// An address that must stand for itself: scheme, host, path.
    pub(super) fn absolute(&mut self, at: &str, text: &str) -> Option<Url> {
        if text.len() > MAX_CHARS {
            self.too_long(at);
            return None;
        }
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                Some(self.looked_at(at, url))
            }
            _ => {
                self.error(
                    "bad_url",
                    at,
                    format!("{} is not a full web address.", quoted(text)),
                    "Write the whole address: https://, the host and the path.",
                );
                None
            }
        }
    }

    /// An address that may be relative to the file.
    pub(super) fn reference(&mut self, at: &str, text: &str) -> Option<Url> {
        if text.len() > MAX_CHARS {
            self.too_long(at);
            return None;
        }
        let parsed = match &self.base {
            Some(base) => base.join(text).ok(),
            None => Url::parse(text).ok(),
        };
        match parsed {
            Some(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                Some(self.looked_at(at, url))
            }
            _ => {
                self.error(
                    "bad_url",
                    at,
                    format!("{} is not a web address.", quoted(text)),
                    "Write an https address, or a path on this host.",
                );
                None
            }
        }
    }

    fn too_long(&mut self, at: &str) {
        self.error(
            "long_url",
            at,
            "An address of more than 2,048 characters; many readers refuse it.",
            "Use a shorter address.",
        );
    }

    fn looked_at(&mut self, at: &str, url: Url) -> Url {
        if url.scheme() == "http" {
            self.warn(
                "not_https",
                at,
                format!("{} is plain http; careful agents do not use it.", quoted(url.as_str())),
                "Write the address with https:// and serve it over TLS.",
            );
        }
        if !url.username().is_empty() || url.password().is_some() {
            self.warn(
                "credentials_in_url",
                at,
                "The address holds a user name or a password, and everybody can read this file.",
                "Take the credentials out of the address and change them.",
            );
        } else {
            // An address with credentials is not handed out any further.
            self.hand_out(url.as_str());
        }
        if !is_public(&url) {
            self.warn(
                "not_public_host",
                at,
                format!("{} cannot be reached from outside.", quoted(url.host_str().unwrap_or(""))),
                "Use the public host name of the service.",
            );
        } else if is_placeholder(&url) {
            self.warn(
                "placeholder_host",
                at,
                format!(
                    "{} looks like a leftover of a template.",
                    quoted(url.host_str().unwrap_or(""))
                ),
                "Put your own host name in its place.",
            );
        }
        url
    }
}

fn is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.contains('.')
                && ![".local", ".localhost", ".internal", ".home.arpa"]
                    .iter()
                    .any(|suffix| name.ends_with(suffix))
        }
        Some(Host::Ipv4(address)) => {
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified())
        }
        Some(Host::Ipv6(address)) => {
            !(address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || address.is_unicast_link_local())
        }
        None => false,
    }
}

fn is_placeholder(url: &Url) -> bool {
    const NAMES: [&str; 6] = [
        "example.com",
        "example.org",
        "example.net",
        "yourdomain.com",
        "your-domain.com",
        "yoursite.com",
    ];
    url.host_str().is_some_and(|host| {
        NAMES.iter().any(|name| {
            host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    })
}

/// Scheme, host and port, as a site is told from another.
pub(super) fn same_origin(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}
