//! Hosts and pages that are the start page of a site in another form: for telephones, in a language.

/// How the hosts of two addresses are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostRelation {
    /// The same site for other devices.
    Same,
    /// A part of the site of the same owner, which may be what is meant.
    Part,
    Other,
}

/// Compares two different hosts.
pub(super) fn relate_hosts(one: &str, other: &str) -> HostRelation {
    let below = |host: &str, site: &str| -> Option<String> {
        let label = host.strip_suffix(site)?.strip_suffix('.')?;
        Some(label.strip_prefix("www.").unwrap_or(label).to_owned())
    };
    if is_language_host(one, other) {
        return HostRelation::Part;
    }
    // One of them is a machine that may be the server of the other.
    if is_ip(one) != is_ip(other) {
        return HostRelation::Part;
    }
    // Below a shared ending every name has its own owner.
    let domain = psl::domain_str(one);
    if domain.is_none() || domain != psl::domain_str(other) {
        return HostRelation::Other;
    }
    let Some(label) = below(one, other).or_else(|| below(other, one)) else {
        return HostRelation::Other;
    };
    match label.as_str() {
        "m" | "mobile" | "amp" | "touch" | "wap" | "mobil" | "pda" => HostRelation::Same,
        _ => HostRelation::Part,
    }
}

/// Whether both hosts are one site in two languages: `en.seehotel.ch`, `de.seehotel.ch`.
fn is_language_host(one: &str, other: &str) -> bool {
    let parts = one.split_once('.').zip(other.split_once('.'));
    parts.is_some_and(|((label, site), (other_label, other_site))| {
        site == other_site
            && psl::domain_str(site).is_some()
            && is_language(label)
            && is_language(other_label)
    })
}

fn is_ip(host: &str) -> bool {
    host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Whether two paths are a start page and the same page in a language.
pub(super) fn is_start_page_in_language(one: &str, other: &str) -> bool {
    let in_language = |path: &str| path.strip_prefix('/').is_some_and(is_language);
    one.is_empty() && in_language(other) || other.is_empty() && in_language(one)
}

/// Whether two routes of one script lead to different pages: neither is the start page, a page below the other,
/// or the same in another language.
pub(super) fn are_other_routes(one: &str, other: &str) -> bool {
    let plain = |route: &str| without_language(route.trim_start_matches(['!', '/'])).to_lowercase();
    let (one, other) = (plain(one), plain(other));
    let is_within = |outer: &str, inner: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
    };
    !one.is_empty() && !other.is_empty() && !is_within(&one, &other) && !is_within(&other, &one)
}

/// The path without parts that name a language: `/en/menu`, `/de-at`.
pub(super) fn without_language(path: &str) -> String {
    let parts = path.split('/').filter(|part| !part.is_empty() && !is_language(part));
    parts.collect::<Vec<_>>().join("/")
}

/// The path without the ending of a file: servers deliver `/menu.html` as `/menu` too.
pub(super) fn without_ending(path: &str) -> &str {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    let is_page = matches!(ending, "html" | "htm" | "php" | "asp" | "aspx" | "jsp" | "shtml");
    if is_page { path.strip_suffix(ending).unwrap_or(path).trim_end_matches('.') } else { path }
}

/// A language, as codes of one or with a country, or by its name.
fn is_language(part: &str) -> bool {
    const LANGUAGES: &[&str] = &[
        "en",
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
        "pl",
        "cs",
        "cz",
        "sk",
        "hu",
        "ro",
        "bg",
        "el",
        "gr",
        "tr",
        "ru",
        "uk",
        "ua",
        "sv",
        "se",
        "da",
        "dk",
        "no",
        "nb",
        "nn",
        "fi",
        "et",
        "ee",
        "lv",
        "lt",
        "sl",
        "si",
        "hr",
        "sr",
        "bs",
        "mk",
        "sq",
        "is",
        "ja",
        "jp",
        "zh",
        "cn",
        "tw",
        "ko",
        "kr",
        "ar",
        "he",
        "fa",
        "hi",
        "bn",
        "ta",
        "th",
        "vi",
        "vn",
        "id",
        "ms",
        "ca",
        "eu",
        "gl",
        "cy",
        "ga",
        "mt",
        "lb",
        "us",
        "gb",
        "br",
        "mx",
        "at",
        "ch",
        "be",
        "ie",
        "au",
        "nz",
        "eng",
        "ger",
        "deu",
        "fra",
        "fre",
        "esp",
        "spa",
        "ita",
        "por",
        "nld",
        "rus",
        "jpn",
        "english",
        "deutsch",
        "francais",
        "français",
        "espanol",
        "español",
        "italiano",
        "nederlands",
        "portugues",
        "polski",
        "svenska",
        "dansk",
        "norsk",
        "suomi",
    ];
    let lower = part.to_lowercase();
    let (language, country) = lower.split_once(['-', '_']).unwrap_or((&lower, ""));
    let is_country = country.is_empty()
        || country.len() == 2 && country.bytes().all(|b| b.is_ascii_alphabetic())
        || matches!(country, "hans" | "hant" | "latn" | "cyrl" | "419");
    is_country && LANGUAGES.contains(&language)
}
