//! One spelling for what sites write in many ways, so that two statements can be compared.
//!
//! Every normal form is stable: the normal form of a normal form is itself.

pub(super) mod address;
pub(super) mod hours;
pub(super) mod name;
pub(super) mod phone;
mod phone_plan;

use icu_normalizer::DecomposingNormalizerBorrowed;

/// How much of a value is looked at.
pub(super) const MAX_VALUE: usize = 512;

/// Small letters without marks, compatibility forms undone.
pub(super) fn folded(value: &str) -> String {
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

/// Words of letters and digits; full stops and apostrophes inside of a word vanish.
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

/// A web address without scheme, `www.`, fragment and closing slash.
pub(super) fn url(value: &str) -> String {
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

/// The host of a web address in small letters, without `www.`.
pub(super) fn host(value: &str) -> String {
    let plain = url(value);
    plain.split(['/', '?', ':']).next().unwrap_or_default().to_owned()
}

/// Anything else: folded, white space squeezed.
pub(super) fn plain(value: &str) -> String {
    folded(value).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_addresses_have_one_spelling() {
        for same in
            ["https://www.Tin.example/", "http://tin.example", "//tin.example#top", "tin.example/"]
        {
            assert_eq!(url(same), "tin.example");
        }
        assert_eq!(url("https://tin.example/Shop/?a=1"), "tin.example/Shop/?a=1");
        assert_eq!(host("https://www.tin.example:8443/x"), "tin.example");
    }

    proptest::proptest! {
        #[test]
        fn normal_forms_are_stable(value in "\\PC{0,60}", address in "[wWhtps:/.#a-z? ]{0,40}") {
            proptest::prop_assert_eq!(folded(&folded(&value)), folded(&value));
            proptest::prop_assert_eq!(plain(&plain(&value)), plain(&value));
            proptest::prop_assert_eq!(url(&url(&address)), url(&address));
        }
    }
}
