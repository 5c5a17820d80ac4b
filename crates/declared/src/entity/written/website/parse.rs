//! Parses the address of a page, as people write it.

use url::Url;

use super::parameters::plain_query;
use super::profiles::service_host;
use super::redirects::{self, Target};
use super::web_address::WebAddress;

/// Parses a word that may be an address. Without a scheme, only names with a known ending are addresses,
/// unless nothing else is in the text. The target of a link is read in its place, `follows` times.
pub(super) fn parse_address(word: &str, is_only_one: bool, follows: u8) -> Option<WebAddress> {
    let repaired = repaired_scheme(word);
    let word = repaired.as_deref().unwrap_or(word);
    let lower = word.get(..8).unwrap_or(word).to_ascii_lowercase();
    let has_scheme = lower.starts_with("http://") || lower.starts_with("https://");
    let written = if has_scheme {
        word.to_owned()
    } else if let Some(rest) = word.strip_prefix("//") {
        format!("http://{rest}")
    } else if word.contains("://") || lower.starts_with("mailto:") || lower.starts_with("tel:") {
        return None;
    } else {
        let host_end = word.find(['/', '?', '#', ':']).unwrap_or(word.len());
        let host = word.get(..host_end).unwrap_or_default();
        // A mail address is no address of a site.
        if host.contains('@') || !is_plausible_host(host, is_only_one) {
            return None;
        }
        format!("http://{word}")
    };
    let url = Url::parse(&written).ok()?;
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    if !host.contains('.') {
        return None;
    }
    let bare = host.strip_prefix("www.").filter(|bare| bare.contains('.')).unwrap_or(&host);
    // `www.` is part of the name where a domain has no label before its public suffix.
    let bare = if psl::domain_str(bare).is_some() { bare } else { host.as_str() };
    let path = plain_path(url.path());
    if let Some(follows) = follows.checked_sub(1)
        && let Some(Target { address, is_copy }) = redirects::target(&url, bare, &path)
    {
        let target = parse_address(&address, true, follows)?;
        return Some(WebAddress { is_copy: is_copy || target.is_copy, ..target });
    }
    let bare = service_host(bare).unwrap_or(bare);
    let route = url.fragment().filter(|part| part.starts_with(['!', '/'])).unwrap_or_default();
    Some(WebAddress {
        host: bare.to_owned(),
        old_host: old_host(&written).unwrap_or_else(|| bare.to_owned()),
        is_copy: false,
        is_cut: false,
        port: url.port().filter(|port| !matches!(port, 80 | 443)),
        path,
        query: plain_query(&url),
        route: route.trim_end_matches('/').to_owned(),
    })
}

/// The host with the letters that once were replaced by others, if it has such.
fn old_host(written: &str) -> Option<String> {
    let (scheme, rest) = written.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !host.contains(['ß', 'ẞ', 'ς']) {
        return None;
    }
    let old = host.replace(['ß', 'ẞ'], "ss").replace('ς', "σ");
    let url = Url::parse(&format!("{scheme}://{old}")).ok()?;
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

/// Schemes as people mistype or disguise them: `http//`, `https:/`, `hxxps://`.
fn repaired_scheme(word: &str) -> Option<String> {
    let end = word.find('/')?;
    let (scheme, rest) = word.split_at_checked(end)?;
    let rest = rest.trim_start_matches('/');
    let plain = match scheme.to_ascii_lowercase().as_str() {
        "http" | "hxxp" | "hxxp:" | "http;" | "htp:" | "htttp:" | "http:" => "http",
        "https" | "hxxps" | "hxxps:" | "https;" | "htps:" | "htttps:" | "https:" => "https",
        _ => return None,
    };
    (!rest.is_empty()).then(|| format!("{plain}://{rest}"))
}

fn is_plausible_host(host: &str, is_only_one: bool) -> bool {
    let host = host.trim_end_matches('.');
    let labels: Vec<&str> = host.split(['.', '。', '．']).take(20).collect();
    let is_name = labels.len() >= 2
        && labels.iter().all(|label| {
            !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        })
        && labels.last().is_some_and(|last| last.chars().any(char::is_alphabetic));
    if !is_name {
        return false;
    }
    let has_www = host.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("www."));
    let last = labels.last().copied().unwrap_or_default().to_lowercase();
    // Names for tests and examples, which are in no list of endings.
    let is_reserved = matches!(last.as_str(), "example" | "test" | "invalid" | "lab" | "localhost");
    let known = psl::suffix(host.to_lowercase().as_bytes()).is_some_and(|suffix| suffix.is_known());
    is_only_one || has_www || is_reserved || known
}

/// The path decoded, without the slash at its end and the file name of a start page.
fn plain_path(path: &str) -> String {
    let decoded = decode_percent(path);
    let path = decoded.trim_end_matches('/');
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_page = file.contains('.');
    let is_start = match stem.as_str() {
        "index" => true,
        "default" | "home" | "start" | "welcome" | "main" => is_page,
        _ => false,
    };
    let path = if is_start { folder } else { path };
    path.trim_end_matches('/').to_owned()
}

/// Decodes percent-encoding, as far as the result is text.
fn decode_percent(text: &str) -> String {
    let bytes: Vec<u8> = url::form_urlencoded::parse(
        // A plus sign in a path is a plus sign, and an ampersand separates nothing.
        text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D").as_bytes(),
    )
    .map(|(name, _)| name.into_owned().into_bytes())
    .next()
    .unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
