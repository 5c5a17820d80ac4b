//! Normalizes values that sites write in many ways, so that they can be compared.
//!
//! Every normalization is idempotent: normalizing a normalized value does not change it.

pub(super) mod address;
pub(super) mod hours;
pub(super) mod name;
pub(super) mod phone;
pub(super) mod phone_plan;

use contract::text::is_hidden;
use icu_normalizer::DecomposingNormalizerBorrowed;

/// How many bytes of a value are used.
pub(super) const MAX_VALUE: usize = 512;

/// Lower case without accents and invisible characters, compatibility forms decomposed.
pub(super) fn fold(value: &str) -> String {
    // ASCII has no accents and no compatibility forms, and its hidden characters are all controls.
    if value.is_ascii() {
        return value.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(value.len());
    // A soft hyphen or a joiner is inside a word; a line break or separator is between words. They are
    // dropped first: without them, accents may have another order.
    let inside_word = |c: &char| is_hidden(*c) && !c.is_control() && !c.is_whitespace();
    let visible = value.chars().filter(|c| !inside_word(c));
    for c in DecomposingNormalizerBorrowed::new_nfkd().normalize_iter(visible) {
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

    #[test]
    fn invisible_characters_do_not_make_another_text() {
        for (written, folded) in [
            ("Bäcke\u{ad}rei", "backerei"),
            ("می\u{200c}خواهم", "میخواهم"),
            ("\u{200f}שלום\u{200f}", "שלום"),
            ("क्\u{200d}ष", "क्ष"),
            ("\u{feff}Tin\u{2060}", "tin"),
            ("❤\u{fe0f}", "❤"),
            ("a\u{2028}b\tc", "a\u{2028}b\tc"),
        ] {
            assert_eq!(fold(written), folded, "{written}");
        }
        // A grapheme joiner keeps two marks in an order that they lose without it.
        let joined = "ש\u{5bc}\u{34f}\u{5b0}";
        assert_eq!(fold(&fold(joined)), fold(joined));
    }

    proptest::proptest! {
        #[test]
        fn normal_forms_are_stable(value in "(\\PC|[\u{ad}\u{34f}\u{5b0}\u{5bc}\u{200c}-\u{200f}\u{2028}\u{fe0f}]){0,60}", address in "[wWhtps:/.#a-z? ]{0,40}") {
            proptest::prop_assert_eq!(fold(&fold(&value)), fold(&value));
            proptest::prop_assert_eq!(normalize_text(&normalize_text(&value)), normalize_text(&value));
            proptest::prop_assert_eq!(normalize_url(&normalize_url(&address)), normalize_url(&address));
        }
    }
}
