//! UTC days, written `YYYY-MM-DD`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::Timestamp;

/// A UTC day between the years 0000 and 9999, the range of [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ToSchema)]
#[schema(value_type = String, format = Date, example = "2026-11-15")]
pub struct Day(i64);

/// The text is not a day of the form `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a day of the form YYYY-MM-DD")]
pub struct NotADay;

impl Day {
    const MS: i64 = 24 * 3600 * 1000;

    /// The day that contains this time.
    #[must_use]
    pub fn of(timestamp: Timestamp) -> Self {
        Self(timestamp.as_millis().div_euclid(Self::MS))
    }

    /// From days since 1970-01-01, clamped to the years 0000 to 9999.
    #[must_use]
    pub fn from_number(number: i64) -> Self {
        Self::of(Timestamp::from_millis(number.saturating_mul(Self::MS)))
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub fn number(self) -> i64 {
        self.0
    }

    /// The first millisecond of the day.
    #[must_use]
    pub fn begins_at(self) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_mul(Self::MS))
    }

    /// The first millisecond of the next day.
    #[must_use]
    pub fn ends_at(self) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_add(1).saturating_mul(Self::MS))
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

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.begins_at().with_day_text(|text| f.write_str(text))
    }
}

impl FromStr for Day {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Self, NotADay> {
        // The timestamp's parser is strict, so only the length needs a check here.
        if text.len() != 10 {
            return Err(NotADay);
        }
        let midnight: Timestamp = format!("{text}T00:00:00Z").parse().map_err(|_| NotADay)?;
        Ok(Self::of(midnight))
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.begins_at().with_day_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_where_the_next_begins() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let day = Day::of(at("2026-11-15T23:59:59.999Z"));
        assert_eq!(day, Day::of(at("2026-11-15T00:00:00Z")));
        assert_eq!(day.begins_at(), at("2026-11-15T00:00:00Z"));
        assert_eq!(day.ends_at(), at("2026-11-16T00:00:00Z"));
        assert_eq!(Day::of(day.ends_at()), day.next());
        assert_eq!(day.next().previous(), day);
        assert_eq!(Day::of(at("1969-12-31T23:59:59Z")).number(), -1);
    }

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for text in ["2026-11-15", "2024-02-29", "0000-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Day>().unwrap().to_string(), text);
        }
        for text in
            ["", "2026-11-1", "2026-11-31", "2026-13-01", "2026/11/15", "+2026-11-5", "2026-11-15T"]
        {
            assert_eq!(text.parse::<Day>(), Err(NotADay), "{text}");
        }
        assert_eq!(Day::from_number(i64::MAX).to_string(), "9999-12-31");
        assert_eq!(Day::from_number(i64::MIN).to_string(), "0000-01-01");
    }

    proptest::proptest! {
        #[test]
        fn every_day_round_trips(number in -719_528_i64..2_932_896) {
            let day = Day::from_number(number);
            proptest::prop_assert_eq!(day.number(), number);
            proptest::prop_assert_eq!(day.to_string().parse::<Day>(), Ok(day));
        }
    }
}
