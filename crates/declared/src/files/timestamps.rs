//! Parses dates and times in files. Pure text to numbers; no clock.

/// An RFC 3339 date and time (`2027-01-31T12:00:00Z`) in seconds since 1970.
pub(super) fn parse_rfc3339(text: &str) -> Option<i64> {
    let mut read = DateTimeReader(text.as_bytes());
    let day = read.date()?;
    if !matches!(read.next()?, b'T' | b't') {
        return None;
    }
    let (seconds, offset) = read.time(true)?;
    read.0.is_empty().then_some(day * 86_400 + seconds - offset)
}

/// Whether a text is a W3C datetime: a year, a month, a day, or a date and time with time zone.
pub(super) fn is_w3c_datetime(text: &str) -> bool {
    let bytes = text.as_bytes();
    match bytes.len() {
        4 => DateTimeReader(bytes).number(4).is_some(),
        7 => {
            let mut read = DateTimeReader(bytes);
            read.number(4).is_some()
                && read.next() == Some(b'-')
                && read.number(2).is_some_and(|month| (1..=12).contains(&month))
        }
        10 => DateTimeReader(bytes).date().is_some(),
        _ => {
            let mut read = DateTimeReader(bytes);
            read.date().is_some()
                && read.next() == Some(b'T')
                && read.time(false).is_some()
                && read.0.is_empty()
        }
    }
}

/// The first second of the day that a W3C datetime begins with, in UTC; none if it has no day.
pub(super) fn day_start(text: &str) -> Option<i64> {
    DateTimeReader(text.as_bytes()).date().map(|day| day.saturating_mul(86_400))
}

/// Whether a text is a date, `YYYY-MM-DD`.
pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10 && DateTimeReader(text.as_bytes()).date().is_some()
}

struct DateTimeReader<'a>(&'a [u8]);

impl DateTimeReader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self, digits: usize) -> Option<i64> {
        (0..digits).try_fold(0_i64, |value, _| {
            let byte = self.next()?;
            byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'))
        })
    }

    /// Days since 1970.
    fn date(&mut self) -> Option<i64> {
        let year = self.number(4)?;
        (self.next()? == b'-').then_some(())?;
        let month = self.number(2)?;
        (self.next()? == b'-').then_some(())?;
        let day = self.number(2)?;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 => 28 + i64::from(leap),
            _ => return None,
        };
        if !(1..=length).contains(&day) {
            return None;
        }
        // Years start in March here, so that the leap day comes last.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * month + 2) / 5 + day - 1;
        Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }

    /// Seconds of the day, and the time zone offset in seconds. W3C datetimes may omit the seconds.
    fn time(&mut self, with_seconds: bool) -> Option<(i64, i64)> {
        let hour = self.number(2).filter(|hour| *hour < 24)?;
        (self.next()? == b':').then_some(())?;
        let minute = self.number(2).filter(|minute| *minute < 60)?;
        let mut second = 0;
        if with_seconds || self.0.first() == Some(&b':') {
            (self.next()? == b':').then_some(())?;
            second = self.number(2).filter(|second| *second <= 60)?;
            if self.0.first() == Some(&b'.') {
                self.next();
                self.number(1)?;
                while self.0.first().is_some_and(u8::is_ascii_digit) {
                    self.next();
                }
            }
        }
        let offset = match self.next()? {
            b'Z' | b'z' => 0,
            sign @ (b'+' | b'-') => {
                let hours = self.number(2).filter(|hours| *hours < 24)?;
                (self.next()? == b':').then_some(())?;
                let minutes = self.number(2).filter(|minutes| *minutes < 60)?;
                let seconds = hours * 3_600 + minutes * 60;
                if sign == b'+' { seconds } else { -seconds }
            }
            _ => return None,
        };
        Some((hour * 3_600 + minute * 60 + second, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_become_seconds() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T12:00:00Z", Some(951_825_600)),
            ("2026-11-15T02:56:20+01:00", Some(1_794_707_780)),
            ("2026-11-15T01:56:20.123z", Some(1_794_707_780)),
            ("1969-12-31T23:59:59Z", Some(-1)),
            ("2026-02-29T00:00:00Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-11-15", None),
            ("2026-11-15T01:56:20", None),
            ("2026-11-15T01:56Z", None),
            ("2026-11-15T01:56:20Zx", None),
            ("Thu, 31 Dec 2026 18:37:07 -0800", None),
            ("", None),
        ] {
            assert_eq!(parse_rfc3339(text), expected, "{text}");
        }
    }

    #[test]
    fn w3c_moments_may_be_short() {
        for right in
            ["2026", "2026-11", "2026-11-15", "2026-11-15T01:56Z", "2026-11-15T01:56:20.5+01:00"]
        {
            assert!(is_w3c_datetime(right), "{right}");
        }
        for wrong in [
            "",
            "26",
            "2026-00",
            "2026-11-31",
            "2026-11-15T01:56",
            "15/11/2026",
            "2026-11-15 01:56:20",
        ] {
            assert!(!is_w3c_datetime(wrong), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text: String) {
            let _ = (parse_rfc3339(&text), is_w3c_datetime(&text), is_date(&text));
        }

        #[test]
        fn days_follow_each_other(day in 0_i64..28, month in 1_i64..=12, year in 1_i64..9_999) {
            let at = |day| parse_rfc3339(&format!("{year:04}-{month:02}-{day:02}T00:00:00Z"));
            if day >= 1 {
                proptest::prop_assert_eq!(at(day + 1).unwrap() - at(day).unwrap(), 86_400);
            }
        }
    }
}
