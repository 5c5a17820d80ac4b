//! Normalizes values that sites write in many ways, so that they can be compared.
//!
//! Every normalization is idempotent: normalizing a normalized value does not change it.

pub(super) mod address;
pub(super) mod hours;
pub(super) mod name;
pub(super) mod phone;
mod phone_plan;

use icu_normalizer::DecomposingNormalizerBorrowed;

/// How many bytes of a value are used.
pub(super) const MAX_VALUE: usize = 512;

/// Lower case without accents, compatibility forms decomposed.
pub(super) fn fold(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in DecomposingNormalizerBorrowed::new_nfkd().normalize(value).chars() {
        if matches!(c, '\u{300}'..='\u{36f}') {
            continue;
        }
        for c in c.to_lowercase() {
            match c {
                'ß' => out.push_str("ss"),
                'æ' => out.push_str("ae"),
                'œ' => out.push_str("oe"),
                'ø' => out.push('o'),
                'ł' => out.push('l'),
                'đ' => out.push('d'),
                '\u{300}'..='\u{36f}' => {}
                c => out.push(c),
            }
        }
    }
    out
}

/// Words of letters and digits; full stops and apostrophes within a word are dropped.
pub(super) fn tokens(folded: &str) -> Vec<String> {
    folded
        .replace('&', " and ")
        .chars()
        .filter(|c| !matches!(c, '.' | '\'' | '’' | '‘' | '`'))
        .collect::<String>()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A URL without scheme, `www.`, fragment and trailing slash.
pub(super) fn normalize_url(value: &str) -> String {
    let value = value.trim();
    let mut rest = value.split('#').next().unwrap_or_default();
    loop {
        let before = rest;
        for prefix in ["https:", "http:", "//", "www."] {
            if let Some(head) = rest.get(..prefix.len())
                && head.eq_ignore_ascii_case(prefix)
            {
                rest = rest.get(prefix.len()..).unwrap_or_default();
            }
        }
        rest = rest.trim_end_matches('/').trim();
        if rest == before {
            break;
        }
    }
    let (host, path) = match rest.find(['/', '?']) {
        Some(at) => rest.split_at_checked(at).unwrap_or((rest, "")),
        None => (rest, ""),
    };
    format!("{}{path}", host.to_lowercase())
}

/// The host of a URL in lower case, without `www.`.
pub(super) fn host_of_url(value: &str) -> String {
    let plain = normalize_url(value);
    plain.split(['/', '?', ':']).next().unwrap_or_default().to_owned()
}

/// Any other text: folded, white space collapsed.
pub(super) fn normalize_text(value: &str) -> String {
    fold(value).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_addresses_have_one_spelling() {
        for same in
            ["https://www.Tin.example/", "http://tin.example", "//tin.example#top", "tin.example/"]
        {
            assert_eq!(normalize_url(same), "tin.example");
        }
        assert_eq!(normalize_url("https://tin.example/Shop/?a=1"), "tin.example/Shop/?a=1");
        assert_eq!(host_of_url("https://www.tin.example:8443/x"), "tin.example");
    }

    proptest::proptest! {
        #[test]
        fn normal_forms_are_stable(value in "\\PC{0,60}", address in "[wWhtps:/.#a-z? ]{0,40}") {
            proptest::prop_assert_eq!(fold(&fold(&value)), fold(&value));
            proptest::prop_assert_eq!(normalize_text(&normalize_text(&value)), normalize_text(&value));
            proptest::prop_assert_eq!(normalize_url(&normalize_url(&address)), normalize_url(&address));
        }
    }
}
