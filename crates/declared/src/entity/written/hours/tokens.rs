//! Splits a text about opening hours into words with a meaning, times and signs.

use super::super::plain_characters;
use super::closing_words::{with_meaning_of_place, with_slashed_hours};
use super::dates::{with_meaning_of_dates, without_remarks_on_holidays};
use super::east_asian;
use super::lexicon::{self, Languages};
use super::meaning::Meaning;
use super::recognition;
use super::services;
use super::time_of_day::read_time;
use super::token::Token;
use super::word_forms;

/// A text with more words than this is no statement of opening hours.
const MAX_TOKENS: usize = 800;
/// In how many languages a text is read if several fit equally well.
const MAX_LANGUAGES: usize = 4;

/// A word or sign before its language is known.
enum RawToken {
    Word { plain: String, is_capital: bool },
    Known(Token),
}

/// The tokens of a text, once for each language in which it can be read.
pub(super) fn tokenize(text: &str, region: Option<&str>) -> Vec<Vec<Token>> {
    let Some(raw) = split(text) else { return Vec::new() };
    let region = region.map_or(0, lexicon::languages_of_region);
    let mut readings: Vec<Vec<Token>> = Vec::new();
    for language in best_languages(&raw, region) {
        let tokens = with_meaning_of_dates(resolve(&raw, language));
        let tokens = without_remarks_on_holidays(tokens);
        let tokens = with_slashed_hours(with_full_clock(tokens));
        let tokens = with_meaning_of_place(tokens);
        if !readings.contains(&tokens) {
            readings.push(tokens);
        }
    }
    readings
}

/// Splits a text. None if it is too long.
fn split(text: &str) -> Option<Vec<RawToken>> {
    let text = east_asian::spell_out(&count_days(text));
    let text = plain_characters(&text);
    let text = word_forms::without_turkish_endings(&join_compounds(&text));
    let mut raw = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let length = if c.is_ascii_digit() {
            let (token, length) = read_number(rest);
            raw.push(RawToken::Known(token));
            length + ordinal_ending(rest.get(length..).unwrap_or_default())
        } else if c.is_alphabetic() {
            let length = rest
                .find(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'))
                .unwrap_or(rest.len());
            let word = lexicon::word_without_clitic(rest.get(..length).unwrap_or_default());
            let is_capital = word.chars().next().is_some_and(char::is_uppercase);
            let plain = lexicon::plain_word(crate::page::truncate_str(word, 60));
            match word_forms::split_word(word, &plain) {
                Some(words) => raw.extend(
                    words.into_iter().map(|plain| RawToken::Word { plain, is_capital: true }),
                ),
                None => raw.push(RawToken::Word { plain, is_capital }),
            }
            // The full stop of an abbreviation.
            let after = rest.get(length..).unwrap_or_default();
            let is_abbreviation = after.starts_with('.') && is_abbreviated(word, after);
            length + usize::from(is_abbreviation)
        } else {
            let token = match c {
                '\n' => Some(Token::Break),
                '-' | '~' | '〜' | '→' | '>' => Some(Token::Dash),
                '&' => Some(Token::Word(Meaning::And)),
                // `Sun/Mon`
                '/' if is_between_words(&text, at) => Some(Token::Word(Meaning::And)),
                ',' | '+' | '/' | '|' | '·' | '•' | '、' => Some(Token::Joiner),
                ';' | '.' | '!' | '?' | '。' => Some(Token::Stop),
                _ => None,
            };
            raw.extend(token.map(RawToken::Known));
            c.len_utf8()
        };
        at += length.max(1);
        if raw.len() > MAX_TOKENS {
            return None;
        }
    }
    Some(raw)
}

/// The length of letters behind a number that counts: `25th December`.
fn ordinal_ending(rest: &str) -> usize {
    let is_ordinal = ["st", "nd", "rd", "th"].iter().any(|ending| {
        rest.strip_prefix(ending).is_some_and(|after| !after.starts_with(char::is_alphanumeric))
    });
    if is_ordinal { 2 } else { 0 }
}

/// Whether letters stand directly before and behind a sign.
fn is_between_words(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let behind = text.get(at + 1..).and_then(|behind| behind.chars().next());
    before.is_some_and(char::is_alphabetic) && behind.is_some_and(char::is_alphabetic)
}

/// Whether the full stop behind a word ends no sentence: `Fri.`, but not `to Friday. Saturday 10–4`.
fn is_abbreviated(word: &str, after: &str) -> bool {
    let next = after.trim_start_matches(['.', ' ']).chars().next();
    let ends_sentence = next.is_some_and(char::is_uppercase)
        && word.chars().count() >= 5
        && !word.eq_ignore_ascii_case("thurs");
    word.chars().count() <= 6 && !ends_sentence
}

/// Portuguese counts the days from Sunday: `2ª a 6ª`.
fn count_days(text: &str) -> String {
    if !text.contains(['ª', 'º']) {
        return text.to_owned();
    }
    let mut out = text.to_owned();
    for day in 2..=6 {
        for mark in ["ª", "º", "ª."] {
            out = out.replace(&format!("{day}{mark}"), &format!(" day{day} "));
        }
    }
    out
}

/// Joins words that are written in several parts.
fn join_compounds(text: &str) -> String {
    let mut out = text.to_owned();
    for day in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] {
        // “But” means more than one thing, if no day follows.
        let (written, exception) = (format!("day but {day}"), format!("day except {day}"));
        if out.contains(&written) {
            out = out.replace(&written, &exception);
        }
    }
    for (written, joined) in [
        ("t/m", " tm "),
        ("T/m", " tm "),
        ("t.e.m.", " tm "),
        ("-feira", ""),
        ("-Feira", ""),
        ("week-end", "weekend"),
        ("Week-end", "weekend"),
        ("o'clock", ""),
        // `'s middags`
        (" 's ", " "),
        (" ’s ", " "),
        ("Sonn- u", "Sonntag u"),
        ("sonn- u", "sonntag u"),
        ("t.l.j.", "tlj"),
        ("s.f.", "sf"),
        ("ao meio", "a meio"),
    ] {
        if out.contains(written) {
            out = out.replace(written, joined);
        }
    }
    out
}

/// A number: `24/7`, `7j/7`, a time, or something else.
fn read_number(text: &str) -> (Token, usize) {
    let lower: String = text.chars().take(24).map(|c| c.to_ascii_lowercase()).collect();
    const ALWAYS: [&str; 10] = [
        "24/7",
        "24 / 7",
        "24x7",
        "24h/7",
        "24h/24 7j/7",
        "24h/24, 7j/7",
        "24h/24 et 7j/7",
        "24-7",
        "24/24 7/7",
        "7/24",
    ];
    const EVERY_DAY: [&str; 8] =
        ["7j/7", "7j / 7", "7 j/7", "7/7", "7d/7", "7 sur 7", "7jours/7", "7 jours/7"];
    const EVERY_DAY_WORDS: [&str; 16] = [
        "7 days",
        "7 tage",
        "7 jours",
        "7 giorni",
        "7 dias",
        "7 dagen",
        "7 dagar",
        "7 dage",
        "7 dager",
        "7 dni w tygodniu",
        "7 dni",
        "7 paivaa",
        "7 dnu",
        "7 nights",
        "7 gun",
        "7 дней",
    ];
    let begins = |forms: &[&'static str]| {
        forms.iter().copied().filter(|form| lower.starts_with(form)).max_by_key(|form| form.len())
    };
    let is_followed_by_digit = |form: &&str| {
        lower
            .get(form.len()..)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == ':'))
    };
    if let Some(form) = begins(&ALWAYS).filter(|form| !is_followed_by_digit(form)) {
        return (Token::Word(Meaning::Always), form.len());
    }
    const ALL_DAY: [&str; 9] = [
        "24h/24",
        "24/24",
        "24h sur 24",
        "24 ore su 24",
        "24 heures sur 24",
        "24 uur per dag",
        "24 hours a day",
        "24 horas al dia",
        "24 stunden am tag",
    ];
    if let Some(form) = begins(&ALL_DAY) {
        return (Token::Word(Meaning::AllDay), form.len());
    }
    if let Some(form) = begins(&EVERY_DAY)
        .or_else(|| begins(&EVERY_DAY_WORDS))
        .filter(|form| !is_followed_by_digit(form))
    {
        return (Token::Word(Meaning::EveryDay), form.len());
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if is_year(&lower, digits) {
        return (Token::Other, digits);
    }
    // `bis 18 Uhr. Montags …`: before a capital the full stop is none of an abbreviation.
    let ends_sentence = |length: usize| {
        let behind = text.get(length..).unwrap_or_default();
        text.get(..length).is_some_and(|time| time.ends_with('.') && !time.ends_with("m."))
            && behind.trim_start().starts_with(char::is_uppercase)
    };
    let time =
        read_time(&lower).map(|(time, length)| (time, length - usize::from(ends_sentence(length))));
    match time {
        Some((time, length)) if length > digits || digits >= 3 || text.starts_with('0') => {
            (Token::Time(time), length)
        }
        Some((time, length)) => (Token::Number(time), length),
        None if matches!(
            lower.get(..digits),
            Some("25" | "26" | "27" | "28" | "29" | "30" | "31")
        ) =>
        {
            (Token::Word(Meaning::DayOfMonth), digits)
        }
        None => (Token::Other, digits),
    }
}

/// Whether four digits are a year of these days, and no time: `as of 2026`.
fn is_year(text: &str, digits: usize) -> bool {
    let year = text.get(..digits).and_then(|year| year.parse::<u16>().ok());
    let behind = text.get(digits..).unwrap_or_default();
    digits == 4
        && year.is_some_and(|year| (2016..2045).contains(&year) && year % 5 != 0 || year == 2025)
        && behind.is_empty()
            | behind.starts_with([',', ')', '.', ':'])
            | behind.trim_start().starts_with(char::is_alphabetic)
}

/// The languages that explain most of the words.
fn best_languages(raw: &[RawToken], region: Languages) -> Vec<Languages> {
    let mut scores = vec![0_u32; lexicon::language_count()];
    for (at, token) in raw.iter().enumerate() {
        let RawToken::Word { plain, is_capital } = token else { continue };
        let mut known: Languages = 0;
        let mut longest = 0;
        for phrase in lexicon::phrases(plain) {
            // A word of a longer phrase says nothing alone: `alle dage`.
            if phrase.rest.len() < longest {
                break;
            }
            let fits = follows(raw, at, &phrase.rest)
                && !(may_be_pronoun(plain, *is_capital) && is_pronoun(raw, at));
            if fits && is_readable(plain, *is_capital, phrase.meaning) {
                longest = phrase.rest.len();
                known |= if phrase.languages == Languages::MAX { 0 } else { phrase.languages };
            }
        }
        let usual = recognition::languages_of(plain);
        // Short words without a capital are small words of most languages.
        let weight = match plain.chars().count() {
            4.. => 4,
            _ if *is_capital => 2,
            _ => 1,
        };
        for (language, score) in scores.iter_mut().enumerate() {
            let bit = 1 << language;
            *score += if known & bit == 0 { 0 } else { weight };
            *score += u32::from(usual & bit != 0);
        }
    }
    for (language, score) in scores.iter_mut().enumerate() {
        *score += u32::from(region & (1 << language) != 0);
    }
    let best = scores.iter().copied().max().unwrap_or_default();
    let best = scores.iter().enumerate().filter(|(_, score)| **score == best);
    best.map(|(language, _)| 1 << language).take(MAX_LANGUAGES).collect()
}

/// Single letters are days only if they are capitals.
fn is_readable(plain: &str, is_capital: bool, meaning: Meaning) -> bool {
    plain.chars().count() > 1 || is_capital || !matches!(meaning, Meaning::Day(_))
}

/// Whether a word is an abbreviation of a day and a small word of a sentence.
fn may_be_pronoun(plain: &str, is_capital: bool) -> bool {
    match plain {
        "we" | "die" | "la" => true,
        // With a capital it is the day: `So ist geschlossen`.
        "mit" | "so" | "je" | "ma" | "me" => !is_capital,
        _ => false,
    }
}

/// Whether `we` is no Wednesday and `die` no Tuesday: `We recommend booking ahead`, `Die Praxis ist …`.
fn is_pronoun(raw: &[RawToken], at: usize) -> bool {
    let Some(RawToken::Word { plain, .. }) = raw.get(at + 1) else { return false };
    !lexicon::phrases(plain).iter().any(|phrase| match phrase.meaning {
        Meaning::Day(_)
        | Meaning::To
        | Meaning::And
        | Meaning::From
        | Meaning::Off
        | Meaning::Only
        | Meaning::Closes
        | Meaning::Noon
        | Meaning::Morning
        | Meaning::Afternoon
        | Meaning::MorningPart
        | Meaning::AfternoonPart
        | Meaning::AllDay
        | Meaning::Holiday
        | Meaning::Weekend
        | Meaning::Between
        | Meaning::Hour(_)
        | Meaning::BeforeHour(_) => true,
        // `We don't open on Sundays`
        Meaning::Closed => phrase.rest.is_empty(),
        _ => false,
    })
}

/// Whether a word with a capital stands before: `Harbour Bar`.
fn is_behind_name(raw: &[RawToken], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| raw.get(before));
    matches!(before, Some(RawToken::Word { is_capital: true, .. }))
}

/// Whether these words follow the one at this place.
fn follows(raw: &[RawToken], at: usize, words: &[String]) -> bool {
    let mut place = at;
    words.iter().all(|word| {
        place += 1;
        // A hyphen within a phrase: `sur rendez-vous`.
        if matches!(raw.get(place), Some(RawToken::Known(Token::Dash))) {
            place += 1;
        }
        matches!(raw.get(place), Some(RawToken::Word { plain, .. }) if plain == word)
    })
}

fn resolve(raw: &[RawToken], language: Languages) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(token) = raw.get(at) {
        at += 1;
        let (plain, is_capital) = match token {
            RawToken::Known(token) => {
                tokens.push(*token);
                continue;
            }
            RawToken::Word { plain, is_capital } => (plain, *is_capital),
        };
        let found = lexicon::phrases(plain).iter().find(|phrase| {
            phrase.languages & language != 0
                && is_readable(plain, is_capital, phrase.meaning)
                && follows(raw, at - 1, &phrase.rest)
                && !(may_be_pronoun(plain, is_capital) && is_pronoun(raw, at - 1))
                && !(services::may_end_name(plain) && is_behind_name(raw, at - 1))
        });
        match found {
            Some(phrase) => {
                tokens.push(Token::Word(phrase.meaning));
                for _ in &phrase.rest {
                    let is_dash = matches!(raw.get(at), Some(RawToken::Known(Token::Dash)));
                    at += 1 + usize::from(is_dash);
                }
            }
            None => tokens.push(Token::Other),
        }
    }
    tokens
}

/// Where one time is past noon on a 24-hour clock, all are of such a clock.
fn with_full_clock(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_full = tokens.iter().any(|token| match token {
        Token::Time(time) | Token::Number(time) => {
            time.half.is_none() && (13..24).contains(&time.hour())
        }
        _ => false,
    });
    if is_full {
        for token in &mut tokens {
            if let Token::Time(time) | Token::Number(time) = token {
                time.is_full_clock |= time.half.is_none();
            }
        }
    }
    tokens
}
