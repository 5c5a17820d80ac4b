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
    let slip = twelve_by_mistake(opens, closes);
    readings.extend(slip.filter(|reading| !readings.contains(reading)));
    // A day that opens in the morning and closes in the evening is the likeliest, unless the closing time tells the
    // half of both: `6–9.30 pm`.
    let is_of_evening = closes.half == Some(DayHalf::Afternoon)
        && opens.half.is_none()
        && !opens.is_certain()
        && opens.minutes % NOON < closes.minutes % NOON
        && opens.minutes % NOON < 8 * 60;
    readings.sort_by_key(|(from, to)| {
        (*to > DAY, is_of_evening && *from < NOON, *from < 6 * 60, *from, *to)
    });
    (!readings.is_empty()).then_some(Interval {
        readings,
        is_doubtful: slip.is_some(),
        opening_is_guessed: false,
    })
}

/// What is meant if noon and midnight are mixed up: `12 am to 8 pm`, `6 pm to 12 pm`.
fn twelve_by_mistake(opens: WrittenTime, closes: WrittenTime) -> Option<(u16, u16)> {
    let [from] = minutes(opens).try_into().ok()?;
    let [to] = minutes(closes).try_into().ok()?;
    let is_twelve = |time: WrittenTime, half| time.half == Some(half) && time.minutes == NOON;
    if is_twelve(opens, DayHalf::Morning) && (NOON + 60..DAY - 1).contains(&to) {
        return Some((NOON, to));
    }
    (is_twelve(closes, DayHalf::Afternoon) && from > NOON).then_some((from, DAY))
}

/// Whether two times without a half of the day may both be of the morning or of the evening: `5–11`, `8–11`,
/// or each of another: `9–9`. Nobody opens earlier, and `9–12` is a morning.
pub(super) fn may_be_either_half(opens: WrittenTime, closes: WrittenTime) -> bool {
    let is_short = (4..8).contains(&opens.hour()) && closes.minutes > opens.minutes
        || (8..12).contains(&opens.hour()) && closes.minutes > opens.minutes && closes.hour() < 12;
    !opens.is_certain() && !closes.is_certain() && (is_short || opens.minutes == closes.minutes)
}

/// The minutes since midnight that a time may mean.
pub(super) fn minutes(time: WrittenTime) -> Vec<u16> {
    match time.half {
        Some(DayHalf::Morning) => vec![time.minutes % NOON],
        Some(DayHalf::Afternoon) => vec![time.minutes % NOON + NOON],
        None if time.is_certain() => vec![time.minutes],
        None => vec![time.minutes % NOON, time.minutes % NOON + NOON],
    }
}
