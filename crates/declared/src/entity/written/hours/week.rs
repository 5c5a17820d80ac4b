//! A week of opening hours in which days may be unknown.

use super::super::WrittenMatch;

/// Minutes of a day.
pub(super) const DAY: u16 = 24 * 60;
/// Hours before this time of day may belong to the evening before.
const EARLY: u16 = 8 * 60;

/// An interval with every reading of its times: `9–5` may be 9:00 to 17:00. Times past midnight count on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) readings: Vec<(u16, u16)>,
    /// Whether people may mean different times by the writing, so that agreement proves nothing.
    pub(super) is_doubtful: bool,
    /// Whether only the closing time is stated, and the opening time taken from other days.
    pub(super) opening_is_guessed: bool,
}

impl Interval {
    pub(super) fn new(opens: u16, closes: u16) -> Self {
        Self { readings: vec![(opens, closes)], is_doubtful: false, opening_is_guessed: false }
    }

    /// The same opening time with another closing time, which is after it.
    pub(super) fn closing_at(&self, closing: &[u16]) -> Option<Self> {
        let (opens, _) = *self.readings.first()?;
        let after = |closes: u16| if closes <= opens { closes + DAY } else { closes };
        let closes = closing.iter().map(|closes| after(*closes)).min()?;
        let opening_is_guessed = self.opening_is_guessed;
        Some(Self { opening_is_guessed, ..Self::new(opens, closes) })
    }

    /// The same closing time with another opening time, which is before it.
    pub(super) fn opening_at(&self, opening: &[u16]) -> Option<Self> {
        let (_, closes) = *self.readings.first()?;
        let opens = opening.iter().copied().filter(|opens| *opens < closes).min()?;
        Some(Self::new(opens, closes))
    }

    /// The hours between times of which each may mean several.
    pub(super) fn between(opening: &[u16], closing: &[u16]) -> Option<Self> {
        let after = |opens: u16, closes: u16| if closes <= opens { closes + DAY } else { closes };
        let readings: Vec<(u16, u16)> = opening
            .iter()
            .flat_map(|opens| closing.iter().map(|closes| (*opens, after(*opens, *closes))))
            .collect();
        (!readings.is_empty()).then_some(Self {
            readings,
            is_doubtful: false,
            opening_is_guessed: false,
        })
    }

    /// The only reading.
    fn certain(&self) -> Option<(u16, u16)> {
        match self.readings.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    fn agrees(&self, other: &Self) -> bool {
        self.readings.iter().any(|reading| other.readings.contains(reading))
    }

    /// The time before and after a break. None if the break is not certainly within.
    pub(super) fn without(&self, pause: &Self) -> Option<[Self; 2]> {
        let (opens, closes) = *self.readings.first()?;
        let (from, to) = *pause.readings.iter().find(|(from, to)| opens < *from && *to < closes)?;
        Some([Self::new(opens, from), Self::new(to, closes)])
    }

    /// Whether both intervals share time, in the first reading of each.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        match (self.readings.first(), other.readings.first()) {
            (Some(a), Some(b)) => a.0 < b.1 && b.0 < a.1,
            _ => false,
        }
    }
}

/// What a text says about one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DayHours {
    Closed,
    Open(Vec<Interval>),
    /// Only the closing time is stated, as minutes since midnight that it may mean.
    OpenUntil(Vec<u16>),
    /// Only the opening time is stated.
    OpenFrom(Vec<u16>),
    /// The day is mentioned, but its hours are not, or they cannot be read.
    Unknown,
}

/// The days from Monday; none for days that are not mentioned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Week {
    pub(super) days: [Option<DayHours>; 7],
}

impl Week {
    pub(super) fn always_open() -> Self {
        let day = Some(DayHours::Open(vec![Interval::new(0, DAY)]));
        Self { days: std::array::from_fn(|_| day.clone()) }
    }

    pub(super) fn always_closed() -> Self {
        Self { days: std::array::from_fn(|_| Some(DayHours::Closed)) }
    }

    /// How many days are mentioned without hours that can be read.
    pub(super) fn unknown_days(&self) -> usize {
        self.days.iter().filter(|day| **day == Some(DayHours::Unknown)).count()
    }

    /// Whether the hours of every day are known.
    pub(super) fn is_full(&self) -> bool {
        self.days.iter().all(|day| matches!(day, Some(DayHours::Closed | DayHours::Open(_))))
    }

    /// Sorts the hours of every day, joins those that touch, and moves hours after midnight to the evening
    /// that they belong to.
    pub(super) fn normalize(&mut self) {
        for hours in self.days.iter_mut().flatten() {
            if let DayHours::Open(list) = hours {
                sort_and_join(list);
            }
        }
        for day in 0..7 {
            self.join_over_midnight(day);
        }
    }

    fn join_over_midnight(&mut self, day: usize) {
        let next = (day + 1) % 7;
        let last = self.days.get(day).and_then(Option::as_ref).and_then(|hours| match hours {
            DayHours::Open(list) => list.last().and_then(Interval::certain),
            _ => None,
        });
        let first = self.days.get(next).and_then(Option::as_ref).and_then(|hours| match hours {
            DayHours::Open(list) => list.first().and_then(Interval::certain),
            _ => None,
        });
        let (Some((opens, DAY)), Some((0, until))) = (last, first) else { return };
        if until > EARLY || opens == 0 {
            return;
        }
        if let Some(Some(DayHours::Open(list))) = self.days.get_mut(day)
            && let Some(interval) = list.last_mut()
        {
            *interval = Interval::new(opens, DAY + until);
        }
        if let Some(slot) = self.days.get_mut(next)
            && let Some(DayHours::Open(list)) = slot
        {
            list.remove(0);
            if list.is_empty() {
                *slot = None;
            }
        }
    }

    pub(super) fn compare(&self, other: &Self) -> WrittenMatch {
        let mut is_certain = true;
        let mut has_common_day = false;
        for (one, other) in self.days.iter().zip(&other.days) {
            match (one, other) {
                (None, None | Some(DayHours::Closed)) | (Some(DayHours::Closed), None) => {}
                (Some(DayHours::Unknown | DayHours::OpenFrom(_)), _)
                | (_, Some(DayHours::Unknown | DayHours::OpenFrom(_)))
                | (None, _)
                | (_, None) => {
                    is_certain = false;
                }
                (Some(DayHours::OpenUntil(closing)), Some(hours))
                | (Some(hours), Some(DayHours::OpenUntil(closing)))
                    if may_close_at(hours, closing) =>
                {
                    is_certain = false;
                }
                (Some(one), Some(other)) if agree(one, other) => {
                    has_common_day = true;
                    is_certain &= !is_doubtful(one) && !is_doubtful(other);
                }
                (Some(one), Some(other)) if may_agree_with_guess(one, other) => is_certain = false,
                (Some(_), Some(_)) => return WrittenMatch::Different,
            }
        }
        if is_certain && has_common_day { WrittenMatch::Equal } else { WrittenMatch::Undecidable }
    }
}

fn is_doubtful(hours: &DayHours) -> bool {
    matches!(hours, DayHours::Open(list) if list.iter().any(|interval| interval.is_doubtful))
}

/// Whether only an opening time differs that is taken from other days.
fn may_agree_with_guess(one: &DayHours, other: &DayHours) -> bool {
    let (DayHours::Open(ones), DayHours::Open(others)) = (one, other) else { return false };
    let is_guessed = |list: &[Interval]| matches!(list, [only] if only.opening_is_guessed);
    let closes = |list: &[Interval]| list.last().and_then(|last| last.readings.first().copied());
    (is_guessed(ones) || is_guessed(others))
        && closes(ones).map(|(_, closes)| closes) == closes(others).map(|(_, closes)| closes)
}

fn may_close_at(hours: &DayHours, closing: &[u16]) -> bool {
    match hours {
        DayHours::Open(list) => list.iter().any(|interval| {
            interval
                .readings
                .iter()
                .any(|(_, closes)| closing.iter().any(|time| closes % DAY == time % DAY))
        }),
        DayHours::OpenUntil(other) => other.iter().any(|time| closing.contains(time)),
        DayHours::Closed => false,
        DayHours::Unknown | DayHours::OpenFrom(_) => true,
    }
}

fn agree(one: &DayHours, other: &DayHours) -> bool {
    match (one, other) {
        (DayHours::Open(a), DayHours::Open(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b))
        }
        (one, other) => one == other,
    }
}

fn sort_and_join(list: &mut Vec<Interval>) {
    list.sort_by_key(|interval| interval.readings.first().copied());
    let mut joined: Vec<Interval> = Vec::with_capacity(list.len());
    for mut interval in list.drain(..) {
        // After hours of the morning come those of the evening.
        interval.is_doubtful &= joined.is_empty();
        if let Some(last) = joined.last_mut()
            && let (Some(before), Some(next)) = (last.certain(), interval.certain())
            && before.1 >= next.0
        {
            *last = Interval::new(before.0, before.1.max(next.1));
            continue;
        }
        joined.push(interval);
    }
    *list = joined;
}
