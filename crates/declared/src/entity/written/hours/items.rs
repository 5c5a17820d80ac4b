//! The days, hours and remarks of a text, in its order.

use super::clock_phrases::{read_closing_time, read_interval, read_lone_time, read_opening_time};
use super::days_before_closed::{Split, split_days};
use super::meaning::Meaning;
use super::phrases::{
    ClosedHalf, DaySet, closed_half, closed_half_before, closed_half_behind, read_days, read_pause,
};
use super::time_of_day::DayHalf;
use super::token::Token;
use super::week::{DAY, DayHours, Interval};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Days(DaySet),
    /// Days to which the hours around them do not apply.
    ExceptDays(DaySet),
    /// Days that have the hours stated before.
    AlsoDays(DaySet),
    Hours(DayHours),
    /// A closing time alone, as it may be read.
    Closing(Vec<u16>),
    /// An opening time alone, as it may be read.
    Opening(Vec<u16>),
    /// A time within the hours before it at which it is closed.
    Pause(Interval),
    /// A half of certain days at which it is closed.
    ClosedHalf(DayHalf),
    /// The same, with the days.
    ClosedHalfOf(ClosedHalf),
    /// All days that are not named are closed.
    OnlyTheseDays,
}

/// How days stand to what is said before.
enum Relation {
    Own,
    Except,
    Also,
}

/// The items of a text. None if there are none.
pub(super) fn read_items(tokens: &[Token], commas_join: bool) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let mut at = 0;
    let mut relation = Relation::Own;
    // Whether the days that are left out follow the name of a half of the day.
    let mut is_half_before = false;
    // The index behind hours, until days follow.
    let mut hours_end = None;
    while let Some(token) = tokens.get(at) {
        if let Some((interval, end)) = read_interval(tokens, at) {
            let is_pause = matches!(items.last(), Some(Item::Hours(DayHours::Open(_))))
                && is_before_closed(tokens, end);
            items.push(match interval {
                Some(pause) if is_pause => Item::Pause(pause),
                Some(interval) => Item::Hours(DayHours::Open(vec![interval])),
                None => Item::Hours(DayHours::Unknown),
            });
            if is_pause {
                at = end + 1;
                continue;
            }
            at = end;
            hours_end = Some(end);
            continue;
        }
        if is_announcement(tokens, at, commas_join) {
            at += 1;
            continue;
        }
        if let Some((closed, end)) = closed_half_before(tokens, at) {
            items.push(Item::ClosedHalfOf(closed));
            at = end;
            continue;
        }
        if let Some((days, end)) = read_days(tokens, at, commas_join) {
            // Only where hours stand before their days.
            let hours_first = matches!(items.first(), Some(Item::Hours(_)));
            let split = hours_end.take().filter(|_| commas_join && hours_first);
            match split.and_then(|hours_end| split_days(tokens, hours_end, at, end)) {
                Some(Split::Two(open, closed)) => {
                    items.extend([Item::Days(open), Item::Days(closed)]);
                    at = end;
                    continue;
                }
                Some(Split::Unclear) => return None,
                None => {}
            }
            items.push(match relation {
                Relation::Except if is_half_before => Item::Days(without(&items, days)),
                Relation::Except => Item::ExceptDays(days),
                // What others are meant is not said: `auch sonntags von 10 bis 16 Uhr`.
                Relation::Also if items.is_empty() => Item::Days(days),
                Relation::Also => Item::AlsoDays(days),
                Relation::Own => Item::Days(days),
            });
            relation = Relation::Own;
            is_half_before = false;
            at = end;
            continue;
        }
        if let Some((closing, end)) = read_closing_time(tokens, at) {
            items.push(Item::Closing(closing));
            at = end;
            continue;
        }
        if let Some((opening, end)) = read_opening_time(tokens, at) {
            items.push(Item::Opening(opening));
            at = end;
            continue;
        }
        if let Some((item, end)) = continue_times(tokens, at, &items) {
            items.push(item);
            at = end;
            continue;
        }
        at += 1;
        match token {
            Token::Stop | Token::Break => join_parts_of_day(&mut items),
            Token::Word(Meaning::Except) => {
                // `nachmittags außer Mittwoch 15–18 Uhr`
                let before = at.checked_sub(2).and_then(|before| tokens.get(before));
                is_half_before = matches!(
                    before,
                    Some(Token::Word(
                        Meaning::Morning
                            | Meaning::Afternoon
                            | Meaning::MorningPart
                            | Meaning::AfternoonPart
                    ))
                );
                relation = Relation::Except;
            }
            Token::Word(Meaning::ExceptBefore) => match items.last() {
                // In `Mo–Fr ausgenommen Mi` the days follow; in `Pazar hariç her gün` only the others do.
                Some(Item::Days(days))
                    if !days.is_every_day()
                        && (!is_before_days(tokens, at)
                            || tokens.get(at) == Some(&Token::Word(Meaning::EveryDay))) =>
                {
                    let days = *days;
                    items.pop();
                    items.push(Item::ExceptDays(days));
                }
                _ => relation = Relation::Except,
            },
            Token::Word(Meaning::Including) => {
                if is_before_days(tokens, at) {
                    relation = Relation::Also;
                } else if let Some(Item::Days(days)) = items.last() {
                    // `lunedì compreso`
                    let days = *days;
                    items.pop();
                    items.push(Item::AlsoDays(days));
                }
            }
            // In `sonst Mo–Sa` the days are named.
            Token::Word(Meaning::OtherDays) if !is_before_days(tokens, at) => {
                items.push(Item::Days(DaySet { is_rest: true, ..DaySet::every_day() }));
            }
            Token::Word(Meaning::Closed | Meaning::Pause) => {
                if let Some((pause, end)) = read_pause(tokens, at) {
                    items.push(Item::Pause(pause));
                    at = end;
                } else if let Some((closed, end)) = closed_half_behind(tokens, at, commas_join) {
                    items.push(Item::ClosedHalfOf(closed));
                    at = end;
                    // `chiuso lunedì mattina e domenica`
                    if let Some((further, end)) = further_closed_days(tokens, at) {
                        items.extend([Item::Days(further), Item::Hours(DayHours::Closed)]);
                        at = end;
                    }
                } else if *token == Token::Word(Meaning::Closed) {
                    items.push(match closed_half(tokens, at) {
                        Some(half) => Item::ClosedHalf(half),
                        None => Item::Hours(DayHours::Closed),
                    });
                }
            }
            Token::Word(Meaning::AllDay) => items.push(Item::Hours(all_day())),
            Token::Word(Meaning::Always) => {
                items.push(Item::Days(DaySet::every_day()));
                items.push(Item::Hours(all_day()));
            }
            Token::Word(Meaning::Appointment) => items.push(Item::Hours(DayHours::Unknown)),
            Token::Word(Meaning::Only) if is_only_of_days(tokens, at) => {
                items.push(Item::OnlyTheseDays);
            }
            Token::Word(Meaning::LastEntry) => {
                // The next time is not a closing time.
                let behind = tokens.iter().skip(at).take(4);
                at += behind.take_while(|token| !matches!(token, Token::Time(_))).count() + 1;
            }
            Token::Time(time) if time.minutes == DAY => items.push(Item::Hours(all_day())),
            // But not `24 High Street`.
            Token::Number(time) if time.minutes == DAY && tokens.get(at) != Some(&Token::Other) => {
                items.push(Item::Hours(all_day()));
            }
            // One time without the other.
            Token::Time(_) => items.push(Item::Hours(DayHours::Unknown)),
            _ => {}
        }
    }
    (!items.is_empty()).then_some(items)
}

/// Makes one of the hours before and after a break that end a sentence, so that days of the next sentence do not
/// get the second ones.
fn join_parts_of_day(items: &mut Vec<Item>) {
    let is_days_first = matches!(items.first(), Some(Item::Days(_)));
    let [.., Item::Days(_), Item::Hours(DayHours::Open(one)), Item::Hours(DayHours::Open(other))] =
        items.as_mut_slice()
    else {
        return;
    };
    if is_days_first {
        one.append(other);
        items.pop();
    }
}

/// Days behind “and” that end the statement, and the index behind them.
fn further_closed_days(tokens: &[Token], at: usize) -> Option<(DaySet, usize)> {
    let is_small = |token: &&Token| {
        matches!(token, Token::Other | Token::Word(Meaning::From | Meaning::Ignored))
    };
    let has_and = tokens.get(at) == Some(&Token::Word(Meaning::And));
    let start = at + 1 + tokens.iter().skip(at + 1).take(2).take_while(is_small).count();
    let (days, end) = read_days(tokens, start, false).filter(|_| has_and)?;
    matches!(tokens.get(end), None | Some(Token::Stop | Token::Break)).then_some((days, end))
}

/// Whether a word for every day stands before the days that are meant: `täglich Mo–Fr`.
fn is_announcement(tokens: &[Token], at: usize, commas_join: bool) -> bool {
    if tokens.get(at) != Some(&Token::Word(Meaning::EveryDay))
        || !matches!(tokens.get(at + 1), Some(Token::Word(Meaning::Day(_))))
    {
        return false;
    }
    let is_range = matches!(tokens.get(at + 2), Some(Token::Dash | Token::Word(Meaning::To)));
    let behind = read_days(tokens, at + 1, commas_join).and_then(|(_, end)| tokens.get(end));
    is_range && !matches!(behind, Some(Token::Word(Meaning::Closed | Meaning::ExceptBefore)))
}

/// The days named before, without some.
fn without(items: &[Item], left_out: DaySet) -> DaySet {
    let before = items.iter().rev().find_map(|item| match item {
        Item::Days(set) => Some(*set),
        _ => None,
    });
    let set = before.unwrap_or_else(DaySet::every_day);
    DaySet { days: set.days & !left_out.days, ..set }
}

/// One more time of a list of opening or closing times: `closes at 11 pm on weekdays, at midnight on
/// Saturdays`.
fn continue_times(tokens: &[Token], at: usize, items: &[Item]) -> Option<(Item, usize)> {
    let (time, end) = read_lone_time(tokens, at)?;
    // `daily 11 am to 10 pm (11 pm Fri and Sat)`
    let is_directly_before_day = matches!(tokens.get(end), Some(Token::Word(Meaning::Day(_))));
    if matches!(items, [.., Item::Hours(DayHours::Open(_))]) && is_directly_before_day {
        return Some((Item::Closing(time), end));
    }
    let [.., before, Item::Days(_)] = items else { return None };
    match before {
        Item::Closing(_) => Some((Item::Closing(time), end)),
        Item::Opening(_) => Some((Item::Opening(time), end)),
        _ => None,
    }
}

/// Whether the hours before are those of a break: `zwischen 12 und 13 Uhr geschlossen`.
fn is_before_closed(tokens: &[Token], at: usize) -> bool {
    tokens.get(at) == Some(&Token::Word(Meaning::Closed)) && !is_before_days(tokens, at + 1)
}

/// Whether “only” is about the days beside it, and not about the hours: `only on Saturdays`, `weekends only`,
/// but not `samstags nur bis 12 Uhr`. The place is behind the word.
fn is_only_of_days(tokens: &[Token], at: usize) -> bool {
    let is_behind_days = at.checked_sub(2).is_some_and(|before| is_before_days(tokens, before));
    let ends_statement =
        matches!(tokens.get(at), None | Some(Token::Joiner | Token::Stop | Token::Break));
    is_before_days(tokens, at) && !is_behind_days || is_behind_days && ends_statement
}

/// Whether days follow within the statement.
fn is_before_days(tokens: &[Token], at: usize) -> bool {
    let next = tokens.iter().skip(at).take(3).find(|token| {
        !matches!(token, Token::Other | Token::Word(Meaning::From | Meaning::Ignored | Meaning::To))
    });
    matches!(
        next,
        Some(Token::Word(
            Meaning::Day(_)
                | Meaning::EveryDay
                | Meaning::Weekdays
                | Meaning::WorkingDays
                | Meaning::Weekend
                | Meaning::Holiday
        ))
    )
}

/// The hours of a day without a break.
pub(super) fn all_day() -> DayHours {
    DayHours::Open(vec![Interval::new(0, DAY)])
}
