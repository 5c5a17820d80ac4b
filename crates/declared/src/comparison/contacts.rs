//! The telephone numbers, mail addresses and postal addresses that a page shows or declares.

use std::collections::BTreeSet;

use crate::entity::{FactName, read_entity};
use crate::page::{Page, truncate_str};

/// The most contacts kept of one page.
const MAX_CONTACTS: usize = 200;
/// How much of the text is searched.
const MAX_TEXT_BYTES: usize = 512 * 1024;
/// Digits of a telephone number, and how many of its last digits identify it whatever prefix it is
/// written with.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
const SIGNIFICANT_DIGITS: usize = 8;
/// How many words may lie between a house number and the word for a street.
const ADDRESS_WORDS: usize = 4;

/// Words for streets and squares, whole words or endings, lower case.
const STREET_WORDS: &[&str] = &[
    "street",
    "st",
    "road",
    "rd",
    "avenue",
    "ave",
    "lane",
    "drive",
    "square",
    "boulevard",
    "blvd",
    "way",
    "court",
    "terrace",
    "quay",
    "rue",
    "place",
    "chemin",
    "quai",
    "via",
    "viale",
    "piazza",
    "corso",
    "calle",
    "avenida",
    "plaza",
    "paseo",
    "rua",
    "praça",
    "largo",
    "ulica",
    "ul",
    "aleja",
    "gade",
    "vej",
    "gata",
    "gatan",
    "vägen",
    "katu",
    "tie",
    "sokak",
    "caddesi",
    "улица",
    "ул",
];
const STREET_ENDINGS: &[&str] = &[
    "straße", "strasse", "str", "gasse", "platz", "weg", "allee", "straat", "laan", "plein",
    "gracht", "gade", "vej", "gatan", "gata", "vägen", "veien", "gaten", "katu",
];

/// The contacts of a page, each with its kind in front.
pub(super) fn contacts(page: &Page, domain: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |kind: &str, value: String| {
        if !value.is_empty() && found.len() < MAX_CONTACTS {
            found.insert(format!("{kind}{value}"));
        }
    };
    let text = truncate_str(&page.text, MAX_TEXT_BYTES);
    for number in page.telephones.iter().map(String::as_str).chain(phone_runs(text)) {
        if let Some(digits) = significant_digits(number) {
            add("tel:", digits);
        }
    }
    for address in page.emails.iter().map(String::as_str).chain(mail_words(text)) {
        add("mail:", address.trim().to_lowercase());
    }
    for place in street_addresses(text) {
        add("place:", place);
    }
    for fact in read_entity(page, domain).facts {
        if fact.carrier.is_visible() {
            continue;
        }
        match fact.fact {
            FactName::Telephone | FactName::Fax => {
                if let Some(digits) = significant_digits(&fact.value) {
                    add("data-tel:", digits);
                }
            }
            FactName::Email => add("data-mail:", fact.value.trim().to_lowercase()),
            FactName::Address => add("data-place:", first_street(&fact.value)),
            _ => {}
        }
    }
    found
}

/// The last digits of a number, which do not depend on how its prefix is written.
fn significant_digits(number: &str) -> Option<String> {
    let number = truncate_str(number, 100);
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    PHONE_DIGITS.contains(&digits.len()).then(|| {
        let start = digits.len().saturating_sub(SIGNIFICANT_DIGITS);
        digits.get(start..).unwrap_or_default().to_owned()
    })
}

/// Runs of digits and the signs between them that look like telephone numbers: with a plus sign or a
/// leading zero or bracket, in groups. Dates, prices and plain numbers are left out.
fn phone_runs(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| {
        c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '/' | '(' | ')' | '+' | '\u{a0}')
    };
    text.split(move |c: char| !is_part(c)).filter_map(|run| {
        let run = run.trim_matches([' ', '-', '.', '/', ')', '\u{a0}']);
        let digits = run.chars().filter(char::is_ascii_digit).count();
        let starts = run.starts_with(['+', '0', '(']);
        let groups = run.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
        let in_groups = groups.count() > 1;
        (PHONE_DIGITS.contains(&digits) && (starts || (in_groups && !is_date(run)))).then_some(run)
    })
}

/// `2026-11-15`, `15.11.2026`, `11/15/2026`.
fn is_date(run: &str) -> bool {
    let groups: Vec<&str> = run.split(['-', '.', '/', ' ']).collect();
    matches!(
        groups.iter().map(|group| group.len()).collect::<Vec<_>>().as_slice(),
        [4, 1 | 2, 1 | 2, ..] | [1 | 2, 1 | 2, 4, ..]
    )
}

/// Words that are mail addresses.
fn mail_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | ',' | ';' | ':'))
        .map(|word| word.trim_matches(['.', '"', '\'', '“', '”']))
        .filter(|word| {
            word.len() <= 254
                && word.split_once('@').is_some_and(|(name, host)| {
                    !name.is_empty() && host.contains('.') && !host.contains('@')
                })
        })
}

/// Street and house number, in one order and in lower case.
fn street_addresses(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if found.len() >= MAX_CONTACTS {
            break;
        }
        if !is_street_word(word) {
            continue;
        }
        let from = at.saturating_sub(ADDRESS_WORDS);
        let near = words.get(from..(at + ADDRESS_WORDS).min(words.len())).unwrap_or_default();
        let Some(number) = near.iter().find(|word| is_house_number(word)) else { continue };
        // The word before names the street where the street word stands alone (Harbour Street).
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
        let after = words.get(at + 1).copied().unwrap_or_default();
        let name = if is_house_number(before) || before.is_empty() { after } else { before };
        found.push(format!("{} {} {}", fold(name), fold(word), fold(number)));
    }
    found
}

/// The first street address of a value from structured data, or the value itself.
fn first_street(value: &str) -> String {
    let value = truncate_str(value, 400);
    street_addresses(value).into_iter().next().unwrap_or_else(|| fold(value))
}

fn is_street_word(word: &str) -> bool {
    let word = fold(word);
    STREET_WORDS.contains(&word.as_str())
        || STREET_ENDINGS
            .iter()
            .any(|ending| word.len() > ending.len() + 2 && word.ends_with(ending))
}

/// `12`, `12a`, `12-14`: up to four digits and at most one letter.
fn is_house_number(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = word.chars().filter(char::is_ascii_digit).count();
    (1..=5).contains(&digits)
        && word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '/')
        && word.chars().filter(|c| c.is_ascii_alphabetic()).count() <= 1
}

fn fold(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}
