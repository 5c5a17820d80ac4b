//! Timestamps in the form of the interface: ISO 8601, UTC, `Z`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// A time in UTC with millisecond precision, written `YYYY-MM-DDTHH:MM:SS[.fff]Z`.
///
/// The fraction is written only when it is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-11-15T02:56:20Z")]
pub struct Timestamp(i64);

/// The time from which milliseconds are counted.
const EPOCH: jiff::civil::DateTime = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);

/// The text is not a timestamp of the form `YYYY-MM-DDTHH:MM:SS[.fff]Z`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a UTC timestamp of the form YYYY-MM-DDTHH:MM:SSZ")]
pub struct NotATimestamp;

impl Timestamp {
    /// The first and last times with a four-digit year, which is all the written form allows.
    const MIN_MS: i64 = -62_167_219_200_000;
    const MAX_MS: i64 = 253_402_300_799_999;

    /// From milliseconds since 1970-01-01, clamped to the years 0000 to 9999.
    #[must_use]
    pub fn from_millis(ms: i64) -> Self {
        Self(ms.clamp(Self::MIN_MS, Self::MAX_MS))
    }

    /// From RFC 3339 with any offset, such as `2026-11-15T03:56:20+01:00`, for what people and other
    /// programs write. Documents of the interface always have `Z`.
    pub fn from_rfc3339(text: &str) -> Result<Self, NotATimestamp> {
        let text = text.to_ascii_uppercase();
        let (local, minutes) = match text.strip_suffix('Z') {
            Some(local) => (local, 0),
            None => {
                let length = text.len().checked_sub("+00:00".len()).ok_or(NotATimestamp)?;
                let (local, offset) = text.split_at_checked(length).ok_or(NotATimestamp)?;
                (local, offset_minutes(offset).ok_or(NotATimestamp)?)
            }
        };
        let at: Self = format!("{local}Z").parse()?;
        Ok(at.plus_millis(-60_000 * minutes))
    }

    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// The time truncated to whole seconds, for records where milliseconds carry no meaning.
    #[must_use]
    pub fn whole_seconds(self) -> Self {
        Self(self.0.div_euclid(1000) * 1000)
    }

    #[must_use]
    pub fn plus_millis(self, ms: i64) -> Self {
        Self::from_millis(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to `self`; negative when `earlier` is later.
    #[must_use]
    pub fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The UTC day, `YYYY-MM-DD`.
    #[must_use]
    pub fn day(self) -> String {
        self.with_day_text(str::to_owned)
    }

    /// Passes on the UTC day, `YYYY-MM-DD`.
    pub(crate) fn with_day_text<T>(self, receive: impl FnOnce(&str) -> T) -> T {
        self.with_text(|text| receive(text.get(..10).unwrap_or(text)))
    }

    /// Passes on the written form. Digit by digit, because every record has times in it: the formatting
    /// of the standard library takes several times as long.
    fn with_text<T>(self, receive: impl FnOnce(&str) -> T) -> T {
        // Uses civil time, because jiff's Timestamp ends one day before the year 9999 does, and
        // certificates without an expiry date use the last second of that year.
        let civil = EPOCH.saturating_add(jiff::SignedDuration::from_millis(self.0));
        let year = i64::from(civil.year());
        let [y1, y2] = two_digits(year / 100);
        let [y3, y4] = two_digits(year);
        let [o1, o2] = two_digits(civil.month().into());
        let [d1, d2] = two_digits(civil.day().into());
        let [h1, h2] = two_digits(civil.hour().into());
        let [m1, m2] = two_digits(civil.minute().into());
        let [s1, s2] = two_digits(civil.second().into());
        let ms = self.0.rem_euclid(1000);
        let [f1, f2] = two_digits(ms / 10);
        let [_, f3] = two_digits(ms);
        let whole = [
            y1, y2, y3, y4, b'-', o1, o2, b'-', d1, d2, b'T', h1, h2, b':', m1, m2, b':', s1, s2,
            b'Z',
        ];
        let with_fraction = [
            y1, y2, y3, y4, b'-', o1, o2, b'-', d1, d2, b'T', h1, h2, b':', m1, m2, b':', s1, s2,
            b'.', f1, f2, f3, b'Z',
        ];
        let text: &[u8] = if ms == 0 { &whole } else { &with_fraction };
        // Digits and signs are always text.
        receive(std::str::from_utf8(text).unwrap_or_default())
    }
}

/// The last two decimal digits of a number that is not negative.
fn two_digits(number: i64) -> [u8; 2] {
    let digit = |number: i64| b'0' + u8::try_from(number % 10).unwrap_or_default();
    [digit(number / 10), digit(number)]
}

/// The minutes of `+01:00` or `-05:30`.
fn offset_minutes(text: &str) -> Option<i64> {
    let (sign, time) = text.split_at_checked(1)?;
    let sign = match sign {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = time.split_once(':')?;
    let number = |digits: &str, most: i64| {
        let is_plain = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<i64>().ok().filter(|number| is_plain && *number <= most)
    };
    Some(sign * (number(hours, 23)? * 60 + number(minutes, 59)?))
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| f.write_str(text))
    }
}

impl FromStr for Timestamp {
    type Err = NotATimestamp;

    fn from_str(text: &str) -> Result<Self, NotATimestamp> {
        let plain = text.strip_suffix('Z').ok_or(NotATimestamp)?;
        let shaped = plain.len() >= 19
            && plain.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                10 => byte == b'T',
                13 | 16 => byte == b':',
                19 => byte == b'.',
                _ => byte.is_ascii_digit(),
            })
            && plain.len() != 20;
        if !shaped {
            return Err(NotATimestamp);
        }
        let civil: jiff::civil::DateTime = plain.parse().map_err(|_| NotATimestamp)?;
        let since = civil.duration_since(EPOCH);
        let ms = i64::try_from(since.as_millis()).map_err(|_| NotATimestamp)?;
        // Truncate finer fractions towards the past, also before 1970.
        let finer = i64::from(since.subsec_nanos() % 1_000_000 < 0);
        Ok(Self::from_millis(ms - finer))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_a_fraction_only_when_there_is_one() {
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(
            Timestamp::from_millis(1_794_711_380_007).to_string(),
            "2026-11-15T02:56:20.007Z"
        );
        assert_eq!(Timestamp::from_millis(-1).whole_seconds().to_string(), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for text in ["2026-11-15T02:56:20Z", "2026-11-15T02:56:20.5Z", "0000-01-01T00:00:00Z"] {
            assert!(text.parse::<Timestamp>().is_ok(), "{text}");
        }
        for text in [
            "",
            "Z",
            "2026-11-15",
            "2026-11-15T02:56:20",
            "2026-11-15 02:56:20Z",
            "2026-11-15T02:56:20+00:00",
            "2026-13-15T02:56:20Z",
            "2026-11-15T02:56:20.Z",
            "2026-11-15T02:56Z",
            "+02026-11-15T02:56:20Z",
            "2026-11-15t02:56:20Z",
        ] {
            assert_eq!(text.parse::<Timestamp>(), Err(NotATimestamp), "{text}");
        }
    }

    #[test]
    fn rfc_3339_with_an_offset_is_the_same_time_in_utc() {
        for text in [
            "2026-11-15T02:56:20Z",
            "2026-11-15t02:56:20z",
            "2026-11-15T02:56:20+00:00",
            "2026-11-15T02:56:20-00:00",
            "2026-11-15T03:56:20+01:00",
            "2026-11-14T21:26:20-05:30",
        ] {
            let at = Timestamp::from_rfc3339(text).map(|at| at.to_string());
            assert_eq!(at.as_deref(), Ok("2026-11-15T02:56:20Z"), "{text}");
        }
        let at = Timestamp::from_rfc3339("2026-11-15T03:56:20.5+01:00").unwrap();
        assert_eq!(at.to_string(), "2026-11-15T02:56:20.500Z");
        for text in [
            "",
            "+01:00",
            "2026-11-15T02:56:20",
            "2026-11-15T02:56:20+0100",
            "2026-11-15T02:56:20+24:00",
            "2026-11-15T02:56:20+01:60",
            "2026-11-15T02:56:20++1:00",
            "2026-11-15T02:56:20é01:00",
            "2026-11-15T02:56:20Z+01:00",
        ] {
            assert_eq!(Timestamp::from_rfc3339(text), Err(NotATimestamp), "{text}");
        }
    }

    #[test]
    fn the_first_and_last_timestamps_round_trip() {
        for (ms, text) in [
            (i64::MAX, "9999-12-31T23:59:59.999Z"),
            (253_402_300_799_000, "9999-12-31T23:59:59Z"),
            (253_402_207_201_000, "9999-12-30T22:00:01Z"),
            (i64::MIN, "0000-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp::from_millis(ms).to_string(), text);
            assert_eq!(text.parse(), Ok(Timestamp::from_millis(ms)));
        }
        assert_eq!("1969-12-31T23:59:59.9995Z".parse(), Ok(Timestamp::from_millis(-1)));
    }

    proptest::proptest! {
        #[test]
        fn every_timestamp_round_trips(ms in Timestamp::MIN_MS..=Timestamp::MAX_MS) {
            let at = Timestamp::from_millis(ms);
            proptest::prop_assert_eq!(at.to_string().parse::<Timestamp>(), Ok(at));
        }
    }
}
