//! Times and hours at a place of the tokens.

use super::meaning::Meaning;
use super::readings;
use super::time_of_day::{DayHalf, WrittenTime};
use super::token::Token;
use super::week::{DAY, Interval};

/// Opening and closing time, and the index behind them. The interval is none if no reading makes sense.
pub(super) fn read_interval(tokens: &[Token], at: usize) -> Option<(Option<Interval>, usize)> {
    let (opens, behind) = read_time(tokens, at)?;
    let is_between = at
        .checked_sub(1)
        .is_some_and(|before| tokens.get(before) == Some(&Token::Word(Meaning::Between)));
    let joined = match tokens.get(behind)? {
        Token::Dash | Token::Word(Meaning::To) => true,
        // `opens at 9 and closes at 5`
        Token::Word(Meaning::And) => {
            let mut rest = tokens.iter().skip(behind + 1).take(3);
            let closes =
                rest.find(|token| !matches!(token, Token::Other | Token::Word(Meaning::Ignored)));
            is_between || closes == Some(&Token::Word(Meaning::To))
        }
        _ => false,
    };
    let mut next = behind + 1;
    // `9 – bis 17`, `de 9 a las 17`
    let filler = tokens.iter().skip(next).take(4).take_while(|token| is_filler(token));
    next += filler.count();
    let (closes, end) = read_time(tokens, next).filter(|_| joined)?;
    let is_bare = |at: usize| matches!(tokens.get(at), Some(Token::Number(_)));
    let interval = readings::interval(opens, closes).map(|interval| Interval {
        is_doubtful: interval.is_doubtful
            || is_bare(at) && is_bare(next) && readings::may_be_either_half(opens, closes),
        ..interval
    });
    Some((interval, end))
}

/// Whether a time stands at this place.
pub(super) fn is_time(tokens: &[Token], at: usize) -> bool {
    read_time(tokens, at).is_some()
}

fn is_filler(token: &Token) -> bool {
    matches!(
        token,
        Token::Other | Token::Dash | Token::Word(Meaning::To | Meaning::From | Meaning::Ignored)
    )
}

/// The minutes that a closing time alone may mean, and the index behind it: `until 6 pm`. The place is that
/// of the word before the time.
pub(super) fn read_closing_time(tokens: &[Token], at: usize) -> Option<(Vec<u16>, usize)> {
    read_single_time(tokens, at, Meaning::To)
}

/// The same of an opening time alone: `opens at 9 am`.
pub(super) fn read_opening_time(tokens: &[Token], at: usize) -> Option<(Vec<u16>, usize)> {
    read_single_time(tokens, at, Meaning::From)
}

/// A time at this place that is no part of an interval. A number alone is none.
pub(super) fn read_lone_time(tokens: &[Token], at: usize) -> Option<(Vec<u16>, usize)> {
    let (time, end) = read_time(tokens, at)?;
    let is_number = matches!(tokens.get(at), Some(Token::Number(_))) && time.half.is_none();
    (!is_number && read_interval(tokens, at).is_none()).then(|| (readings::minutes(time), end))
}

/// A time that is no part of an interval, behind a word that tells what happens then.
fn read_single_time(tokens: &[Token], at: usize, before: Meaning) -> Option<(Vec<u16>, usize)> {
    if tokens.get(at) != Some(&Token::Word(before)) {
        return None;
    }
    let filler = tokens.iter().skip(at + 1).take(2).take_while(|token| {
        matches!(token, Token::Other | Token::Word(Meaning::From | Meaning::Ignored | Meaning::To))
    });
    let start = at + 1 + filler.count();
    let (time, end) = read_time(tokens, start)?;
    // `a 5 minutos`, `à 200 m` are no times, and neither is one that opens.
    let is_number = matches!(tokens.get(start), Some(Token::Number(_)));
    let is_before_day = matches!(tokens.get(end + 1), Some(Token::Word(Meaning::Day(_))));
    let is_other = is_number && tokens.get(end) == Some(&Token::Other) && !is_before_day;
    let is_opening = read_interval(tokens, start).is_some();
    // `a mediodía (13:00–16:00)`: the name of a meal.
    let is_meal = tokens.get(start) == Some(&Token::Word(Meaning::Noon))
        && read_interval(tokens, end).is_some();
    (!is_other && !is_opening && !is_meal).then(|| (readings::minutes(time), end))
}

/// A time at this place, and the index behind it.
fn read_time(tokens: &[Token], at: usize) -> Option<(WrittenTime, usize)> {
    let mut at = at;
    let half_before = part_of_day(tokens.get(at));
    at += usize::from(half_before.is_some());
    // `midi 12h`, `中午12点`
    let is_noon_before = tokens.get(at) == Some(&Token::Word(Meaning::Noon))
        && matches!(tokens.get(at + 1), Some(Token::Time(time)) if time.hour() == 12);
    at += usize::from(is_noon_before);
    let shift = match tokens.get(at)? {
        Token::Word(Meaning::BeforeHour(minutes)) => Some(*minutes),
        _ => None,
    };
    at += usize::from(shift.is_some());
    let mut time = hour_at(tokens.get(at)?)?;
    let is_word = matches!(tokens.get(at), Some(Token::Word(_)));
    at += 1;
    // `12 noon`
    if let Some(Token::Word(meaning @ (Meaning::Noon | Meaning::Midnight))) = tokens.get(at)
        && time.hour() == 12
    {
        time = certain(if *meaning == Meaning::Noon { DAY / 2 } else { 0 });
        at += 1;
    }
    // `sept heures et demie`, `achtzehn Uhr`
    let is_hour_word = |at| tokens.get(at) == Some(&Token::Word(Meaning::Ignored));
    let behind = at + usize::from(is_hour_word(at));
    let mut behind_shift = None;
    if let Some(Token::Word(Meaning::BehindHour(minutes))) = tokens.get(behind) {
        behind_shift = Some(*minutes);
        at = behind + 1;
    } else if is_hour_word(at) && (is_word || is_joining(tokens.get(at + 1))) {
        // `neun Uhr`, `de 9 heures à 17 heures`
        at += 1;
    }
    if let Some(minutes) = shift.or(behind_shift) {
        time.is_full_clock &= shift.is_none();
        // Half an hour before one is half past twelve.
        if time.minutes <= 60 && !time.is_full_clock {
            time.minutes += DAY / 2;
        }
        time.minutes = time.minutes.checked_add_signed(minutes)?;
    }
    let mut half_after = part_of_day(tokens.get(at));
    if half_after.is_some() {
        at += 1;
    } else if matches!(tokens.get(at), Some(Token::Other | Token::Word(Meaning::Ignored))) {
        // `12 uur 's middags`, `8 Uhr am Abend`
        half_after = part_of_day(tokens.get(at + 1)).filter(|_| {
            // The part of the day of the next time: `sabah 10 ile akşam 10`.
            !matches!(tokens.get(at + 2), Some(Token::Time(_) | Token::Number(_)))
        });
        at += if half_after.is_some() { 2 } else { 0 };
    }
    if let Some(part) = half_before.or(half_after)
        && time.hour() <= 12
    {
        time.half = Some(half_of(part, time.hour()));
    }
    Some((time, at))
}

/// Whether a closing time may follow.
fn is_joining(token: Option<&Token>) -> bool {
    matches!(token, Some(Token::Dash | Token::Word(Meaning::To | Meaning::And)))
}

fn certain(minutes: u16) -> WrittenTime {
    WrittenTime { minutes, half: None, is_full_clock: true }
}

fn hour_at(token: &Token) -> Option<WrittenTime> {
    Some(match token {
        Token::Time(time) | Token::Number(time) => *time,
        Token::Word(Meaning::Hour(hour)) => {
            let minutes = u16::from(*hour) * 60;
            WrittenTime { minutes, half: None, is_full_clock: false }
        }
        Token::Word(Meaning::Noon) => certain(DAY / 2),
        Token::Word(Meaning::Midnight) => certain(0),
        _ => return None,
    })
}

fn part_of_day(token: Option<&Token>) -> Option<Meaning> {
    match token? {
        Token::Word(meaning @ (Meaning::Morning | Meaning::Afternoon | Meaning::Night)) => {
            Some(*meaning)
        }
        _ => None,
    }
}

/// The half of the day of an hour up to twelve. Twelve at night is midnight, and so are the hours after it.
fn half_of(part: Meaning, hour: u16) -> DayHalf {
    match part {
        Meaning::Morning => DayHalf::Morning,
        Meaning::Night if hour == 12 || hour < 6 => DayHalf::Morning,
        _ => DayHalf::Afternoon,
    }
}
