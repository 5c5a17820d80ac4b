//! Dates of events. RFC 9083 asks for RFC 3339, but registries also write dates without a time, without a time
//! zone, or in other orders.

use contract::Timestamp;

/// The longest text that is tried.
const MAX_BYTES: usize = 64;

/// Before the first domain was registered. Earlier dates stand for "unknown".
const FIRST_YEAR: i64 = 1985;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The time that a text means, in UTC. Without a time zone it is taken as UTC, without a time as midnight.
#[must_use]
pub fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > MAX_BYTES || !text.is_ascii() {
        return None;
    }
    // `Sun, 15 Nov 2026` begins with a weekday.
    let text = text.split_once(", ").map_or(text, |(_, rest)| rest);
    let (date, rest) = split_date(text)?;
    let (year, month, day) = read_date(date)?;
    let (time, offset_minutes) = read_time(rest.trim())?;
    if year < FIRST_YEAR {
        return None;
    }
    let at: Timestamp = format!("{year:04}-{month:02}-{day:02}T{time}Z").parse().ok()?;
    Some(at.plus_millis(-60_000 * offset_minutes))
}

/// The date, and what follows it. Dates of three words (`15 Nov 2026`) contain spaces.
fn split_date(text: &str) -> Option<(&str, &str)> {
    let words = text.split(' ').take(3);
    let is_three_words = words.clone().count() == 3
        && words.clone().nth(1).is_some_and(|word| month_number(word).is_some());
    if is_three_words {
        let length = words.map(str::len).sum::<usize>() + 2;
        return text.split_at_checked(length);
    }
    // The shortest date has eight letters, and `Oct` has a `t` too.
    let is_end = |(at, byte): &(usize, u8)| *at >= 8 && matches!(byte, b'T' | b't' | b' ');
    match text.bytes().enumerate().find(is_end) {
        Some((at, _)) => {
            let (date, rest) = text.split_at_checked(at)?;
            Some((date, rest.get(1..)?))
        }
        None => Some((text, "")),
    }
}

fn read_date(date: &str) -> Option<(i64, i64, i64)> {
    if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) {
        let part = |from: usize, to: usize| date.get(from..to)?.parse::<i64>().ok();
        return Some((part(0, 4)?, part(4, 6)?, part(6, 8)?));
    }
    let mut parts = date.split(['-', '/', '.', ' ']);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let month = month_number(second).or_else(|| number(second, 2))?;
    if first.len() == 4 {
        return Some((number(first, 4)?, month, number(third, 2)?));
    }
    // Only a month as a word, or dots, say that the day comes first; `03/04/2026` could be either.
    let is_day_first = month_number(second).is_some() || date.contains('.');
    (is_day_first && third.len() == 4).then_some(())?;
    Some((number(third, 4)?, month, number(first, 2)?))
}

/// The time of day as `HH:MM:SS[.fff]`, and the minutes of its time zone.
fn read_time(text: &str) -> Option<(String, i64)> {
    if text.is_empty() || matches!(text, "Z" | "z") {
        return Some((String::from("00:00:00"), 0));
    }
    let zone_at =
        text.find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, ':' | '.'));
    let (clock, zone) = text.split_at_checked(zone_at.unwrap_or(text.len()))?;
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 2).filter(|hour| *hour < 24)?;
    let minute = number(parts.next()?, 2).filter(|minute| *minute < 60)?;
    let seconds = parts.next().unwrap_or("0");
    if parts.next().is_some() {
        return None;
    }
    let (second, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    // A leap second becomes the second before it.
    let second = number(second, 2).filter(|second| *second <= 60)?.min(59);
    let millis = read_millis(fraction)?;
    let time = format!("{hour:02}:{minute:02}:{second:02}.{millis:03}");
    Some((time, read_zone(zone.trim())?))
}

fn read_millis(fraction: &str) -> Option<u32> {
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let three: String = fraction.chars().chain("000".chars()).take(3).collect();
    three.parse().ok()
}

/// The minutes that a zone is ahead of UTC.
fn read_zone(zone: &str) -> Option<i64> {
    if zone.is_empty()
        || matches!(zone.to_ascii_uppercase().as_str(), "Z" | "UTC" | "GMT" | "UTC+0")
    {
        return Some(0);
    }
    let sign = match zone.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = zone.get(1..)?.chars().filter(|letter| *letter != ':').collect();
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.as_str(), "0"),
        4 => digits.split_at_checked(2)?,
        _ => return None,
    };
    let hours = number(hours, 2).filter(|hours| *hours < 24)?;
    let minutes = number(minutes, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 60 + minutes))
}

fn month_number(word: &str) -> Option<i64> {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| word.starts_with(month))?;
    i64::try_from(at + 1).ok()
}

fn number(text: &str, max_digits: usize) -> Option<i64> {
    let is_plain = !text.is_empty()
        && text.len() <= max_digits
        && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}
