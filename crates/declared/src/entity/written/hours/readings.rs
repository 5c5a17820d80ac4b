//! What two written times mean as opening and closing time.

use super::time_of_day::{DayHalf, WrittenTime};
use super::week::{DAY, Interval};

const NOON: u16 = DAY / 2;
/// Nothing is open for longer without being open all day.
const LONGEST: u16 = 20 * 60;

/// The interval between two times, in all readings. None if no reading makes sense.
pub(super) fn interval(opens: WrittenTime, closes: WrittenTime) -> Option<Interval> {
    let mut readings: Vec<(u16, u16)> = Vec::new();
    let is_certain = opens.is_certain() && closes.is_certain();
    for from in minutes(opens) {
        for to in minutes(closes) {
            let to = if to == DAY - 1 { DAY } else { to };
            let to = if to <= from { to + DAY } else { to };
            let is_plausible = is_certain || to - from <= LONGEST;
            if is_plausible && !readings.contains(&(from, to)) {
                readings.push((from, to));
            }
        }
    }
    // A day that opens in the morning and closes in the evening is the likeliest.
    readings.sort_by_key(|(from, to)| (*to > DAY, *from < 6 * 60, *from));
    (!readings.is_empty()).then_some(Interval { readings })
}

/// The minutes since midnight that a time may mean.
fn minutes(time: WrittenTime) -> Vec<u16> {
    match time.half {
        Some(DayHalf::Morning) => vec![time.minutes % NOON],
        Some(DayHalf::Afternoon) => vec![time.minutes % NOON + NOON],
        None if time.is_certain() => vec![time.minutes],
        None => vec![time.minutes % NOON, time.minutes % NOON + NOON],
    }
}
