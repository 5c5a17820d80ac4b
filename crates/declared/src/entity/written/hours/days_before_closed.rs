//! Days behind hours, of which the last are closed: `9–17 Mon–Fri, Sat and Sun closed`.

use super::meaning::Meaning;
use super::phrases::{DaySet, read_days};
use super::token::Token;

/// How the days between hours and the word for closed are meant.
pub(super) enum Split {
    /// Days with the hours before them, and days that are closed.
    Two(DaySet, DaySet),
    /// Nobody can tell where the closed days begin.
    Unclear,
}

/// Splits the days at a place of the tokens up to an index. None if nothing is to be split. `hours_end` is the
/// index behind the hours before the days.
pub(super) fn split_days(
    tokens: &[Token],
    hours_end: usize,
    start: usize,
    end: usize,
) -> Option<Split> {
    let is_separator = |token: &Token| matches!(token, Token::Joiner | Token::Stop | Token::Break);
    let has_separator = tokens.get(hours_end..start)?.iter().any(is_separator);
    // `Sunday – closed`
    let is_meant = |token: &&Token| !is_small(token) && **token != Token::Dash;
    let mut behind = tokens.iter().skip(end).filter(is_meant);
    let is_closed = behind.next() == Some(&Token::Word(Meaning::Closed));
    // `Tue, Thu. Closed Sat, Sun`
    let closes_others = matches!(behind.next(), Some(Token::Word(Meaning::Day(_))));
    if has_separator || !is_closed || closes_others {
        return None;
    }
    let places = split_places(tokens.get(start..end)?);
    let place = match places.as_slice() {
        [] => return None,
        [(only, _)] => *only,
        several => match several.iter().find(|(_, is_behind_list)| *is_behind_list) {
            Some((place, _)) => *place,
            None => return Some(Split::Unclear),
        },
    };
    let (open, _) = read_days(tokens.get(..start + place)?, start, true)?;
    let behind = tokens.get(..end)?.iter().skip(start + place);
    let gap = behind.take_while(|token| is_separator(token) || is_small(token)).count();
    let (closed, _) = read_days(tokens.get(..end)?, start + place + gap, true)?;
    Some(Split::Two(open, closed))
}

fn is_small(token: &Token) -> bool {
    matches!(token, Token::Other | Token::Word(Meaning::From | Meaning::Ignored))
}

/// Where days may be split, and whether a range or an “and” before it says that a list has ended.
fn split_places(tokens: &[Token]) -> Vec<(usize, bool)> {
    let mut places = Vec::new();
    let mut is_behind_list = false;
    let mut is_behind_day = false;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Joiner => {
                places.push((at, is_behind_list));
                is_behind_day = false;
            }
            Token::Dash | Token::Word(Meaning::To | Meaning::And) => {
                is_behind_list = true;
                is_behind_day = false;
            }
            // Two days without anything between them: `Sat. Sun closed`.
            Token::Word(Meaning::Day(_)) if is_behind_day => places.push((at, true)),
            Token::Word(Meaning::Day(_)) => is_behind_day = true,
            _ => {}
        }
    }
    places
}
