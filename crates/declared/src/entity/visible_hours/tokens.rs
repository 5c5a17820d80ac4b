//! Words, times and signs of a text that may state opening hours.

use super::super::hours_words::{self, WordMeaning};
use super::super::normalize;
use crate::page::truncate_str;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Word(WordMeaning),
    Time(ClockTime),
    Dash,
    /// A comma or the like.
    Separator,
    /// The end of a sentence.
    Stop,
    /// The end of a block of text.
    Break,
    Other,
}

/// A time as written: minutes since midnight, and the half of the day if it is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockTime {
    pub(super) minutes: u16,
    pub(super) half: Option<DayHalf>,
    /// Whether it is written with minutes or the word for the hour: a bare number may be anything.
    pub(super) is_exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayHalf {
    Morning,
    Afternoon,
}

pub(super) struct PlacedToken {
    pub(super) token: Token,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) fn tokenize(text: &str, language: Option<&str>) -> Vec<PlacedToken> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let start = text.len() - rest.len();
        let (token, length) = if c.is_ascii_digit() {
            read_time(rest)
        } else if c.is_alphabetic() {
            let length = word_length(rest);
            let written = truncate_str(rest.get(..length).unwrap_or_default(), 40);
            // Most words are written as they are compared.
            let is_folded = written.bytes().all(|byte| byte.is_ascii_lowercase());
            let folded = (!is_folded).then(|| normalize::fold(written));
            let meaning = hours_words::meaning(folded.as_deref().unwrap_or(written), language);
            // The full stop of an abbreviation.
            let is_short = matches!(meaning, WordMeaning::Day(_)) && length <= 5;
            let stop = usize::from(is_short && rest.as_bytes().get(length) == Some(&b'.'));
            (Some(Token::Word(meaning)), length + stop)
        } else {
            let token = match c {
                '\n' => Some(Token::Break),
                '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' => Some(Token::Dash),
                ',' | '&' | '+' | ';' | '/' | '|' | '·' => Some(Token::Separator),
                '.' | '!' | '?' => Some(Token::Stop),
                ':' => None,
                c if c.is_whitespace() => None,
                _ => Some(Token::Other),
            };
            (token, c.len_utf8())
        };
        tokens.extend(token.map(|token| PlacedToken { token, start, end: start + length }));
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    tokens
}

/// How many bytes at the start of a text belong to one word.
fn word_length(text: &str) -> usize {
    let plain = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    match text.as_bytes().get(plain) {
        Some(byte) if byte.is_ascii() && *byte != b'\'' => plain,
        _ => {
            text.find(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').unwrap_or(text.len())
        }
    }
}

/// `9`, `9:30`, `9.30`, `9h30`, `9 am`, `9 Uhr`: the time and its length. Other numbers are no time.
fn read_time(text: &str) -> (Option<Token>, usize) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let hour_length = digits(text);
    let behind = text.get(hour_length..).unwrap_or_default();
    let number = |digits: Option<&str>| digits.and_then(|digits| digits.parse::<u16>().ok());
    let mut length = hour_length;
    let mut minutes = None;
    if let Some(after) = behind.strip_prefix([':', '.', 'h', 'H'])
        && digits(after) == 2
    {
        minutes = number(after.get(..2)).filter(|minutes| *minutes < 60);
        length += 3;
    }
    let tail = text.get(length..).unwrap_or_default();
    let spaces = tail.len() - tail.trim_start_matches([' ', '\u{a0}', '\u{202f}']).len();
    let unit: String = tail.trim_start().chars().take(6).collect::<String>().to_lowercase();
    let starts = |words: &'static [&'static str]| {
        words.iter().copied().find(|word| {
            unit.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        })
    };
    let (half, unit_length) = if let Some(word) = starts(&["am", "a.m.", "a.m"]) {
        (Some(DayHalf::Morning), word.len())
    } else if let Some(word) = starts(&["pm", "p.m.", "p.m"]) {
        (Some(DayHalf::Afternoon), word.len())
    } else {
        (None, starts(&["uhr", "h", "hrs", "uur"]).map_or(0, str::len))
    };
    if unit_length > 0 {
        length += spaces + unit_length;
    }
    let is_exact = minutes.is_some() || unit_length > 0;
    let hour = number(text.get(..hour_length)).filter(|hour| hour_length <= 2 && *hour <= 24);
    let is_number_only = text.as_bytes().get(length).is_none_or(|next| !next.is_ascii_digit());
    let token = match hour {
        Some(hour) if is_number_only => {
            Token::Time(ClockTime { minutes: hour * 60 + minutes.unwrap_or(0), half, is_exact })
        }
        _ => Token::Other,
    };
    (Some(token), length)
}
