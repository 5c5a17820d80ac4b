//! Web addresses in the text of an engine.

use url::{Host, Url};

/// Whether a text is an http or https URL or the name of a host, with or without a path, and nothing else.
/// Addresses with a user name are none: they are made to mislead.
pub(super) fn is_web_address(text: &str) -> bool {
    let is_odd = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || contract::text::is_hidden(c)
            || "\"'<>`{}|\\^".contains(c)
    };
    if text.is_empty() || text.contains(is_odd) {
        return false;
    }
    let has_scheme = has_web_scheme(text);
    if !has_scheme && !text.starts_with(char::is_alphanumeric) {
        return false;
    }
    let whole = if has_scheme { text.to_owned() } else { format!("https://{text}") };
    let Ok(url) = Url::parse(&whole) else { return false };
    if !url.username().is_empty() || url.password().is_some() {
        return false;
    }
    match url.host() {
        // Without a scheme, a number such as 1.2 would be an address.
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => has_scheme,
        Some(Host::Domain(name)) => is_host_name(name),
        None => false,
    }
}

fn has_web_scheme(text: &str) -> bool {
    let begins = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    begins("http://") || begins("https://")
}

/// Two labels or more, the last of which begins with a letter.
fn is_host_name(name: &str) -> bool {
    let mut labels = name.trim_end_matches('.').split('.');
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    let last_begins = labels.clone().next_back().and_then(|label| label.bytes().next());
    let begins_with_letter = last_begins.is_some_and(|byte| byte.is_ascii_alphabetic());
    labels.clone().count() >= 2 && labels.all(is_label) && begins_with_letter
}

/// A URL in a text, and where it begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundUrl<'a> {
    pub(super) start: usize,
    pub(super) url: &'a str,
}

/// The URLs in a text, at most `most`.
pub(super) fn find_urls(text: &str, most: usize) -> Vec<FoundUrl<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("http")) {
        let start = from + at;
        let rest = text.get(start..).unwrap_or_default();
        let is_end = |c: char| c.is_whitespace() || "\"'<>`{}|\\^()[]*".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        let url = rest
            .get(..end)
            .unwrap_or_default()
            .trim_end_matches(['.', ',', ';', ':', '!', '?', '…']);
        if has_web_scheme(url) && is_web_address(url) {
            found.push(FoundUrl { start, url });
            if found.len() == most {
                break;
            }
        }
        from = start + end.max(4);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_urls_and_host_names() {
        for good in [
            "https://a.example/b?c=d#e",
            "HTTP://a.example",
            "http://192.0.2.1/",
            "a.example",
            "www.a.example/contact",
            "https://bücher.example/",
            "a.example.",
        ] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://a.example/",
            "https://good.example@evil.example/",
            "https://a.example/\"><script>",
            "a.example and b.example",
            "1.2",
            "192.0.2.1",
            "https://localhost/",
            "//a.example",
            "https://a.ex\u{202e}ample/",
            "version 1.0",
        ] {
            assert!(!is_web_address(bad), "{bad}");
        }
    }

    #[test]
    fn urls_are_found_in_prose() {
        let text = "See [us](https://a.example/x) or https://b.example/y. Not http or https://, http://c.example!";
        let urls: Vec<&str> = find_urls(text, 9).iter().map(|found| found.url).collect();
        assert_eq!(urls, ["https://a.example/x", "https://b.example/y", "http://c.example"]);
        assert_eq!(find_urls(text, 2).len(), 2);
    }
}
