//! Allowances: how many times one client, or all clients together, have used something in a day or a
//! month.
//!
//! Each count is stored under a digest chosen by the caller. The store cannot tell which address a
//! digest belongs to.

use contract::{Day, Month, Timestamp};

use crate::{BoxFuture, Digest, StoreError};

/// The time that an allowance is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Period {
    Day(Day),
    Month(Month),
}

/// One use of an allowance: the key it is counted under, and the limit for the period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllowanceDraw {
    pub key: Digest,
    pub limit: u32,
}

/// Whether an allowance was granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowanceOutcome {
    /// One use of each allowance was counted.
    Granted,
    /// Nothing was counted, because the draw at this index is used up for the period.
    Exhausted { which: usize },
}

/// How long the counts of a period are kept after its end, so that a clock that is set back finds them
/// and nobody gets an allowance twice.
pub const KEPT_AFTER_PERIOD_MS: i64 = 2 * 24 * 3600 * 1000;

pub trait Allowances: Send + Sync {
    /// Counts one use of each allowance, or of none; durable when this returns. Two concurrent
    /// calls never both get the last use.
    fn draw_allowances(
        &self,
        period: Period,
        draws: Vec<AllowanceDraw>,
    ) -> BoxFuture<'_, Result<AllowanceOutcome, StoreError>>;

    /// How many uses were counted in that period.
    fn allowance_used(
        &self,
        period: Period,
        what: Digest,
    ) -> BoxFuture<'_, Result<u32, StoreError>>;

    /// Deletes the counts of all periods that ended at least [`KEPT_AFTER_PERIOD_MS`] before `now`, and
    /// returns how many there were.
    fn delete_past_allowances(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>>;
}

impl Period {
    /// The word under which engines store it.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Day(_) => "day",
            Self::Month(_) => "month",
        }
    }

    /// The first millisecond after it.
    #[must_use]
    pub fn ends_at(self) -> Timestamp {
        match self {
            Self::Day(day) => day.ends_at(),
            Self::Month(month) => month.ends_at(),
        }
    }
}

impl From<Day> for Period {
    fn from(day: Day) -> Self {
        Self::Day(day)
    }
}

impl From<Month> for Period {
    fn from(month: Month) -> Self {
        Self::Month(month)
    }
}
