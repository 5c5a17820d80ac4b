//! The words of opening hours in several languages.
//!
//! Many abbreviations are days in one language and other words in another (`do` is Thursday in German and
//! “to” in Polish), so every word is listed with the languages in which it has its meaning.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::super::normalize::fold;
use super::closing_words::CLOSING_WORDS;
use super::dates::DATE_WORDS;
use super::day_names::DAYS;
use super::local_words::LOCAL_WORDS;
use super::meaning::Meaning;
use super::numerals::{BEFORE_HOUR, BEHIND_HOUR, HOURS};
use super::services;
use super::words::WORDS;

/// Languages as a set of bits, in the order of [`DAYS`].
pub(super) type Languages = u32;
const ALL: Languages = Languages::MAX;

/// One meaning of a phrase.
#[derive(Debug)]
pub(super) struct Phrase {
    /// The words behind the first.
    pub(super) rest: Vec<String>,
    pub(super) languages: Languages,
    pub(super) meaning: Meaning,
}

/// All phrases by their first word, the longest first.
static PHRASES: LazyLock<HashMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: HashMap<String, Vec<Phrase>> = HashMap::new();
    let mut add = |written: &str, languages: Languages, meaning: Meaning| {
        let words = written.split([' ', '-']).filter(|w| !w.is_empty());
        let mut words = words.map(|word| plain_word(word_without_clitic(word)));
        if let Some(first) = words.next() {
            let rest = words.collect();
            phrases.entry(first).or_default().push(Phrase { rest, languages, meaning });
        }
    };
    for (language, days) in DAYS {
        for (day, names) in (0..).zip(days) {
            for name in names.split(' ') {
                add(name, language_bit(language), Meaning::Day(day));
            }
        }
    }
    for (language, written) in HOURS {
        for (hour, writings) in (1..).zip(written.split('|')) {
            for word in writings.split('/') {
                add(word, language_bit(language), Meaning::Hour(hour));
            }
        }
    }
    for (languages, written, minutes) in BEFORE_HOUR {
        for phrase in written.split('|') {
            add(phrase, language_bits(languages), Meaning::BeforeHour(*minutes));
        }
    }
    for (written, minutes) in BEHIND_HOUR {
        for phrase in written.split('|') {
            add(phrase, ALL, Meaning::BehindHour(*minutes));
        }
    }
    for (place, is_house) in services::places() {
        add(&place, ALL, if is_house { Meaning::Ignored } else { Meaning::OtherHours });
    }
    for service in services::SERVICES.split('|') {
        add(service, ALL, Meaning::OtherHours);
    }
    let words = LOCAL_WORDS.iter().chain(WORDS).chain(CLOSING_WORDS).chain(DATE_WORDS);
    for (languages, written, meaning) in words {
        let languages = language_bits(languages);
        for phrase in written.split('|') {
            add(phrase, languages, *meaning);
        }
    }
    for list in phrases.values_mut() {
        // A meaning in few languages comes before one in all.
        list.sort_by_key(|phrase| (std::cmp::Reverse(phrase.rest.len()), phrase.languages == ALL));
    }
    phrases
});

/// The phrases that begin with a word, the longest first.
pub(super) fn phrases(first: &str) -> &'static [Phrase] {
    PHRASES.get(first).map_or(&[], Vec::as_slice)
}

/// A word in the form of the lexicon.
pub(super) fn plain_word(word: &str) -> String {
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return word.to_ascii_lowercase();
    }
    // The Turkish letter without a dot is often written with one.
    let plain = |c: char| if c == 'ı' { 'i' } else { c };
    fold(word).chars().filter(|c| !matches!(c, '\'' | '’' | '\u{307}')).map(plain).collect()
}

/// `ouverture` of `d'ouverture`, `monday` of `monday's`.
pub(super) fn word_without_clitic(word: &str) -> &str {
    match word.split_once(['\'', '’']) {
        Some((before, "s" | "S" | "")) => before,
        Some(("d" | "D" | "l" | "L" | "j" | "s" | "n" | "qu" | "dell" | "all" | "dall", after)) => {
            after
        }
        _ => word,
    }
}

pub(super) fn language_count() -> usize {
    DAYS.len()
}

pub(super) fn language_bit(language: &str) -> Languages {
    let at = DAYS.iter().position(|(known, _)| *known == language);
    at.map_or(0, |at| 1 << at)
}

/// The languages of a list; `*` for all.
fn language_bits(list: &str) -> Languages {
    match list {
        "*" => ALL,
        list => list.split(' ').map(language_bit).fold(0, |all, bit| all | bit),
    }
}

/// The languages of a country.
pub(super) fn languages_of_region(region: &str) -> Languages {
    let list = match region.to_ascii_uppercase().as_str() {
        "DE" | "AT" | "LI" => "de",
        "CH" => "de fr it",
        "FR" | "MC" => "fr",
        "BE" => "nl fr",
        "LU" => "fr de",
        "CA" => "en fr",
        "ES" => "es ca",
        "MX" | "AR" | "CO" | "CL" | "PE" | "UY" | "EC" | "VE" | "BO" | "PY" | "CR" | "PA" => "es",
        "IT" | "SM" => "it",
        "NL" => "nl",
        "PT" | "BR" => "pt",
        "PL" => "pl",
        "SE" => "sv",
        "DK" => "da",
        "NO" => "no",
        "FI" => "fi sv",
        "CZ" => "cs",
        "SK" => "sk",
        "HU" => "hu",
        "RO" | "MD" => "ro",
        "TR" => "tr",
        "RU" | "BY" | "KZ" => "ru",
        "UA" => "uk ru",
        "GR" | "CY" => "el",
        "HR" | "RS" | "BA" | "SI" => "hr",
        "IL" => "he",
        _ => "en",
    };
    language_bits(list)
}
