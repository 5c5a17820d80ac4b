//! Times in the words of the pages: `15 Nov 2026, 16:22 UTC`. Templates pass references, other code values.

use std::borrow::Borrow;

use contract::Timestamp;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Day and minute.
pub(crate) fn minute(time: impl Borrow<Timestamp>) -> String {
    let time = *time.borrow();
    let iso = time.to_string();
    match (day(time), iso.get(11..16)) {
        (Some(day), Some(clock)) => format!("{day}, {clock} UTC"),
        _ => iso,
    }
}

/// Day and second.
pub(crate) fn second(time: impl Borrow<Timestamp>) -> String {
    let time = *time.borrow();
    let iso = time.to_string();
    match (day(time), iso.get(11..19)) {
        (Some(day), Some(clock)) => format!("{day}, {clock} UTC"),
        _ => iso,
    }
}

/// `15 Nov`, for charts.
pub(crate) fn short_day(time: Timestamp) -> String {
    let day = day(time).unwrap_or_else(|| time.to_string());
    day.rsplit_once(' ').map_or(day.clone(), |(day, _)| day.to_owned())
}

fn day(time: Timestamp) -> Option<String> {
    let iso = time.to_string();
    let (year, month, day) = (iso.get(..4)?, iso.get(5..7)?, iso.get(8..10)?);
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    Some(format!("{} {month} {year}", day.trim_start_matches('0')))
}

/// A wait in words: `10 seconds`, `3 minutes`, `5 hours`.
pub(crate) fn wait_words(seconds: impl Borrow<u64>) -> String {
    let seconds = *seconds.borrow();
    let (count, unit) = match seconds {
        0..=119 => (seconds, "second"),
        120..=7_199 => (seconds.div_ceil(60), "minute"),
        _ => (seconds.div_ceil(3_600), "hour"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_for_people() {
        let time = Timestamp::from_millis(1_794_736_805_000);
        assert_eq!(minute(time), "15 Nov 2026, 10:00 UTC");
        assert_eq!(second(time), "15 Nov 2026, 10:00:05 UTC");
        assert_eq!(short_day(time), "15 Nov");
        assert_eq!(minute(Timestamp::from_millis(0)), "1 Jan 1970, 00:00 UTC");
    }

    #[test]
    fn waits_are_rounded_up() {
        let waits = [1, 10, 119, 121, 7_199, 7_200, 86_399_u64].map(wait_words);
        let expected = [
            "1 second",
            "10 seconds",
            "119 seconds",
            "3 minutes",
            "120 minutes",
            "2 hours",
            "24 hours",
        ];
        assert_eq!(waits, expected);
    }
}
