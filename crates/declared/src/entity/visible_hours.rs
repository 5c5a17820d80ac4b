//! Opening hours in the visible text of a page: `Open Monday to Friday, 9am to 5pm. Sunday closed.`
//!
//! Only what clearly is a statement about opening hours is read: days and times in one of a few forms,
//! after a word such as “open”, and not after one such as “kitchen” or “summer”.

use super::hours_words::{self, WordMeaning};
use super::normalize::{self, hours::DAYS, hours::OpeningHours};
use crate::page::truncate_str;

/// Bytes of text that are searched.
const MAX_BYTES: usize = 64 << 10;
/// How many runs of statements are returned.
const MAX_RUNS: usize = 10;
/// How many words before a statement may say what it is about, and how many blocks they may be away.
const CONTEXT_WORDS: usize = 8;
const CONTEXT_BREAKS: usize = 2;
const NOON: u16 = 12 * 60;

/// Statements that follow each other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct VisibleHours {
    /// As written.
    pub(super) written: String,
    /// In the form of [`OpeningHours::to_normalized`], with `closed` for days that are stated to be so.
    pub(super) normalized: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
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
struct ClockTime {
    minutes: u16,
    half: Option<DayHalf>,
    /// Whether it is written with minutes or the word for the hour: a bare number may be anything.
    is_exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DayHalf {
    Morning,
    Afternoon,
}

struct PlacedToken {
    token: Token,
    start: usize,
    end: usize,
}

/// Finds the opening hours in a text whose blocks are lines. `language` is the page's.
pub(super) fn visible_hours(text: &str, language: Option<&str>) -> Vec<VisibleHours> {
    let text = truncate_str(text, MAX_BYTES);
    let tokens = tokenize(text, language);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() && found.len() < MAX_RUNS {
        let Some(run) = parse_run(&tokens, at) else {
            at += 1;
            continue;
        };
        let first = tokens.get(at).map_or(0, |token| token.start);
        let last = tokens.get(run.end.saturating_sub(1)).map_or(first, |token| token.end);
        if is_about_opening(&tokens, at, run.end) {
            let written = text.get(first..last).unwrap_or_default();
            found.push(VisibleHours {
                written: written.split_whitespace().collect::<Vec<_>>().join(" "),
                normalized: run.normalized(),
            });
        }
        at = run.end.max(at + 1);
    }
    found
}

#[derive(Default)]
struct Run {
    days: [Option<Vec<(u16, u16)>>; 7],
    end: usize,
}

impl Run {
    fn normalized(&self) -> String {
        let mut week = OpeningHours::default();
        let mut closed = Vec::new();
        for (day, hours) in DAYS.iter().zip(&self.days) {
            match hours {
                None => {}
                Some(hours) if hours.is_empty() => closed.push(format!("{day} closed")),
                Some(hours) => {
                    let times: Vec<String> = hours
                        .iter()
                        .map(|(from, to)| {
                            format!(
                                "{:02}:{:02}-{:02}:{:02}",
                                from / 60,
                                from % 60,
                                to / 60,
                                to % 60
                            )
                        })
                        .collect();
                    week.add_text(&format!("{day} {}", times.join(",")));
                }
            }
        }
        let open = Some(week.to_normalized()).filter(|normal| !normal.is_empty());
        open.into_iter().chain(closed).collect::<Vec<_>>().join("; ")
    }
}

/// One or more statements, each about other days than those before. `None` if no time is stated.
fn parse_run(tokens: &[PlacedToken], start: usize) -> Option<Run> {
    let mut run = Run { end: start, ..Run::default() };
    let mut at = start;
    while let Some((days, hours, end)) = parse_statement(tokens, at) {
        let is_new = days.iter().all(|day| run.days.get(*day).is_some_and(Option::is_none));
        if !is_new {
            break;
        }
        for day in days {
            if let Some(slot) = run.days.get_mut(day) {
                *slot = Some(hours.clone());
            }
        }
        run.end = end;
        at = skip(tokens, end, 3, |token| {
            matches!(
                token,
                Token::Separator | Token::Break | Token::Stop | Token::Word(WordMeaning::And)
            )
        });
    }
    run.days.iter().flatten().any(|hours| !hours.is_empty()).then_some(run)
}

type Statement = (Vec<usize>, Vec<(u16, u16)>, usize);

/// Days with their hours, in either order, and the index behind them.
fn parse_statement(tokens: &[PlacedToken], at: usize) -> Option<Statement> {
    if let Some((days, behind)) = parse_days(tokens, at) {
        let behind = skip(tokens, behind, 3, |token| {
            matches!(
                token,
                Token::Separator
                    | Token::Break
                    | Token::Word(WordMeaning::From | WordMeaning::Opening)
            )
        });
        if token(tokens, behind) == Some(Token::Word(WordMeaning::Closed)) {
            return Some((days, Vec::new(), behind + 1));
        }
        let (hours, end) = parse_intervals(tokens, behind)?;
        return Some((days, hours, end));
    }
    // After a separator, the times are the rest of a statement that was not understood.
    let before = at.checked_sub(1).and_then(|before| token(tokens, before));
    if matches!(before, Some(Token::Separator | Token::Dash | Token::Time(_) | Token::Other)) {
        return None;
    }
    let (hours, behind) = parse_intervals(tokens, at)?;
    let behind = skip(tokens, behind, 2, |token| {
        matches!(token, Token::Separator | Token::Word(WordMeaning::From))
    });
    let (days, end) = parse_days(tokens, behind)?;
    Some((days, hours, end))
}

fn parse_days(tokens: &[PlacedToken], at: usize) -> Option<(Vec<usize>, usize)> {
    let day = |at| match token(tokens, at) {
        Some(Token::Word(WordMeaning::Day(day))) => Some(usize::from(day)),
        _ => None,
    };
    match token(tokens, at)? {
        Token::Word(WordMeaning::EveryDay) => return Some(((0..7).collect(), at + 1)),
        Token::Word(WordMeaning::Weekdays) => return Some(((0..5).collect(), at + 1)),
        Token::Word(WordMeaning::Weekend) => return Some((vec![5, 6], at + 1)),
        _ => {}
    }
    let mut days = vec![day(at)?];
    let mut at = at + 1;
    while let Some(next) = day(at + 1) {
        match token(tokens, at) {
            Some(Token::Dash | Token::Word(WordMeaning::To)) => {
                let from = days.last().copied().unwrap_or_default();
                // `Friday to Monday` wraps around the end of the week.
                let length = (next + 7 - from) % 7;
                days.extend((1..=length).map(|n| (from + n) % 7));
            }
            Some(Token::Separator | Token::Word(WordMeaning::And)) => days.push(next),
            _ => break,
        }
        at += 2;
        if days.len() > 7 {
            return None;
        }
    }
    Some((days, at))
}

fn parse_intervals(tokens: &[PlacedToken], at: usize) -> Option<(Vec<(u16, u16)>, usize)> {
    let mut hours = Vec::new();
    let (first, mut at) = parse_interval(tokens, at)?;
    hours.push(first);
    while hours.len() < 4 {
        let behind = skip(tokens, at, 1, |token| {
            matches!(token, Token::Separator | Token::Word(WordMeaning::And))
        });
        let Some((next, end)) = parse_interval(tokens, behind).filter(|_| behind > at) else {
            break;
        };
        hours.push(next);
        at = end;
    }
    Some((hours, at))
}

fn parse_interval(tokens: &[PlacedToken], at: usize) -> Option<((u16, u16), usize)> {
    let (Token::Time(opens), Token::Time(closes)) = (token(tokens, at)?, token(tokens, at + 2)?)
    else {
        return None;
    };
    if !matches!(token(tokens, at + 1)?, Token::Dash | Token::Word(WordMeaning::To)) {
        return None;
    }
    let closes_at = minutes_of(closes, closes.half)?;
    let opens_at = match (opens.half, closes.half) {
        (Some(half), _) => minutes_of(opens, Some(half))?,
        // `1–5pm` is in the afternoon, `9–5pm` begins in the morning.
        (None, Some(half)) => minutes_of(opens, Some(half))
            .filter(|minutes| *minutes < closes_at)
            .or_else(|| minutes_of(opens, Some(DayHalf::Morning)))?,
        (None, None) => opens.minutes,
    };
    let is_exact = [opens, closes].iter().any(|time| time.is_exact);
    // `9–5` without more may be anything.
    (is_exact && opens_at < closes_at).then_some(((opens_at, closes_at), at + 3))
}

fn minutes_of(time: ClockTime, half: Option<DayHalf>) -> Option<u16> {
    match half {
        None => Some(time.minutes),
        Some(_) if !(60..13 * 60).contains(&time.minutes) => None,
        Some(DayHalf::Morning) => Some(time.minutes % NOON),
        Some(DayHalf::Afternoon) => Some(time.minutes % NOON + NOON),
    }
}

fn token(tokens: &[PlacedToken], at: usize) -> Option<Token> {
    tokens.get(at).map(|placed| placed.token)
}

fn skip(tokens: &[PlacedToken], at: usize, most: usize, what: impl Fn(Token) -> bool) -> usize {
    let skipped = tokens.iter().skip(at).take(most).take_while(|placed| what(placed.token));
    at + skipped.count()
}

/// Whether the words before and inside a run say that it is about opening hours in general.
fn is_about_opening(tokens: &[PlacedToken], start: usize, end: usize) -> bool {
    let (mut words, mut breaks) = (0, 0);
    let mut before = Vec::new();
    for placed in tokens.iter().take(start).rev() {
        match placed.token {
            Token::Break => breaks += 1,
            Token::Word(meaning) => {
                words += 1;
                before.push(meaning);
            }
            _ => {}
        }
        if words >= CONTEXT_WORDS || breaks > CONTEXT_BREAKS {
            break;
        }
    }
    let inside =
        tokens.iter().skip(start).take(end - start).filter_map(|placed| match placed.token {
            Token::Word(meaning) => Some(meaning),
            _ => None,
        });
    let all: Vec<WordMeaning> = before.into_iter().chain(inside).collect();
    all.contains(&WordMeaning::Opening) && !all.contains(&WordMeaning::OtherHours)
}

fn tokenize(text: &str, language: Option<&str>) -> Vec<PlacedToken> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let start = text.len() - rest.len();
        let (token, length) = if c.is_ascii_digit() {
            read_time(rest)
        } else if c.is_alphabetic() {
            let length = rest
                .find(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
                .unwrap_or(rest.len());
            let word = normalize::fold(truncate_str(rest.get(..length).unwrap_or_default(), 40));
            let meaning = hours_words::meaning(&word, language);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, language: &str) -> Vec<String> {
        visible_hours(text, Some(language)).into_iter().map(|hours| hours.normalized).collect()
    }

    const WEEK: &str =
        "Mo 09:00-17:00; Tu 09:00-17:00; We 09:00-17:00; Th 09:00-17:00; Fr 09:00-17:00";

    #[test]
    fn hours_have_many_forms() {
        for (text, language) in [
            ("Open Monday to Friday, 9am to 5pm.", "en"),
            ("Opening hours\nMon–Fri 9–5pm\n", "en"),
            ("Opening hours: Mon. - Fri. 9:00 am - 5:00 p.m.", "en"),
            ("We are open 9am–5pm Monday to Friday", "en-GB"),
            (
                "Opening times\nMonday\n09:00 – 17:00\nTuesday\n09:00 – 17:00\nWednesday\n09:00 – 17:00\n\
              Thursday\n09:00 – 17:00\nFriday\n09:00 – 17:00\n",
                "en",
            ),
            ("Öffnungszeiten: Mo–Fr 9–17 Uhr", "de"),
            ("Geöffnet Montag bis Freitag von 9.00 bis 17.00 Uhr", "de"),
            ("Horaires d'ouverture : du lundi au vendredi de 9h00 à 17h00", "fr"),
            ("Horario: lunes a viernes, de 9:00 a 17:00", "es"),
            ("Open weekdays 9am-5pm", "en"),
        ] {
            assert_eq!(found(text, language), [WEEK], "{text}");
        }
        assert_eq!(
            found("Open Mon–Tue 9–12 am, 2–5pm; Sat 10am–2pm, Sunday closed", "en"),
            ["Sa 10:00-14:00; Su closed"],
            "9 to 12 am is no time of a shop"
        );
        assert_eq!(
            found("Open Mon–Tue 9:00–12:00, 14:00–17:00; Sat 10am–2pm, Sunday closed", "en"),
            ["Mo 09:00-12:00,14:00-17:00; Tu 09:00-12:00,14:00-17:00; Sa 10:00-14:00; Su closed"]
        );
        let written = visible_hours("Open Monday  to Friday, 9am to 5pm. Call us.", Some("en"));
        assert_eq!(written[0].written, "Monday to Friday, 9am to 5pm");
    }

    #[test]
    fn what_is_not_about_opening_is_left_out() {
        for text in [
            "The market is held Monday to Friday 9am to 5pm.",
            "Open all year. Kitchen: Monday to Friday 12:00–14:00",
            "Open in summer: Monday to Friday 9am to 5pm",
            "Opening hours\nTelephone Mon–Fri 9am–5pm",
            "Open Monday to Friday",
            "Open Monday 9–5",
            "Open Monday 2026-10-02",
            "Opening on Monday, 12 May 2026 at 19:00",
        ] {
            assert_eq!(found(text, "en"), [""; 0], "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_few_hours(text in "(Open |Mon|Tuesday|–|-| to | |9|17:00|am|pm|\\.|,|\n|closed|Uhr|\\PC){0,60}") {
            for language in [None, Some("en"), Some("de")] {
                proptest::prop_assert!(visible_hours(&text, language).len() <= MAX_RUNS);
            }
        }
    }
}
