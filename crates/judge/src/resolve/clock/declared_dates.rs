//! Parses the dates that sites declare. A date that cannot be parsed is ignored.

use contract::Timestamp;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Parses an HTTP date or an ISO 8601 date.
#[must_use]
pub fn parse_declared_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > 40 || !text.is_ascii() {
        return None;
    }
    parse_http_date(text).or_else(|| parse_iso_date(text))
}

/// `Mon, 09 Nov 2026 08:00:00 GMT` (RFC 9110, 5.6.7).
fn parse_http_date(text: &str) -> Option<Timestamp> {
    let (_, rest) = text.split_once(", ")?;
    let parts: Vec<&str> = rest.split(' ').collect();
    let [day, month, year, time, "GMT"] = parts.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| name == month)? + 1;
    format!("{year}-{month:02}-{day:0>2}T{time}Z").parse().ok()
}

/// `2026-11-09`, or with a time and an offset (ISO 8601 as the web writes it).
fn parse_iso_date(text: &str) -> Option<Timestamp> {
    let Some((date, time)) = text.split_once(['T', ' ']) else {
        return format!("{text}T00:00:00Z").parse().ok();
    };
    let (clock, offset_minutes) = match time.strip_suffix('Z') {
        Some(clock) => (clock, 0),
        None => {
            let at = time.rfind(['+', '-'])?;
            let (clock, offset) = (time.get(..at)?, time.get(at..)?);
            (clock, parse_offset(offset)?)
        }
    };
    // Fractions of a second are ignored.
    let clock = clock.split('.').next().unwrap_or(clock);
    let clock = if clock.len() == 5 { format!("{clock}:00") } else { clock.to_owned() };
    let local: Timestamp = format!("{date}T{clock}Z").parse().ok()?;
    Some(local.plus_millis(-offset_minutes * 60_000))
}

/// `+01:00`, `-0530`, `+01` in minutes.
fn parse_offset(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = match digits.len() {
        2 => (digits.as_str(), "0"),
        4 => digits.split_at_checked(2)?,
        _ => return None,
    };
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_forms_that_sites_use_are_read() {
        for (text, moment_is) in [
            ("Mon, 09 Nov 2026 08:00:00 GMT", "2026-11-09T08:00:00Z"),
            ("Mon, 9 Nov 2026 08:00:00 GMT", "2026-11-09T08:00:00Z"),
            ("2026-11-09", "2026-11-09T00:00:00Z"),
            ("2026-11-09T08:00Z", "2026-11-09T08:00:00Z"),
            ("2026-11-09T08:00:00.123+01:00", "2026-11-09T07:00:00Z"),
            ("2026-11-09 08:00:00-0530", "2026-11-09T13:30:00Z"),
        ] {
            assert_eq!(parse_declared_date(text), moment_is.parse().ok(), "{text}");
        }
        for bad in [
            "",
            "yesterday",
            "2026-13-01",
            "09/11/2026",
            "Mon, 09 Nov 2026 08:00:00 CET",
            "2026-11-09T08:00:00",
            "2026-11-09T08:00:00+99:00",
        ] {
            assert_eq!(parse_declared_date(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "\\PC{0,60}") {
            let _ = parse_declared_date(&text);
        }

        #[test]
        fn a_moment_in_another_zone_is_the_same_moment(ms in 0i64..4_000_000_000, minutes in -840i64..=840) {
            let at = Timestamp::from_millis(ms * 1000);
            let local = at.plus_millis(minutes * 60_000).to_string();
            let sign = if minutes < 0 { '-' } else { '+' };
            let written = format!("{}{sign}{:02}:{:02}", local.trim_end_matches('Z'), minutes.abs() / 60, minutes.abs() % 60);
            prop_assert_eq!(parse_declared_date(&written), Some(at));
        }
    }
}
