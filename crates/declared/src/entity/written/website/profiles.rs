//! Pages at large services: names of the same service, and profiles that have several addresses.

use super::web_address::WebAddress;

/// The name under which a service is compared.
pub(super) fn service_host(host: &str) -> Option<&'static str> {
    const RENAMED: &[(&str, &str)] = &[
        ("twitter.com", "x.com"),
        ("mobile.twitter.com", "x.com"),
        ("m.twitter.com", "x.com"),
        ("mobile.x.com", "x.com"),
        ("fb.com", "facebook.com"),
        ("instagr.am", "instagram.com"),
        ("threads.com", "threads.net"),
        ("telegram.me", "t.me"),
        ("telegram.dog", "t.me"),
        ("vkontakte.ru", "vk.com"),
        ("vk.ru", "vk.com"),
        ("maps.google.com", "google.com"),
        ("odnoklassniki.ru", "ok.ru"),
        ("music.youtube.com", "youtube.com"),
    ];
    /// Services that serve the same pages below other labels: `de-de.facebook.com`, `uk.linkedin.com`.
    const ANY_LABEL: &[&str] = &["facebook.com", "linkedin.com", "pinterest.com"];
    let renamed = RENAMED.iter().find(|(old, _)| *old == host).map(|(_, new)| *new);
    renamed.or_else(|| {
        ANY_LABEL.iter().copied().find(|service| {
            host.strip_suffix(service)
                .and_then(|label| label.strip_suffix('.'))
                .is_some_and(|label| !label.contains('.') && !matches!(label, "l" | "lm"))
        })
    })
}

/// Services whose names of profiles ignore case.
fn ignores_case(host: &str) -> bool {
    matches!(
        host,
        "facebook.com"
            | "instagram.com"
            | "x.com"
            | "tiktok.com"
            | "linkedin.com"
            | "threads.net"
            | "t.me"
            | "vk.com"
            | "pinterest.com"
            | "github.com"
            | "linktr.ee"
            | "snapchat.com"
            | "xing.com"
            | "etsy.com"
    )
}

/// Whether two pages of one service are the same profile.
pub(super) fn is_same_profile(one: &WebAddress, other: &WebAddress) -> bool {
    let is_handle = |address: &WebAddress| address.path.starts_with("/@");
    let is_free =
        ignores_case(&one.host) || one.host == "youtube.com" && is_handle(one) && is_handle(other);
    is_free && one.path.to_lowercase() == other.path.to_lowercase() && one.query == other.query
}

/// Whether two pages of one service may be one profile: by its number in one address and by its name in
/// the other, or one place of a map in two views.
pub(super) fn may_be_same_profile(one: &WebAddress, other: &WebAddress) -> bool {
    let has_number = |address: &WebAddress| {
        let in_query = address.query.iter().any(|(_, value)| is_long_number(value));
        in_query || address.path.split(['/', '-']).any(is_long_number)
    };
    match one.host.as_str() {
        "facebook.com" => {
            has_number(one) != has_number(other) || has_number(one) && one.path != other.path
        }
        "youtube.com" => kind_of_channel(&one.path) != kind_of_channel(&other.path),
        host if host.starts_with("google.") => {
            let is_map = |address: &WebAddress| {
                address.path.starts_with("/maps")
                    || address.query.iter().any(|(name, _)| name == "cid")
            };
            is_map(one) && is_map(other) && one.path != other.path
        }
        _ => false,
    }
}

fn is_long_number(text: &str) -> bool {
    text.len() >= 8 && text.bytes().all(|b| b.is_ascii_digit())
}

/// How a channel is named: `channel`, `c`, `user`, or by its handle.
fn kind_of_channel(path: &str) -> &str {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    match first {
        "channel" | "c" | "user" => first,
        _ => "",
    }
}
