//! Status words. Some registries use those of EPP (`clientHold`) in place of those of RDAP (`client hold`);
//! RFC 8056 says which belong together.

use contract::text::display_safe;

/// The words of RFC 9083 and RFC 8056.
const WORDS: [&str; 36] = [
    "active",
    "add period",
    "administrative",
    "associated",
    "auto renew period",
    "client delete prohibited",
    "client hold",
    "client renew prohibited",
    "client transfer prohibited",
    "client update prohibited",
    "delete prohibited",
    "inactive",
    "locked",
    "obscured",
    "pending create",
    "pending delete",
    "pending renew",
    "pending restore",
    "pending transfer",
    "pending update",
    "private",
    "proxy",
    "redemption period",
    "removed",
    "renew period",
    "renew prohibited",
    "reserved",
    "server delete prohibited",
    "server hold",
    "server renew prohibited",
    "server transfer prohibited",
    "server update prohibited",
    "transfer period",
    "transfer prohibited",
    "update prohibited",
    "validated",
];

/// Words of EPP whose RDAP word is another one.
const EPP_WORDS: [(&str, &str); 2] = [("ok", "active"), ("linked", "associated")];

/// The most characters of a word that is in no list.
const MAX_CHARS: usize = 64;

/// The RDAP word for a status, in any of the forms in which registries write it.
pub(super) fn status_word(text: &str) -> Option<String> {
    // Some registries add the address of an explanation.
    let text = text.split("http").next().unwrap_or(text).trim();
    let letters = squash(text);
    if letters.is_empty() {
        return None;
    }
    if let Some((_, word)) = EPP_WORDS.iter().find(|(epp, _)| *epp == letters) {
        return Some((*word).to_owned());
    }
    if let Some(word) = WORDS.iter().find(|word| squash(word) == letters) {
        return Some((*word).to_owned());
    }
    Some(split_words(&display_safe(text, MAX_CHARS)))
}

/// The letters and digits alone, in lower case.
fn squash(text: &str) -> String {
    let letters = text.chars().take(MAX_CHARS * 4).filter(|letter| letter.is_ascii_alphanumeric());
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// `someNewWord`, `SOME_NEW_WORD` and `some-new-word` as `some new word`.
fn split_words(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 4);
    let mut was_lower = false;
    for letter in text.chars() {
        if letter.is_whitespace() || matches!(letter, '_' | '-') {
            if !words.ends_with(' ') {
                words.push(' ');
            }
            was_lower = false;
            continue;
        }
        if letter.is_uppercase() && was_lower {
            words.push(' ');
        }
        was_lower = letter.is_lowercase();
        words.extend(letter.to_lowercase());
    }
    words.trim().to_owned()
}
