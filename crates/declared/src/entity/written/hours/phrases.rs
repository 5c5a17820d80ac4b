//! Days and breaks at a place of the tokens.

use super::clock_phrases::read_interval;
use super::meaning::Meaning;
use super::time_of_day::DayHalf;
use super::token::Token;
use super::week::Interval;

/// Days of which a half is closed, as bits. Those before the last may be closed altogether: `chiuso la domenica
/// e il lunedì mattina`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClosedHalf {
    pub(super) days: u8,
    pub(super) last: u8,
    pub(super) half: DayHalf,
}

/// A set of days from Monday, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct DaySet {
    pub(super) days: u8,
    /// Whether Saturday may belong to it.
    pub(super) may_have_saturday: bool,
    /// Whether it is only about days that nothing else is said about.
    pub(super) is_rest: bool,
}

impl DaySet {
    pub(super) fn every_day() -> Self {
        Self { days: EVERY_DAY, ..Self::default() }
    }

    pub(super) fn is_every_day(self) -> bool {
        self.days == EVERY_DAY
    }
}

const EVERY_DAY: u8 = 0b111_1111;
const WEEKDAYS: u8 = 0b001_1111;
const WEEKEND: u8 = 0b110_0000;

/// A day, or several joined by dashes and commas, and the index behind them.
pub(super) fn read_days(tokens: &[Token], at: usize, commas_join: bool) -> Option<(DaySet, usize)> {
    let mut set = DaySet::default();
    let (first, mut last_day) = read_day_word(tokens, at)?;
    set.days |= first.days;
    set.may_have_saturday |= first.may_have_saturday;
    let mut at = at + 1;
    loop {
        let mut next = at;
        let mut is_range = false;
        let mut is_joined = true;
        let mut skipped = 0;
        while let Some(token) = tokens.get(next) {
            match token {
                // `vrijdag- en zaterdagavond`
                Token::Dash if tokens.get(next + 1) == Some(&Token::Word(Meaning::And)) => {}
                Token::Dash | Token::Word(Meaning::To) => is_range = true,
                Token::Joiner if commas_join => {}
                Token::Joiner => is_joined = false,
                Token::Word(Meaning::And) => is_joined = true,
                Token::Other | Token::Word(Meaning::From | Meaning::Ignored) if skipped < 2 => {
                    skipped += 1;
                }
                _ => break,
            }
            next += 1;
            if next - at > 4 {
                break;
            }
        }
        let Some((more, day)) = read_day_word(tokens, next).filter(|_| is_joined) else { break };
        match (is_range, last_day, day) {
            (true, Some(from), Some(to)) => {
                let length = (to + 7 - from) % 7;
                for n in 0..=length {
                    set.days |= 1 << ((from + n) % 7);
                }
                // `on working days from Monday to Friday`
                set.may_have_saturday = false;
            }
            // `Sonn- und feiertags`
            (true, _, None) if more.days == 0 => {}
            // `Monday to weekend`
            (true, _, _) => return None,
            _ => {
                set.days |= more.days;
                // `werktags von Montag bis Freitag`
                let are_named = more.days == WEEKDAYS && !more.may_have_saturday;
                set.may_have_saturday |= more.may_have_saturday;
                set.may_have_saturday &= !are_named;
            }
        }
        last_day = day;
        at = next + 1;
    }
    Some((set, at))
}

/// The days of a word, and the day if it is a single one. Holidays are no days of the week.
fn read_day_word(tokens: &[Token], at: usize) -> Option<(DaySet, Option<u8>)> {
    let Token::Word(meaning) = tokens.get(at)? else { return None };
    let (days, day) = match meaning {
        Meaning::Day(day) => (1 << day, Some(*day)),
        Meaning::EveryDay => (EVERY_DAY, None),
        Meaning::Weekdays | Meaning::WorkingDays => (WEEKDAYS, None),
        Meaning::Weekend => (WEEKEND, None),
        Meaning::Holiday => (0, None),
        _ => return None,
    };
    let may_have_saturday = *meaning == Meaning::WorkingDays;
    Some((DaySet { days, may_have_saturday, is_rest: false }, day))
}

/// The time of a break, and the index behind it: `closed for lunch 12 to 1`.
pub(super) fn read_pause(tokens: &[Token], at: usize) -> Option<(Interval, usize)> {
    let filler = tokens.iter().skip(at).take(4).take_while(|token| {
        matches!(
            token,
            Token::Other | Token::Word(Meaning::From | Meaning::Between | Meaning::Noon)
        )
    });
    // `fermé midi 12h–14h`, but `closed for lunch noon–1 pm`
    let (interval, end) =
        (0..=filler.count()).find_map(|skipped| read_interval(tokens, at + skipped))?;
    // `closed 9–5 Monday` would be hours of days.
    let is_for_days = tokens.get(end).is_some_and(|next| {
        matches!(next, Token::Word(Meaning::Day(_) | Meaning::Weekdays | Meaning::Weekend))
    });
    interval.filter(|_| !is_for_days).map(|interval| (interval, end))
}

/// Days of which one half is closed, behind the word for closed, and the index behind them: `chiuso il giovedì
/// pomeriggio`.
pub(super) fn closed_half_behind(
    tokens: &[Token],
    at: usize,
    commas_join: bool,
) -> Option<(ClosedHalf, usize)> {
    let is_small = |token: &&Token| {
        matches!(token, Token::Other | Token::Word(Meaning::From | Meaning::Ignored | Meaning::To))
    };
    let start = at + tokens.iter().skip(at).take(2).take_while(is_small).count();
    let (all, end) = read_days(tokens, start, commas_join)?;
    let last = tokens.iter().take(end).rev().find_map(|token| match token {
        Token::Word(Meaning::Day(day)) => Some(1 << day),
        _ => None,
    })?;
    let end = end + tokens.iter().skip(end).take(1).take_while(is_small).count();
    let half = half_at(tokens, end)?;
    // `closed Mondays, afternoons 2 to 6` are hours.
    read_interval(tokens, end + 1)
        .is_none()
        .then_some((ClosedHalf { days: all.days & !last, last, half }, end + 1))
}

/// The same before the word for closed: `am Montagmorgen bleibt der Laden zu`.
pub(super) fn closed_half_before(tokens: &[Token], at: usize) -> Option<(ClosedHalf, usize)> {
    const MAX_WORDS: usize = 6;
    let is_small = |token: &&Token| {
        matches!(token, Token::Other | Token::Word(Meaning::From | Meaning::Ignored))
    };
    let (set, end) = read_days(tokens, at, false).filter(|(set, _)| set.days != 0)?;
    let part = end + tokens.iter().skip(end).take(1).take_while(is_small).count();
    let half = half_at(tokens, part)?;
    let filler = tokens.iter().skip(part + 1).take(MAX_WORDS).take_while(is_small).count();
    let closed = part + 1 + filler;
    (tokens.get(closed) == Some(&Token::Word(Meaning::Closed)))
        .then_some((ClosedHalf { days: 0, last: set.days, half }, closed + 1))
}

fn half_at(tokens: &[Token], at: usize) -> Option<DayHalf> {
    match tokens.get(at)? {
        Token::Word(Meaning::MorningPart | Meaning::Morning) => Some(DayHalf::Morning),
        Token::Word(Meaning::AfternoonPart | Meaning::Afternoon) => Some(DayHalf::Afternoon),
        _ => None,
    }
}

/// The half of a day that alone is closed: `Mi nachmittags geschlossen`. `behind` is the index behind the
/// word for closed.
pub(super) fn closed_half(tokens: &[Token], behind: usize) -> Option<DayHalf> {
    tokens.iter().skip(behind.saturating_sub(3)).take(4).find_map(|token| match token {
        Token::Word(Meaning::MorningPart | Meaning::Morning) => Some(DayHalf::Morning),
        Token::Word(Meaning::AfternoonPart | Meaning::Afternoon) => Some(DayHalf::Afternoon),
        _ => None,
    })
}
