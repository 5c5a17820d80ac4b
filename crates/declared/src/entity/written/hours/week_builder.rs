//! A week in the making, from statements that may be exceptions from others.

use super::phrases::{ClosedHalf, DaySet};
use super::time_of_day::DayHalf;
use super::week::{DAY, DayHours, Interval, Week};

const SATURDAY: usize = 5;

/// A week in the making, with how many days each statement was about: a statement about fewer days is an
/// exception from one about more.
#[derive(Default)]
pub(super) struct WeekBuilder {
    week: Week,
    sizes: [u32; 7],
    may_open_on_saturday: bool,
    /// Days whose hours are those of all days that nothing else is said about, as bits.
    filled_as_rest: u8,
    others_are_closed: bool,
}

fn one_interval(interval: Option<Interval>) -> DayHours {
    interval.map_or(DayHours::Unknown, |interval| DayHours::Open(vec![interval]))
}

/// Whether two of the hours share time: `either 8–20 or 9–19`.
fn contradicts_itself(hours: &DayHours) -> bool {
    let DayHours::Open(list) = hours else { return false };
    list.iter()
        .enumerate()
        .any(|(at, one)| list.iter().skip(at + 1).any(|other| one != other && one.overlaps(other)))
}

impl WeekBuilder {
    pub(super) fn add(&mut self, set: DaySet, hours: DayHours) {
        self.may_open_on_saturday |= set.may_have_saturday;
        let hours = if contradicts_itself(&hours) { DayHours::Unknown } else { hours };
        let size = set.days.count_ones();
        for day in (0..7).filter(|day| set.days & (1 << day) != 0) {
            let (Some(slot), Some(known_size)) =
                (self.week.days.get_mut(day), self.sizes.get_mut(day))
            else {
                continue;
            };
            let bit = 1 << day;
            let was_rest = self.filled_as_rest & bit != 0;
            if set.is_rest && slot.is_some() && !was_rest {
                continue;
            }
            if set.is_rest {
                self.filled_as_rest |= bit;
            } else if was_rest {
                // What is said of the day itself goes before what is said of all others.
                self.filled_as_rest &= !bit;
                *slot = None;
            }
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

    /// Days that have the hours of others: `Mo–Fr 9–17 Uhr, auch samstags`.
    pub(super) fn add_like(&mut self, set: DaySet, model: DaySet) {
        let day = model.days.trailing_zeros() as usize;
        let hours = self.week.days.get(day).cloned().flatten().unwrap_or(DayHours::Unknown);
        for day in (0..7).filter(|day| set.days & (1 << day) != 0) {
            let Some(slot) = self.week.days.get_mut(day) else { continue };
            match slot {
                Some(known) if *known == hours => {}
                Some(_) => *slot = Some(DayHours::Unknown),
                None => *slot = Some(hours.clone()),
            }
        }
    }

    /// Days of which only the closing time follows probably open like the days before: `Mon–Thu 9–5, Fri till 4`.
    pub(super) fn open_like(&mut self, set: DaySet, model: DaySet) {
        let day = model.days.trailing_zeros() as usize;
        let Some(Some(DayHours::Open(list))) = self.week.days.get(day) else { return };
        let [only] = list.as_slice() else { return };
        let hours = DayHours::Open(vec![Interval { opening_is_guessed: true, ..only.clone() }]);
        for day in (0..7).filter(|day| set.days & (1 << day) != 0) {
            if let Some(slot) = self.week.days.get_mut(day).filter(|slot| slot.is_none()) {
                *slot = Some(hours.clone());
            }
        }
    }

    /// Days that close at another time than stated before: `donnerstags bis 20 Uhr`.
    pub(super) fn close_at(&mut self, set: DaySet, closing: &[u16]) {
        self.change(set, |hours| match hours {
            None => DayHours::OpenUntil(closing.to_vec()),
            Some(DayHours::OpenFrom(opening)) => one_interval(Interval::between(&opening, closing)),
            Some(DayHours::Open(mut list)) => {
                list.sort_by_key(|interval| interval.readings.first().copied());
                let last = list.pop().and_then(|interval| interval.closing_at(closing));
                last.map_or(DayHours::Unknown, |last| {
                    list.push(last);
                    DayHours::Open(list)
                })
            }
            Some(_) => DayHours::Unknown,
        });
    }

    /// Days that open at another time than stated before: `mittwochs erst ab 10 Uhr`.
    pub(super) fn open_at(&mut self, set: DaySet, opening: &[u16]) {
        self.change(set, |hours| match hours {
            None => DayHours::OpenFrom(opening.to_vec()),
            Some(DayHours::OpenUntil(closing)) => {
                one_interval(Interval::between(opening, &closing))
            }
            Some(DayHours::Open(list)) => match list.as_slice() {
                [only] => one_interval(only.opening_at(opening)),
                _ => DayHours::Unknown,
            },
            Some(_) => DayHours::Unknown,
        });
    }

    /// Changes what is known of days. Such a statement is an exception from those before it.
    fn change(&mut self, set: DaySet, new: impl Fn(Option<DayHours>) -> DayHours) {
        for day in (0..7).filter(|day| set.days & (1 << day) != 0) {
            let (Some(slot), Some(size)) = (self.week.days.get_mut(day), self.sizes.get_mut(day))
            else {
                continue;
            };
            *size = if slot.is_some() { 1 } else { set.days.count_ones() };
            *slot = Some(new(slot.take()));
            self.filled_as_rest &= !(1 << day);
        }
    }

    /// Whether only the opening time of these days is known.
    pub(super) fn lacks_closing(&self, set: DaySet) -> bool {
        self.week.days.iter().enumerate().all(|(day, hours)| {
            set.days & (1 << day) == 0 || matches!(hours, Some(DayHours::OpenFrom(_)))
        })
    }

    /// Whether these are the hours of all of these days.
    pub(super) fn has_hours(&self, set: DaySet, hours: &DayHours) -> bool {
        self.week
            .days
            .iter()
            .enumerate()
            .all(|(day, known)| set.days & (1 << day) == 0 || known.as_ref() == Some(hours))
    }

    /// Whether something is said about every day.
    pub(super) fn is_full(&self) -> bool {
        self.week.days.iter().all(Option::is_some)
    }

    /// Drops the hours of one half of days. Hours over noon cannot be split.
    pub(super) fn close_half(&mut self, set: DaySet, half: DayHalf) {
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
            // `Montagvormittag geschlossen`: the hours of the other half may follow.
            if slot.is_none() {
                continue;
            }
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

    /// The same where the days are named behind the word for closed.
    pub(super) fn close_half_or_day(&mut self, closed: ClosedHalf) {
        for day in 0..7 {
            let one = DaySet { days: 1 << day, ..DaySet::default() };
            let is_known = self.week.days.get(day).is_some_and(Option::is_some);
            if one.days & (closed.days | closed.last) == 0 {
                continue;
            }
            if is_known {
                self.close_half(one, closed.half);
            } else if one.days & closed.days != 0 {
                self.add(one, DayHours::Closed);
            }
        }
    }

    /// Closes all days that nothing is said about, whatever is said later.
    pub(super) fn close_others(&mut self) {
        self.others_are_closed = true;
    }

    /// Takes a break out of the hours of days.
    pub(super) fn cut(&mut self, set: DaySet, pause: &Interval) {
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

    pub(super) fn finish(mut self) -> Week {
        if self.may_open_on_saturday
            && let Some(saturday) = self.week.days.get_mut(SATURDAY)
            && saturday.is_none()
        {
            *saturday = Some(DayHours::Unknown);
        }
        if self.others_are_closed {
            for day in self.week.days.iter_mut().filter(|day| day.is_none()) {
                *day = Some(DayHours::Closed);
            }
        }
        self.week
    }
}
