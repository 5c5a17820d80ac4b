//! Answers in sentences or lists. A value is taken only where the text is clear: exactly one telephone
//! number, one run of opening hours, one line with the label “Address”, one address after the word “website”.

use super::address::{find_urls, is_web_address};
use super::value::{MAX_ADDRESS, MAX_HOURS, MAX_PHONE, MAX_SOURCES, stated_value, stated_website};
use super::{AnswerForm, EngineStatement};
use crate::entity::visible_hours::visible_hours;
use crate::entity::visible_numbers::visible_numbers;

pub(super) fn read_prose(text: &str) -> EngineStatement {
    // Marks of emphasis would stand between a label and its value.
    let text: String = text.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    EngineStatement {
        phone: only_one(phones(&text), |one, other| same_digits(one, other))
            .and_then(|number| stated_value(&number, MAX_PHONE)),
        address: labelled(&text, &["address", "postal address", "street address", "location"])
            .and_then(|value| stated_value(value, MAX_ADDRESS)),
        website: website(&text),
        hours: hours(&text),
        sources: find_urls(&text, MAX_SOURCES).iter().map(|found| found.url.to_owned()).collect(),
        form: AnswerForm::Prose,
    }
}

fn phones(text: &str) -> Vec<String> {
    visible_numbers(text, None, false)
}

fn same_digits(one: &str, other: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    digits(one) == digits(other)
}

/// The value of which all others are repetitions.
fn only_one<T>(values: Vec<T>, is_same: impl Fn(&T, &T) -> bool) -> Option<T> {
    let mut values = values.into_iter();
    let first = values.next()?;
    values.all(|value| is_same(&first, &value)).then_some(first)
}

/// The rest of the only line that begins with one of these labels and a colon.
fn labelled<'a>(text: &'a str, labels: &[&str]) -> Option<&'a str> {
    let values = text.lines().filter_map(|line| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let (label, value) = line.split_once(':')?;
        let is_wanted = labels.iter().any(|wanted| wanted.eq_ignore_ascii_case(label.trim()));
        let value = value.trim();
        (is_wanted && !value.is_empty()).then_some(value)
    });
    only_one(values.collect(), |one, other| one == other)
}

fn hours(text: &str) -> Option<String> {
    let labels = ["hours", "opening hours", "business hours", "opening times", "open"];
    let has_time = |value: &&str| value.contains(|c: char| c.is_ascii_digit());
    if let Some(value) = labelled(text, &labels).filter(has_time) {
        return stated_value(value, MAX_HOURS);
    }
    let mut runs = visible_hours(text, None);
    if runs.is_empty() {
        // A word of the line before, such as “telephone”, may have made them hours of something else.
        runs = text.lines().flat_map(|line| visible_hours(line, None)).collect();
    }
    let run = only_one(runs, |one, other| one.normalized == other.normalized)?;
    stated_value(&run.written, MAX_HOURS)
}

fn website(text: &str) -> Option<String> {
    if let Some(value) = labelled(text, &["website", "web site", "web", "homepage", "home page"]) {
        // A link of Markdown has the address behind its text.
        let url = find_urls(value, 1).first().map(|found| found.url);
        let word = value.split_whitespace().next().unwrap_or_default();
        return url
            .or_else(|| Some(word.trim_end_matches(['.', ','])).filter(|word| is_web_address(word)))
            .and_then(stated_website);
    }
    let urls = find_urls(text, MAX_SOURCES);
    let named = urls.iter().filter(|found| follows_website_word(text, found.start));
    only_one(named.map(|found| found.url).collect(), |one, other| one == other)
        .and_then(stated_website)
}

/// Whether one of the last words before a place is “website”, in the same sentence.
fn follows_website_word(text: &str, place: usize) -> bool {
    const WORDS: usize = 4;
    let before = text.get(..place).unwrap_or_default();
    let sentence = before.rsplit(['.', '!', '?', '\n']).next().unwrap_or_default();
    let words = sentence.rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(WORDS).any(|word| {
        ["website", "homepage", "site"].iter().any(|wanted| wanted.eq_ignore_ascii_case(word))
    })
}
