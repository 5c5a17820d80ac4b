//! The addresses that events can be sent to.

use door::{Policy, check_url};
use url::Url;

/// Why an address is refused as a webhook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookAddressError {
    #[error("the address is longer than 2048 characters")]
    TooLong,
    #[error("the address has a fragment (#…), which is never sent; leave it out")]
    Fragment,
    #[error("the address does not begin with https://")]
    NotHttps,
    #[error("the name of the host ends with a dot; leave the dot out")]
    TrailingDot,
    /// Refused by the guard of every request that this service sends; a sentence.
    #[error("the address is refused: {0}")]
    Refused(String),
}

/// The address in the form in which it is stored, requested and signed. Names are resolved, and their
/// addresses checked, when an event is sent: not here, because they can change.
pub(super) fn parse_address(text: &str, policy: &Policy) -> Result<Url, WebhookAddressError> {
    let text = text.trim();
    if text.len() > policy.limits.max_url_bytes {
        return Err(WebhookAddressError::TooLong);
    }
    if text.contains('#') {
        return Err(WebhookAddressError::Fragment);
    }
    let url = check_url(text, policy).map_err(|refusal| match refusal.reason.as_str() {
        "url_too_long" => WebhookAddressError::TooLong,
        _ => WebhookAddressError::Refused(refusal.detail),
    })?;
    let host = url.host_str().unwrap_or_default();
    if host.ends_with('.') {
        // The name in the signature and that in the request would differ.
        return Err(WebhookAddressError::TrailingDot);
    }
    if url.scheme() != "https" && !is_lab_name(host, policy) {
        return Err(WebhookAddressError::NotHttps);
    }
    Ok(url)
}

/// Whether the operator allows this name although it is not public, as for a lab.
fn is_lab_name(host: &str, policy: &Policy) -> bool {
    policy.names.allow_suffixes.iter().any(|suffix| {
        let rest = host.strip_suffix(suffix.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab() -> Policy {
        let mut policy = Policy::public();
        policy.names.allow_suffixes.push("lab".into());
        policy.names.allow_ports.push(8099);
        policy
    }

    #[test]
    fn addresses_are_https_and_public() {
        let parse = |text: &str| parse_address(text, &Policy::public()).map(String::from);
        assert_eq!(
            parse(" https://Hooks.Wikipedia.org/in?token=a b "),
            Ok("https://hooks.wikipedia.org/in?token=a%20b".to_owned())
        );
        assert_eq!(
            parse("https://wikipedia.org:443"),
            Ok("https://wikipedia.org/".to_owned()),
            "one form for one address"
        );
        let long = format!("https://wikipedia.org/{}", "a".repeat(2048));
        let grown = format!("https://wikipedia.org/{}", "ü".repeat(1000));
        for (text, error) in [
            ("http://wikipedia.org/in", WebhookAddressError::NotHttps),
            ("https://wikipedia.org/#in", WebhookAddressError::Fragment),
            ("https://wikipedia.org./in", WebhookAddressError::TrailingDot),
            (long.as_str(), WebhookAddressError::TooLong),
            (grown.as_str(), WebhookAddressError::TooLong),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
        for refused in [
            "",
            "wikipedia.org/in",
            "ftp://wikipedia.org/in",
            "https://user:secret@wikipedia.org/in",
            "https://wikipedia.org:6379/in",
            "https://127.0.0.1/in",
            "https://[::1]/in",
            "https://localhost/in",
            "https://hooks.lab/in",
            "https://metadata.google.internal/in",
        ] {
            let error = parse(refused).unwrap_err();
            assert!(matches!(error, WebhookAddressError::Refused(_)), "{refused}: {error:?}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn names_of_a_lab_may_be_plain_http() {
        let parse = |text: &str| parse_address(text, &lab()).map(String::from);
        assert_eq!(parse("http://peer.lab:8099/in"), Ok("http://peer.lab:8099/in".to_owned()));
        assert_eq!(parse("http://wikipedia.org/in"), Err(WebhookAddressError::NotHttps));
        // The end of a name is not a suffix of it.
        assert!(!is_lab_name("collab", &lab()));
    }
}
