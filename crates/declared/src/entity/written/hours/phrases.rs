//! Days, times and breaks at a place of the tokens.

use super::meaning::Meaning;
use super::readings;
use super::time_of_day::{DayHalf, WrittenTime};
use super::tokens::Token;
use super::week::{DAY, Interval};

/// A set of days from Monday, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct DaySet {
    pub(super) days: u8,
    /// Whether Saturday may belong to it.
    pub(super) may_have_saturday: bool,
}

pub(super) const EVERY_DAY: u8 = 0b111_1111;
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
            }
            // `Sonn- und feiertags`
            (true, _, None) if more.days == 0 => {}
            // `Monday to weekend`
            (true, _, _) => return None,
            _ => {
                set.days |= more.days;
                set.may_have_saturday |= more.may_have_saturday;
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
    Some((DaySet { days, may_have_saturday }, day))
}

/// Opening and closing time, and the index behind them. The interval is none if no reading makes sense.
pub(super) fn read_interval(tokens: &[Token], at: usize) -> Option<(Option<Interval>, usize)> {
    let (opens, behind) = read_time(tokens, at)?;
    let is_between = at
        .checked_sub(1)
        .is_some_and(|before| tokens.get(before) == Some(&Token::Word(Meaning::Between)));
    let joined = match tokens.get(behind)? {
        Token::Dash | Token::Word(Meaning::To) => true,
        Token::Word(Meaning::And) => is_between,
        _ => false,
    };
    let mut next = behind + 1;
    // `9 – bis 17`, `de 9 a las 17`
    let filler = tokens.iter().skip(next).take(2).take_while(|token| {
        matches!(token, Token::Other | Token::Dash | Token::Word(Meaning::To | Meaning::From))
    });
    next += filler.count();
    let (closes, end) = read_time(tokens, next).filter(|_| joined)?;
    Some((readings::interval(opens, closes), end))
}

/// A time at this place, and the index behind it.
fn read_time(tokens: &[Token], at: usize) -> Option<(WrittenTime, usize)> {
    let certain = |minutes| WrittenTime { minutes, half: None, is_full_clock: true };
    let bare =
        |hour: u8| WrittenTime { minutes: u16::from(hour) * 60, half: None, is_full_clock: false };
    let mut at = at;
    let mut half_before = None;
    if let Some(Token::Word(meaning @ (Meaning::Morning | Meaning::Afternoon))) = tokens.get(at) {
        half_before = Some(*meaning);
        at += 1;
    }
    let shift = match tokens.get(at)? {
        Token::Word(Meaning::HalfBefore) => Some(-30),
        Token::Word(Meaning::HalfPast) => Some(30),
        _ => None,
    };
    at += usize::from(shift.is_some());
    let mut time = match tokens.get(at)? {
        Token::Time(time) | Token::Number(time) => *time,
        Token::Word(Meaning::Hour(hour)) => bare(*hour),
        Token::Word(Meaning::Noon) => certain(DAY / 2),
        Token::Word(Meaning::Midnight) => certain(0),
        _ => return None,
    };
    at += 1;
    // `12 noon`
    if let Some(Token::Word(meaning @ (Meaning::Noon | Meaning::Midnight))) = tokens.get(at)
        && time.hour() == 12
    {
        time = certain(if *meaning == Meaning::Noon { DAY / 2 } else { 0 });
        at += 1;
    }
    if tokens.get(at) == Some(&Token::Word(Meaning::AndHalf)) {
        time.minutes += 30;
        at += 1;
    }
    if let Some(shift) = shift {
        time.minutes = time.minutes.checked_add_signed(shift)?;
        time.is_full_clock = false;
    }
    let half_after = match tokens.get(at) {
        Some(Token::Word(meaning @ (Meaning::Morning | Meaning::Afternoon))) => {
            at += 1;
            Some(*meaning)
        }
        _ => None,
    };
    if let Some(half) = half_before.or(half_after)
        && time.hour() <= 12
    {
        time.half =
            Some(if half == Meaning::Morning { DayHalf::Morning } else { DayHalf::Afternoon });
    }
    Some((time, at))
}

/// The time of a break, and the index behind it: `closed for lunch 12 to 1`.
pub(super) fn read_pause(tokens: &[Token], at: usize) -> Option<(Interval, usize)> {
    let filler = tokens.iter().skip(at).take(4).take_while(|token| {
        matches!(
            token,
            Token::Other | Token::Word(Meaning::From | Meaning::Between | Meaning::Noon)
        )
    });
    let (interval, end) = read_interval(tokens, at + filler.count())?;
    // `closed 9–5 Monday` would be hours of days.
    let is_for_days = tokens.get(end).is_some_and(|next| {
        matches!(next, Token::Word(Meaning::Day(_) | Meaning::Weekdays | Meaning::Weekend))
    });
    interval.filter(|_| !is_for_days).map(|interval| (interval, end))
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
