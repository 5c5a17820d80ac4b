//! Reads a week from the tokens of a text: days with their hours, in either order.

use super::items::{Item, all_day, read_items};
use super::meaning::Meaning;
use super::phrases::DaySet;
use super::token::Token;
use super::week::{DayHours, Week};
use super::week_builder::WeekBuilder;

/// The week that the tokens state. None if they state no hours or cannot be understood completely.
pub(super) fn read_week(tokens: &[Token]) -> Option<Week> {
    let has = |meaning: Meaning| tokens.contains(&Token::Word(meaning));
    if has(Meaning::OtherHours) || has_alternatives(tokens) {
        return None;
    }
    if has(Meaning::NeverOpen) {
        return Some(Week::always_closed());
    }
    // In `closed Monday, Tuesday to Sunday 9 to 5` the comma separates statements.
    let joined = read_statements(&read_items(tokens, true)?);
    let mut week = match joined {
        Some(week) if week.unknown_days() == 0 => week,
        joined => {
            let separate = read_items(tokens, false).and_then(|items| read_statements(&items));
            match (joined, separate) {
                (Some(joined), Some(separate)) => {
                    let is_clearer = separate.unknown_days() < joined.unknown_days();
                    if is_clearer { separate } else { joined }
                }
                (joined, separate) => joined.or(separate)?,
            }
        }
    };
    week.normalize();
    Some(week)
}

/// Whether two times are stated of which only one can be right: `until 9 or 9:30 pm`.
fn has_alternatives(tokens: &[Token]) -> bool {
    let is_time = |token: Option<&Token>| matches!(token, Some(Token::Time(_) | Token::Number(_)));
    let is_small = |token: &&Token| {
        matches!(token, Token::Other | Token::Word(Meaning::To | Meaning::From | Meaning::Ignored))
    };
    tokens.iter().enumerate().any(|(at, token)| {
        let behind = at + 1 + tokens.iter().skip(at + 1).take(2).take_while(is_small).count();
        *token == Token::Word(Meaning::Or)
            && is_time(at.checked_sub(1).and_then(|before| tokens.get(before)))
            && is_time(tokens.get(behind))
    })
}

/// Pairs days with hours. In `seven days: 7 to 3 during the week and 8 to 2 on weekends` the first days only
/// announce the others.
fn read_statements(items: &[Item]) -> Option<Week> {
    match items {
        [Item::Days(set), rest @ ..]
            if set.is_every_day()
                && rest.len() >= 4
                && rest.len().is_multiple_of(2)
                && rest.iter().enumerate().all(|(at, item)| match item {
                    Item::Hours(_) => at % 2 == 0,
                    Item::Days(_) => at % 2 == 1,
                    _ => false,
                }) =>
        {
            read_paired(rest)
        }
        _ => read_paired(items),
    }
}

fn read_paired(items: &[Item]) -> Option<Week> {
    if let Some(week) = read_hours_with_closed_days(items) {
        return Some(week);
    }
    let first =
        items.iter().find(|item| matches!(item, Item::Days(_) | Item::Hours(DayHours::Open(_))))?;
    let has_days = items.iter().any(|item| matches!(item, Item::Days(_)));
    if !has_days {
        // `Open 24 hours`
        let is_always = items.iter().all(|item| *item == Item::Hours(all_day()));
        return is_always.then(Week::always_open);
    }
    let hours_first = matches!(first, Item::Hours(_));
    let mut plan = WeekBuilder::default();
    let mut days: Option<DaySet> = None;
    let mut hours: Option<DayHours> = None;
    // The days that got hours last: further hours may be theirs.
    let mut last: Option<DaySet> = None;
    let mut closing: Option<&Vec<u16>> = None;
    let mut opening: Option<&Vec<u16>> = None;
    for (at, item) in items.iter().enumerate() {
        // In `Mon–Sat 9–5, until 8 on Thursdays, closed Sundays` the days of “closed” follow.
        let is_closed_of_next = matches!(
            (items.get(at + 1), items.get(at + 2), items.get(at + 3)),
            (Some(Item::Hours(DayHours::Closed)), Some(Item::Days(_)), None | Some(Item::Days(_)))
        );
        // `until 8 on Thursday, and 12 to 6 on Sunday`
        let is_before_hours_of_next = hours_first
            && matches!(items.get(at + 2), Some(Item::Days(_)))
            && !matches!(items.get(at + 3), Some(Item::Hours(_)));
        let next_is_hours = matches!(items.get(at + 1), Some(Item::Hours(_)));
        let next_is_days = matches!(items.get(at + 1), Some(Item::Days(_)));
        let next_is_about_days = matches!(
            items.get(at + 1),
            Some(Item::Hours(_) | Item::ClosedHalf(_) | Item::Closing(_) | Item::Opening(_))
        );
        match item {
            Item::Days(set) if closing.is_some() && hours.is_none() && days.is_none() => {
                match closing.take() {
                    Some(time)
                        if !next_is_hours || is_closed_of_next || is_before_hours_of_next =>
                    {
                        plan.close_at(*set, time);
                    }
                    _ => plan.add(*set, DayHours::Unknown),
                }
            }
            // The same days again: `around the clock, seven days a week`.
            Item::Days(set)
                if !next_is_about_days
                    && hours.is_none()
                    && opening.is_none()
                    && is_repeated(&plan, *set, last) => {}
            Item::Days(set) if opening.is_some() && hours.is_none() && days.is_none() => {
                if let Some(time) = opening.take() {
                    plan.open_at(*set, time);
                    last = Some(*set);
                }
            }
            Item::AlsoDays(set) if days.is_some() => {
                if let Some(pending) = days.as_mut() {
                    pending.days |= set.days;
                }
            }
            Item::AlsoDays(set) if !next_is_hours && hours.is_none() && last.is_some() => {
                if let Some(model) = last {
                    plan.add_like(*set, model);
                }
            }
            Item::Closing(time) => match (days.take(), last) {
                (Some(set), model) => {
                    if let Some(model) = model {
                        plan.open_like(set, model);
                    }
                    plan.close_at(set, time);
                }
                // `Mondays from 9 am, closing at 5 pm`
                (None, Some(set)) if !next_is_days && plan.lacks_closing(set) => {
                    plan.close_at(set, time);
                }
                _ => closing = Some(time),
            },
            Item::Opening(time) => match days.take() {
                Some(set) => {
                    plan.open_at(set, time);
                    last = Some(set);
                }
                None => opening = Some(time),
            },
            Item::Days(set) | Item::AlsoDays(set) => match hours.take() {
                Some(value) => {
                    plan.add(*set, value);
                    last = Some(*set);
                }
                None => {
                    if let Some(unused) = days.replace(*set) {
                        plan.add(unused, DayHours::Unknown);
                    }
                }
            },
            // `except Thursdays when it closes at 9 pm`
            Item::ExceptDays(set)
                if days.is_none()
                    && matches!(items.get(at + 1), Some(Item::Closing(_) | Item::Opening(_))) =>
            {
                days = Some(*set);
            }
            Item::ExceptDays(set) => {
                if let Some(pending) = days.as_mut().filter(|_| next_is_hours) {
                    pending.days &= !set.days;
                    plan.add(*set, DayHours::Closed);
                } else if !next_is_hours {
                    if let Some(pending) = days.as_mut() {
                        pending.days &= !set.days;
                    }
                    plan.add(*set, DayHours::Closed);
                } else {
                    days = Some(*set);
                }
            }
            Item::ClosedHalf(half) => {
                // The days are before it: `Mi nachmittags geschlossen`,
                // or they have hours: `lundi 14h–19h (fermé le matin)`.
                let set = days.take().or(last)?;
                plan.close_half(set, *half);
            }
            Item::ClosedHalfOf(closed) => plan.close_half_or_day(*closed),
            Item::OnlyTheseDays => plan.close_others(),
            Item::Pause(pause) => {
                let set = last.filter(|_| days.is_none() && hours.is_none())?;
                plan.cut(set, pause);
            }
            Item::Hours(value) => {
                if let Some(set) = days.take() {
                    plan.add(set, value.clone());
                    last = Some(set);
                    continue;
                }
                // Holidays alone are a remark: `9–12 and 2–6, may differ on holidays`.
                let is_for_next = matches!(items.get(at + 1), Some(Item::Days(set)) if set.days != 0)
                    && !matches!(items.get(at + 2), Some(Item::Hours(_) | Item::ClosedHalf(_)));
                match (value, last) {
                    (DayHours::Open(_), Some(set)) if !hours_first && !is_for_next => {
                        plan.add(set, value.clone());
                    }
                    _ => hours = Some(join_hours(hours.take(), value)?),
                }
            }
        }
    }
    if let Some(unused) = days {
        plan.add(unused, DayHours::Unknown);
    }
    // Hours of no day, unless they say nothing.
    match hours {
        // `day and night, seven days a week, 24 hours a day`
        Some(hours) if last.is_some_and(|set| plan.has_hours(set, &hours)) => Some(plan.finish()),
        Some(DayHours::Open(_) | DayHours::Closed) => None,
        _ => Some(plan.finish()),
    }
}

/// Whether days without hours were named before with them.
fn is_repeated(plan: &WeekBuilder, set: DaySet, last: Option<DaySet>) -> bool {
    last == Some(set) || set.is_every_day() && plan.is_full()
}

/// Hours of no named day, beside days that are closed: `11–20 Uhr, Montag Ruhetag`. They are the hours of
/// all other days. None for every other text.
fn read_hours_with_closed_days(items: &[Item]) -> Option<Week> {
    const CLOSED: Item = Item::Hours(DayHours::Closed);
    let mut closed = DaySet::default();
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(item) = items.get(at) {
        let next = items.get(at + 1);
        at += 1;
        match (item, next) {
            (Item::Days(set), Some(next)) if *next == CLOSED && !set.is_rest => {
                closed.days |= set.days;
                at += 1;
            }
            (item, Some(Item::Days(set))) if *item == CLOSED && !set.is_rest => {
                closed.days |= set.days;
                at += 1;
            }
            (Item::ExceptDays(set), next) if !matches!(next, Some(Item::Hours(_))) => {
                closed.days |= set.days;
            }
            (Item::Hours(DayHours::Open(list)), _) => open.extend(list.iter().cloned()),
            (Item::Hours(DayHours::Unknown), _) => {}
            _ => return None,
        }
    }
    let overlaps = open
        .iter()
        .enumerate()
        .any(|(at, one)| open.iter().skip(at + 1).any(|other| one.overlaps(other)));
    if closed.days == 0 || open.is_empty() || overlaps {
        return None;
    }
    let mut plan = WeekBuilder::default();
    plan.add(closed, DayHours::Closed);
    plan.add(DaySet { is_rest: true, ..DaySet::every_day() }, DayHours::Open(open));
    Some(plan.finish())
}

/// Several hours before the days that they are for.
fn join_hours(before: Option<DayHours>, next: &DayHours) -> Option<DayHours> {
    match (before, next) {
        (None, next) => Some(next.clone()),
        (Some(DayHours::Open(mut list)), DayHours::Open(more)) => {
            list.extend(more.iter().cloned());
            Some(DayHours::Open(list))
        }
        (Some(DayHours::Unknown), next) => Some(next.clone()),
        (Some(before), DayHours::Unknown) => Some(before),
        _ => None,
    }
}
