//! Allowances by the day: how many of something one asker, or all together, have had.
//!
//! A count is kept under a digest that its user chose; which address stands behind one cannot be
//! read from here.

use contract::Timestamp;

use crate::{BoxFuture, Digest, StoreError};

/// A UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

/// One of an allowance: what it is counted under, and how many there are in a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    pub what: Digest,
    pub most: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taking {
    /// One of each was taken.
    Taken,
    /// Nothing was taken, because this draw (by its place among those given) has none left.
    Spent { which: usize },
}

pub trait Limits: Send + Sync {
    /// Takes one of each, or none at all; durable when this returns. Two that draw at once never
    /// both get the last one.
    fn take(&self, day: Day, draws: Vec<Draw>) -> BoxFuture<'_, Result<Taking, StoreError>>;

    /// How many were taken that day.
    fn taken(&self, day: Day, what: Digest) -> BoxFuture<'_, Result<u32, StoreError>>;

    /// Forgets the counts of all days before `day`, and says how many there were.
    fn forget_before(&self, day: Day) -> BoxFuture<'_, Result<u64, StoreError>>;
}

impl Day {
    const MS: i64 = 24 * 3600 * 1000;

    #[must_use]
    pub fn of(moment: Timestamp) -> Self {
        Self(moment.as_millis().div_euclid(Self::MS))
    }

    /// Days since 1970.
    #[must_use]
    pub fn number(self) -> i64 {
        self.0
    }

    /// The first moment of the day after.
    #[must_use]
    pub fn ends_at(self) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_add(1).saturating_mul(Self::MS))
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
        assert_eq!(day.ends_at(), at("2026-11-16T00:00:00Z"));
        assert_eq!(Day::of(day.ends_at()).number(), day.number() + 1);
        assert_eq!(Day::of(at("1969-12-31T23:59:59Z")).number(), -1);
    }
}
