//! The telephone numbers, mail addresses and postal addresses that a page shows or declares.

use std::collections::BTreeSet;

use super::street_addresses::{MAX_CONTACTS, fold, street_addresses};
use crate::digits::find_digit;
use crate::entity::{FactName, read_declared_facts};
use crate::page::{Page, truncate_str};

/// How much of the text is searched.
const MAX_TEXT_BYTES: usize = 512 * 1024;
/// Digits of a telephone number, and how many of its last digits identify it whatever prefix it is
/// written with.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
const SIGNIFICANT_DIGITS: usize = 8;

/// The contacts of a page, each with its kind in front.
pub(super) fn contacts(page: &Page, domain: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |kind: &str, value: String| {
        if !value.is_empty() && found.len() < MAX_CONTACTS {
            found.insert([kind, &value].concat());
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
    for fact in read_declared_facts(page, domain) {
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
    number_runs(text).filter_map(|run| {
        // Too short, whatever is in it.
        if run.len() < *PHONE_DIGITS.start() {
            return None;
        }
        let run = run.trim_matches([' ', '-', '.', '/', ')', '\u{a0}']);
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        let starts = run.starts_with(['+', '0', '(']);
        let in_groups = || {
            let groups = run.split(|c: char| !c.is_ascii_digit());
            groups.filter(|group| !group.is_empty()).nth(1).is_some()
        };
        (PHONE_DIGITS.contains(&digits) && (starts || (in_groups() && !is_date(run))))
            .then_some(run)
    })
}

/// The runs of digits and of the signs between them that have a digit.
fn number_runs(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| {
        c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '/' | '(' | ')' | '+' | '\u{a0}')
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        // Most characters are letters: digits are looked for first, then the signs around them.
        let digit = find_digit(rest)?;
        let (before, from) = rest.split_at_checked(digit)?;
        let start = before.trim_end_matches(is_part).len();
        let end = digit + from.find(|c| !is_part(c)).unwrap_or(from.len());
        let run = rest.get(start..end)?;
        rest = rest.get(end..)?;
        Some(run)
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
    // Most pages have none.
    let text = memchr::memchr(b'@', text.as_bytes()).map_or("", |_| text);
    text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | ',' | ';' | ':'))
        .map(|word| word.trim_matches(['.', '"', '\'', '“', '”']))
        .filter(|word| {
            word.len() <= 254
                && word.split_once('@').is_some_and(|(name, host)| {
                    !name.is_empty() && host.contains('.') && !host.contains('@')
                })
        })
}

/// The first street address of a value from structured data, or the value itself.
fn first_street(value: &str) -> String {
    let value = truncate_str(value, 400);
    street_addresses(value).into_iter().next().unwrap_or_else(|| fold(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_text_are_found_with_the_signs_around_them() {
        let runs = |text| number_runs(text).collect::<Vec<_>>();
        assert_eq!(runs("no number"), Vec::<&str>::new());
        assert_eq!(runs("call +44 (1632) 960-101, or 7"), [" +44 (1632) 960-101", " 7"]);
        assert_eq!(runs("a 1\u{a0}2 é3"), [" 1\u{a0}2 ", "3"]);
        let phones: Vec<&str> = phone_runs("tel 01632 960101 on 2026-11-15 at 12").collect();
        assert_eq!(phones, ["01632 960101"]);
    }
}
