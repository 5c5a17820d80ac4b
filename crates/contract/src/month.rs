//! UTC months, written `YYYY-MM`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::Timestamp;

/// A UTC month between the years 0000 and 9999, the range of [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ToSchema)]
#[schema(value_type = String, example = "2026-11")]
pub struct Month(i64);

/// The text is not a month of the form `YYYY-MM`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a month of the form YYYY-MM")]
pub struct NotAMonth;

impl Month {
    /// January 0000.
    const FIRST: i64 = -1970 * 12;
    /// December 9999.
    const LAST: i64 = (9999 - 1970) * 12 + 11;

    /// The month that contains this time.
    #[must_use]
    pub fn of(timestamp: Timestamp) -> Self {
        let (year, month) = year_and_month(&timestamp.day()).unwrap_or((1970, 1));
        Self::from_number((year - 1970) * 12 + month - 1)
    }

    /// From months since January 1970, clamped to the years 0000 to 9999.
    #[must_use]
    pub fn from_number(number: i64) -> Self {
        Self(number.clamp(Self::FIRST, Self::LAST))
    }

    /// Months since January 1970.
    #[must_use]
    pub fn number(self) -> i64 {
        self.0
    }

    /// The first millisecond of the month.
    #[must_use]
    pub fn begins_at(self) -> Timestamp {
        // Every month of the range has such a time.
        format!("{self}-01T00:00:00Z").parse().unwrap_or(Timestamp::from_millis(i64::MIN))
    }

    /// The first millisecond of the next month.
    #[must_use]
    pub fn ends_at(self) -> Timestamp {
        if self.0 >= Self::LAST {
            return Timestamp::from_millis(i64::MAX);
        }
        self.next().begins_at()
    }

    #[must_use]
    pub fn next(self) -> Self {
        Self::from_number(self.0.saturating_add(1))
    }

    #[must_use]
    pub fn previous(self) -> Self {
        Self::from_number(self.0.saturating_sub(1))
    }
}

/// Year and month of a text that begins with `YYYY-MM`.
fn year_and_month(text: &str) -> Option<(i64, i64)> {
    let mut parts = text.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let year = self.0.div_euclid(12) + 1970;
        write!(f, "{year:04}-{:02}", self.0.rem_euclid(12) + 1)
    }
}

impl FromStr for Month {
    type Err = NotAMonth;

    fn from_str(text: &str) -> Result<Self, NotAMonth> {
        // The timestamp's parser is strict, so only the length needs a check here.
        if text.len() != 7 {
            return Err(NotAMonth);
        }
        let begin: Timestamp = format!("{text}-01T00:00:00Z").parse().map_err(|_| NotAMonth)?;
        Ok(Self::of(begin))
    }
}

impl Serialize for Month {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Month {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_month_ends_where_the_next_begins() {
        let month = Month::of(at("2026-12-31T23:59:59.999Z"));
        assert_eq!(month, Month::of(at("2026-12-01T00:00:00Z")));
        assert_eq!(month.begins_at(), at("2026-12-01T00:00:00Z"));
        assert_eq!(month.ends_at(), at("2027-01-01T00:00:00Z"));
        assert_eq!(Month::of(month.ends_at()), month.next());
        assert_eq!(month.next().previous(), month);
        assert_eq!(Month::of(at("2024-02-29T12:00:00Z")).ends_at(), at("2024-03-01T00:00:00Z"));
        assert_eq!(Month::of(at("1970-01-01T00:00:00Z")).number(), 0);
        assert_eq!(Month::of(at("1969-12-31T23:59:59Z")).number(), -1);
    }

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for text in ["2026-11", "2024-02", "0000-01", "9999-12"] {
            assert_eq!(text.parse::<Month>().unwrap().to_string(), text);
        }
        for text in ["", "2026-1", "2026-13", "2026-00", "2026/11", "+026-11", "2026-11-15"] {
            assert_eq!(text.parse::<Month>(), Err(NotAMonth), "{text}");
        }
        assert_eq!(Month::from_number(i64::MAX).to_string(), "9999-12");
        assert_eq!(Month::from_number(i64::MIN).to_string(), "0000-01");
        let last = Month::from_number(i64::MAX);
        assert!(last.ends_at() > last.begins_at());
    }

    proptest::proptest! {
        #[test]
        fn every_month_round_trips(number in -23_640_i64..96_359) {
            let month = Month::from_number(number);
            proptest::prop_assert_eq!(month.number(), number);
            proptest::prop_assert_eq!(month.to_string().parse::<Month>(), Ok(month));
            proptest::prop_assert_eq!(Month::of(month.begins_at()), month);
            proptest::prop_assert_eq!(Month::of(month.ends_at().plus_millis(-1)), month);
        }
    }
}
