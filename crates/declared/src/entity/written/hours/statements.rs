//! Reads a week from the tokens of a text: days with their hours, in either order.

use super::meaning::Meaning;
use super::phrases::{DaySet, EVERY_DAY, closed_half, read_days, read_interval, read_pause};
use super::time_of_day::DayHalf;
use super::tokens::Token;
use super::week::{DAY, DayHours, Interval, Week};

const SATURDAY: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Days(DaySet),
    /// Days to which the hours around them do not apply.
    ExceptDays(DaySet),
    Hours(DayHours),
    /// A time within the hours before it at which it is closed.
    Pause(Interval),
    /// A half of certain days at which it is closed.
    ClosedHalf(DayHalf),
}

/// The week that the tokens state. None if they state no hours or cannot be understood completely.
pub(super) fn read_week(tokens: &[Token]) -> Option<Week> {
    let has = |meaning: Meaning| tokens.contains(&Token::Word(meaning));
    if has(Meaning::OtherHours) {
        return None;
    }
    if has(Meaning::NeverOpen) {
        return Some(Week::always_closed());
    }
    // In `closed Monday, Tuesday to Sunday 9 to 5` the comma separates statements.
    let items = read_items(tokens, true)?;
    let mut week =
        read_statements(&items).or_else(|| read_statements(&read_items(tokens, false)?))?;
    week.normalize();
    Some(week)
}

fn read_items(tokens: &[Token], commas_join: bool) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let mut at = 0;
    let mut is_except = false;
    while let Some(token) = tokens.get(at) {
        if let Some((interval, end)) = read_interval(tokens, at) {
            items.push(Item::Hours(
                interval.map_or(DayHours::Unknown, |interval| DayHours::Open(vec![interval])),
            ));
            at = end;
            continue;
        }
        if let Some((days, end)) = read_days(tokens, at, commas_join) {
            items.push(if is_except { Item::ExceptDays(days) } else { Item::Days(days) });
            is_except = false;
            at = end;
            continue;
        }
        at += 1;
        match token {
            Token::Word(Meaning::Except) => is_except = true,
            Token::Word(Meaning::Closed | Meaning::Pause) => {
                if let Some((pause, end)) = read_pause(tokens, at) {
                    items.push(Item::Pause(pause));
                    at = end;
                } else if *token == Token::Word(Meaning::Closed) {
                    items.push(match closed_half(tokens, at) {
                        Some(half) => Item::ClosedHalf(half),
                        None => Item::Hours(DayHours::Closed),
                    });
                }
            }
            Token::Word(Meaning::AllDay) => items.push(Item::Hours(all_day())),
            Token::Word(Meaning::Always) => {
                items.push(Item::Days(DaySet { days: EVERY_DAY, may_have_saturday: false }));
                items.push(Item::Hours(all_day()));
            }
            Token::Word(Meaning::Appointment) => items.push(Item::Hours(DayHours::Unknown)),
            Token::Word(Meaning::LastEntry) => {
                // The next time is not a closing time.
                let behind = tokens.iter().skip(at).take(4);
                at += behind.take_while(|token| !matches!(token, Token::Time(_))).count() + 1;
            }
            Token::Time(time) if time.minutes == DAY => items.push(Item::Hours(all_day())),
            Token::Number(time) if time.minutes == DAY => items.push(Item::Hours(all_day())),
            // One time without the other.
            Token::Time(_) => items.push(Item::Hours(DayHours::Unknown)),
            _ => {}
        }
    }
    (!items.is_empty()).then_some(items)
}

fn all_day() -> DayHours {
    DayHours::Open(vec![Interval::new(0, DAY)])
}

/// Pairs days with hours.
fn read_statements(items: &[Item]) -> Option<Week> {
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
    for (at, item) in items.iter().enumerate() {
        let next_is_hours = matches!(items.get(at + 1), Some(Item::Hours(_)));
        match item {
            Item::Days(set) => match hours.take() {
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
                // The days are before it: `Mi nachmittags geschlossen`.
                let set = days.take()?;
                plan.close_half(set, *half);
            }
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
                let is_for_next = matches!(items.get(at + 1), Some(Item::Days(_)))
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
        Some(DayHours::Open(_) | DayHours::Closed) => None,
        _ => Some(plan.finish()),
    }
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

/// A week in the making, with how many days each statement was about: a statement about fewer days is an
/// exception from one about more.
#[derive(Default)]
struct WeekBuilder {
    week: Week,
    sizes: [u32; 7],
    may_open_on_saturday: bool,
}

impl WeekBuilder {
    fn add(&mut self, set: DaySet, hours: DayHours) {
        self.may_open_on_saturday |= set.may_have_saturday;
        let size = set.days.count_ones();
        for day in (0..7).filter(|day| set.days & (1 << day) != 0) {
            let (Some(slot), Some(known_size)) =
                (self.week.days.get_mut(day), self.sizes.get_mut(day))
            else {
                continue;
            };
            match (slot.as_mut(), &hours) {
                (None, _) => {}
                (Some(DayHours::Open(list)), DayHours::Open(more)) => {
                    let overlaps =
                        list.iter().any(|one| more.iter().any(|other| one.overlaps(other)));
                    if !overlaps {
                        list.extend(more.iter().cloned());
                        continue;
                    }
                    if *known_size < size {
                        continue;
                    }
                    if *known_size == size && list != more {
                        *slot = Some(DayHours::Unknown);
                        continue;
                    }
                }
                (Some(known), new) if known == new => {}
                (Some(_), _) if *known_size < size => continue,
                (Some(_), _) if *known_size == size => {
                    *slot = Some(DayHours::Unknown);
                    continue;
                }
                _ => {}
            }
            *slot = Some(hours.clone());
            *known_size = size;
        }
    }

    /// Drops the hours of one half of days. Hours over noon cannot be split.
    fn close_half(&mut self, set: DaySet, half: DayHalf) {
        const NOON: u16 = DAY / 2;
        /// Hours of a morning end before this.
        const LUNCH: u16 = 14 * 60;
        let size = set.days.count_ones();
        for day in (0..7).filter(|day| set.days & (1 << day) != 0) {
            let (Some(slot), Some(known_size)) =
                (self.week.days.get_mut(day), self.sizes.get_mut(day))
            else {
                continue;
            };
            *known_size = size;
            let Some(DayHours::Open(list)) = slot else {
                *slot = Some(DayHours::Unknown);
                continue;
            };
            let readings = list.iter().filter_map(|hours| hours.readings.first());
            let is_split =
                readings.clone().all(|(opens, closes)| *opens >= NOON || *closes <= LUNCH);
            list.retain(|hours| {
                let is_morning = hours.readings.first().is_some_and(|(opens, _)| *opens < NOON);
                is_morning == (half == DayHalf::Afternoon)
            });
            if !is_split || list.is_empty() {
                *slot = Some(DayHours::Unknown);
            }
        }
    }

    /// Takes a break out of the hours of days.
    fn cut(&mut self, set: DaySet, pause: &Interval) {
        for day in (0..7).filter(|day| set.days & (1 << day) != 0) {
            let Some(slot) = self.week.days.get_mut(day) else { continue };
            let Some(DayHours::Open(list)) = slot else { continue };
            *slot = Some(
                match (list.as_slice(), list.first().and_then(|hours| hours.without(pause))) {
                    ([_], Some(parts)) => DayHours::Open(parts.into()),
                    _ => DayHours::Unknown,
                },
            );
        }
    }

    fn finish(mut self) -> Week {
        if self.may_open_on_saturday
            && let Some(saturday) = self.week.days.get_mut(SATURDAY)
            && saturday.is_none()
        {
            *saturday = Some(DayHours::Unknown);
        }
        self.week
    }
}
