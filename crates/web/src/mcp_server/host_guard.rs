//! Keeps web pages from reaching a server on the reader's own machine: a page can give its own name the address
//! 127.0.0.1, and then its requests arrive here with that name in `Host` and `Origin`.

use http::{HeaderMap, Uri, header::HOST, header::ORIGIN};
use url::{Host, Url};

/// Refuses foreign names if this service is one of the local machine. A public service has nothing that a page
/// could not ask for by itself.
pub(super) fn check(base_url: &str, headers: &HeaderMap, uri: &Uri) -> Result<(), String> {
    let own = Url::parse(base_url).ok();
    if !own.as_ref().and_then(Url::host).is_some_and(|host| is_local(&host)) {
        return Ok(());
    }
    let text = |name| headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
    let host = text(HOST).map(str::to_owned).or_else(|| uri.authority().map(ToString::to_string));
    let host = host.map(|host| format!("http://{host}"));
    for (name, url) in [("Host", host.as_deref()), ("Origin", text(ORIGIN))] {
        let Some(url) = url else { continue };
        let parsed = Url::parse(url).ok();
        if !parsed.as_ref().and_then(Url::host).is_some_and(|host| is_local(&host)) {
            return Err(format!(
                "`{name}` does not name the local machine, and this server answers for no other (its operator can set \
                 server.base_url)."
            ));
        }
    }
    Ok(())
}

fn is_local<T: AsRef<str>>(host: &Host<T>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.as_ref();
            name.eq_ignore_ascii_case("localhost")
                || name.to_ascii_lowercase().ends_with(".localhost")
        }
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(base: &str, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        check(base, &headers, &Uri::from_static("/mcp")).is_ok()
    }

    #[test]
    fn a_local_server_refuses_pages_of_other_names() {
        let local = "http://127.0.0.1:8080";
        assert!(checked(local, "127.0.0.1:8080", None));
        assert!(checked(local, "localhost:8080", Some("http://localhost:3000")));
        assert!(checked(local, "[::1]:8080", None));
        assert!(!checked(local, "evil.example:8080", None));
        assert!(!checked(local, "127.0.0.1:8080", Some("https://evil.example")));
        assert!(!checked(local, "127.0.0.1:8080", Some("null")));
        assert!(!checked(local, "localhost.evil.example", None));
        assert!(checked("https://svc.example", "svc.example", Some("https://other.example")));
    }
}
