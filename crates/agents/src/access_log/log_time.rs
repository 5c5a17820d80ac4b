//! The times of logs, as seconds since 1970.

/// `16/Nov/2026:12:00:00 +0100`, as nginx and Apache write it.
pub(super) fn parse_clf(text: &[u8]) -> Option<i64> {
    let [
        d1,
        d2,
        b'/',
        m1,
        m2,
        m3,
        b'/',
        y1,
        y2,
        y3,
        y4,
        b':',
        h1,
        h2,
        b':',
        n1,
        n2,
        b':',
        s1,
        s2,
        zone @ ..,
    ] = text
    else {
        return None;
    };
    let month = match [m1.to_ascii_lowercase(), m2.to_ascii_lowercase(), m3.to_ascii_lowercase()] {
        [b'j', b'a', b'n'] => 1,
        [b'f', b'e', b'b'] => 2,
        [b'm', b'a', b'r'] => 3,
        [b'a', b'p', b'r'] => 4,
        [b'm', b'a', b'y'] => 5,
        [b'j', b'u', b'n'] => 6,
        [b'j', b'u', b'l'] => 7,
        [b'a', b'u', b'g'] => 8,
        [b's', b'e', b'p'] => 9,
        [b'o', b'c', b't'] => 10,
        [b'n', b'o', b'v'] => 11,
        [b'd', b'e', b'c'] => 12,
        _ => return None,
    };
    let date = days(number(&[*y1, *y2, *y3, *y4])?, month, number(&[*d1, *d2])?)?;
    let seconds = seconds_of_day([*h1, *h2], [*n1, *n2], [*s1, *s2])?;
    Some(date * 86_400 + seconds - zone_offset(zone)?)
}

/// `2026-11-16` and `12:00:00` (W3C, always UTC), perhaps with parts of a second.
pub(super) fn parse_w3c(date: &[u8], time: &[u8]) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = date else { return None };
    let [h1, h2, b':', n1, n2, b':', s1, s2, ..] = time else { return None };
    let date = days(number(&[*y1, *y2, *y3, *y4])?, number(&[*m1, *m2])?, number(&[*d1, *d2])?)?;
    Some(date * 86_400 + seconds_of_day([*h1, *h2], [*n1, *n2], [*s1, *s2])?)
}

/// `+0100`: how far the clock of the log is ahead of UTC. A missing zone is taken for UTC.
fn zone_offset(zone: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match zone {
        [] => return Some(0),
        [b' ', b'+', h1, h2, m1, m2] => (1, [*h1, *h2], [*m1, *m2]),
        [b' ', b'-', h1, h2, m1, m2] => (-1, [*h1, *h2], [*m1, *m2]),
        _ => return None,
    };
    Some(sign * (number(&hours)? * 3600 + number(&minutes)? * 60))
}

fn seconds_of_day(hours: [u8; 2], minutes: [u8; 2], seconds: [u8; 2]) -> Option<i64> {
    let (hours, minutes, seconds) = (number(&hours)?, number(&minutes)?, number(&seconds)?);
    // A leap second is written as 60.
    (hours < 24 && minutes < 60 && seconds <= 60).then_some(hours * 3600 + minutes * 60 + seconds)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })
}

/// Days since 1970 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March have the leap day at their end.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let year_of_era = year % 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> i64 {
        contract::Timestamp::from_rfc3339(text).unwrap().as_millis() / 1000
    }

    #[test]
    fn times_of_logs_are_read() {
        let noon = Some(seconds("2026-11-16T12:00:00Z"));
        assert_eq!(parse_clf(b"16/Nov/2026:12:00:00 +0000"), noon);
        assert_eq!(parse_clf(b"16/Nov/2026:13:30:00 +0130"), noon);
        assert_eq!(parse_clf(b"16/Nov/2026:07:00:00 -0500"), noon);
        assert_eq!(parse_clf(b"16/Nov/2026:12:00:00"), noon);
        assert_eq!(parse_clf(b"29/feb/2028:00:00:00 +0000"), Some(seconds("2028-02-29T00:00:00Z")));
        assert_eq!(parse_clf(b"01/Mar/2000:00:00:00 +0000"), Some(seconds("2000-03-01T00:00:00Z")));
        assert_eq!(parse_w3c(b"2026-11-16", b"12:00:00"), noon);
        assert_eq!(parse_w3c(b"2026-11-16", b"12:00:00.123"), noon);
        for bad in [
            &b""[..],
            b"16/Nov/2026",
            b"16/Xyz/2026:12:00:00 +0000",
            b"16/Nov/2026:24:00:00 +0000",
            b"16/Nov/2026:12:00:00 UTC",
            b"1a/Nov/2026:12:00:00 +0000",
            b"00/Nov/2026:12:00:00 +0000",
        ] {
            assert_eq!(parse_clf(bad), None, "{}", String::from_utf8_lossy(bad));
        }
        assert_eq!(parse_w3c(b"2026-13-16", b"12:00:00"), None);
        assert_eq!(parse_w3c(b"2026-11-16", b"-"), None);
    }

    proptest::proptest! {
        #[test]
        fn days_agree_with_the_calendar(day in 0_i64..20_000) {
            let date = contract::Timestamp::from_millis(day * 86_400_000).day();
            let read = parse_w3c(date.as_bytes(), b"00:00:00");
            proptest::prop_assert_eq!(read, Some(day * 86_400));
        }
    }
}
