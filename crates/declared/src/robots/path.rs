//! The part of a URL that rules apply to.

/// Path, parameters and query of a URL, without scheme, host and fragment; starts with `/`.
///
/// The URL may lack its scheme (`site.example/a`) or start with `//`.
#[must_use]
pub fn path_of(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let url = url.strip_prefix("//").unwrap_or(url);
    let starts = |text: &str| text.find(['/', '?', ';']);
    // `://` after the start of the path belongs to a query and does not end a scheme.
    let host = match url.find("://") {
        Some(at) if starts(url).is_none_or(|path| path > at) => url.get(at + 3..).unwrap_or(""),
        _ => url,
    };
    match starts(host).and_then(|at| host.get(at..)) {
        None => "/".to_owned(),
        Some(path) if path.starts_with('/') => path.to_owned(),
        Some(query) => format!("/{query}"),
    }
}
