//! Opening hours in the visible text of a page: `Open Monday to Friday, 9am to 5pm. Sunday closed.`
//!
//! Only what clearly is a statement about opening hours is read: days and times in one of a few forms,
//! after a word such as “open”, and not after one such as “kitchen” or “summer”.

mod tokens;

use super::hours_words::WordMeaning;
use super::normalize::{hours::DAYS, hours::OpeningHours};
use crate::page::truncate_str;
use tokens::{ClockTime, DayHalf, PlacedToken, Token, tokenize};

/// Bytes of text that are searched.
const MAX_BYTES: usize = 64 << 10;
/// How many runs of statements are returned.
const MAX_RUNS: usize = 10;
/// How many words before a statement may say what it is about, and how many blocks they may be away.
const CONTEXT_WORDS: usize = 8;
const CONTEXT_BREAKS: usize = 2;
/// How many days a row of a table must have to be its head.
const MIN_COLUMNS: usize = 3;
const NOON: u16 = 12 * 60;

/// Statements that follow each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct VisibleHours {
    /// As written.
    pub(crate) written: String,
    /// In the form of [`OpeningHours::to_normalized`], with `closed` for days that are stated to be so.
    pub(crate) normalized: String,
}

/// Finds the opening hours in a text whose blocks are lines. `language` is the page's.
pub(crate) fn visible_hours(text: &str, language: Option<&str>) -> Vec<VisibleHours> {
    let text = truncate_str(text, MAX_BYTES);
    let tokens = tokenize(text, language);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() && found.len() < MAX_RUNS {
        let run = Some(at).filter(|at| may_start_run(&tokens, *at));
        let Some(run) = run.and_then(|at| parse_run(&tokens, at)) else {
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

/// Whether statements may start here: with days or with a time. Nearly no word is either.
fn may_start_run(tokens: &[PlacedToken], at: usize) -> bool {
    use WordMeaning::{Day, EveryDay, Weekdays, Weekend};
    matches!(
        token(tokens, at),
        Some(Token::Time(_) | Token::Word(Day(_) | EveryDay | Weekdays | Weekend))
    )
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
    if let Some(run) = parse_header_row(tokens, start) {
        return Some(run);
    }
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

/// A table with the days in its first row and their hours in the second, cell by cell.
fn parse_header_row(tokens: &[PlacedToken], start: usize) -> Option<Run> {
    let is_break = |at: usize| token(tokens, at) == Some(Token::Break);
    let mut days = Vec::new();
    let mut at = start;
    while let Some((day, behind)) = parse_days(tokens, at).filter(|(_, end)| is_break(*end)) {
        days.push(day);
        at = behind + 1;
    }
    if days.len() < MIN_COLUMNS {
        return None;
    }
    let mut run = Run { end: start, ..Run::default() };
    let columns = days.len();
    for (column, days) in days.into_iter().enumerate() {
        let is_closed = token(tokens, at) == Some(Token::Word(WordMeaning::Closed));
        let (hours, behind) =
            if is_closed { (Vec::new(), at + 1) } else { parse_intervals(tokens, at, false)? };
        for day in days {
            let slot = run.days.get_mut(day).filter(|slot| slot.is_none())?;
            *slot = Some(hours.clone());
        }
        run.end = behind;
        if column + 1 < columns && !is_break(behind) {
            return None;
        }
        at = behind + 1;
    }
    run.days.iter().flatten().any(|hours| !hours.is_empty()).then_some(run)
}

/// Whether a day follows another in the first row of a table. The next hours are not its own.
fn is_in_header_row(tokens: &[PlacedToken], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).and_then(|at| token(tokens, at));
    before(1) == Some(Token::Break) && matches!(before(2), Some(Token::Word(WordMeaning::Day(_))))
}

type Statement = (Vec<usize>, Vec<(u16, u16)>, usize);

/// Days with their hours, in either order, and the index behind them.
fn parse_statement(tokens: &[PlacedToken], at: usize) -> Option<Statement> {
    if let Some((days, behind)) = parse_days(tokens, at) {
        if is_in_header_row(tokens, at) {
            return None;
        }
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
        let (hours, end) = parse_intervals(tokens, behind, true)?;
        return Some((days, hours, end));
    }
    // After a separator, the times are the rest of a statement that was not understood.
    let before = at.checked_sub(1).and_then(|before| token(tokens, before));
    if matches!(before, Some(Token::Separator | Token::Dash | Token::Time(_) | Token::Other)) {
        return None;
    }
    let (hours, behind) = parse_intervals(tokens, at, false)?;
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

/// Several intervals. With `over_breaks` they may be in cells or on lines of their own, unless a day follows
/// on the same line, whose hours they are.
fn parse_intervals(
    tokens: &[PlacedToken],
    at: usize,
    over_breaks: bool,
) -> Option<(Vec<(u16, u16)>, usize)> {
    let mut hours = Vec::new();
    let (first, mut at) = parse_interval(tokens, at)?;
    hours.push(first);
    while hours.len() < 4 {
        let is_break = over_breaks && token(tokens, at) == Some(Token::Break);
        let behind = skip(tokens, at, 1, |token| {
            matches!(token, Token::Separator | Token::Word(WordMeaning::And))
                || is_break && token == Token::Break
        });
        let Some((next, end)) = parse_interval(tokens, behind).filter(|_| behind > at) else {
            break;
        };
        if is_break {
            let next_word = skip(tokens, end, 2, |token| {
                matches!(token, Token::Separator | Token::Word(WordMeaning::From))
            });
            if parse_days(tokens, next_word).is_some() {
                break;
            }
        }
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

#[cfg(test)]
mod tests;
