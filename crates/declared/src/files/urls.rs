//! Checks URLs found in a file. They are returned to the caller and never followed here.

use url::{Host, Url};

use super::report::{Report, quoted};

/// Longer URLs are reported and not used.
const MAX_CHARS: usize = 2_048;

impl Report<'_> {
    /// Checks a URL that must be absolute.
    pub(super) fn check_absolute_url(&mut self, at: &str, text: &str) -> Option<Url> {
        if text.len() > MAX_CHARS {
            self.add_too_long(at);
            return None;
        }
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                Some(self.check_url(at, url))
            }
            _ => {
                self.error(
                    "bad_url",
                    at,
                    format!("{} is not a full URL.", quoted(text)),
                    "Write the full URL: https://, the host and the path.",
                );
                None
            }
        }
    }

    /// Checks a URL that may be relative to the file.
    pub(super) fn check_url_reference(&mut self, at: &str, text: &str) -> Option<Url> {
        if text.len() > MAX_CHARS {
            self.add_too_long(at);
            return None;
        }
        let parsed = match &self.base {
            Some(base) => base.join(text).ok(),
            None => Url::parse(text).ok(),
        };
        match parsed {
            Some(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                Some(self.check_url(at, url))
            }
            _ => {
                self.error(
                    "bad_url",
                    at,
                    format!("{} is not an http or https URL.", quoted(text)),
                    "Write an https URL, or a path on this host.",
                );
                None
            }
        }
    }

    fn add_too_long(&mut self, at: &str) {
        self.error(
            "long_url",
            at,
            "The URL is longer than 2,048 characters. Many readers reject it.",
            "Use a shorter URL.",
        );
    }

    fn check_url(&mut self, at: &str, url: Url) -> Url {
        if url.scheme() == "http" {
            self.warn(
                "not_https",
                at,
                format!("{} uses plain http. Careful agents do not use it.", quoted(url.as_str())),
                "Use https:// in the URL and serve it over TLS.",
            );
        }
        if !url.username().is_empty() || url.password().is_some() {
            self.warn(
                "credentials_in_url",
                at,
                "The URL contains a user name or password, and everybody can read this file.",
                "Remove the credentials from the URL and change them.",
            );
        } else {
            // A URL with credentials is not returned.
            self.add_address(url.as_str());
        }
        if !is_public(&url) {
            self.warn(
                "not_public_host",
                at,
                format!(
                    "{} cannot be reached from the public internet.",
                    quoted(url.host_str().unwrap_or(""))
                ),
                "Use the public host name of the service.",
            );
        } else if is_placeholder(&url) {
            self.warn(
                "placeholder_host",
                at,
                format!(
                    "{} looks like a placeholder from a template.",
                    quoted(url.host_str().unwrap_or(""))
                ),
                "Replace it with your own host name.",
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

/// Whether scheme, host and port are the same.
pub(super) fn same_origin(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}
