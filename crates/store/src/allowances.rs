//! Daily allowances: how many times one client, or all clients together, have used something today.
//!
//! Each count is stored under a digest chosen by the caller. The store cannot tell which address a
//! digest belongs to.

use contract::Day;

use crate::{BoxFuture, Digest, StoreError};

/// One use of an allowance: the key it is counted under, and the daily limit.
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
    /// Nothing was counted, because the draw at this index is used up for the day.
    Exhausted { which: usize },
}

pub trait Allowances: Send + Sync {
    /// Counts one use of each allowance, or of none; durable when this returns. Two concurrent
    /// calls never both get the last use.
    fn draw_allowances(
        &self,
        day: Day,
        draws: Vec<AllowanceDraw>,
    ) -> BoxFuture<'_, Result<AllowanceOutcome, StoreError>>;

    /// How many uses were counted on that day.
    fn allowance_used(&self, day: Day, what: Digest) -> BoxFuture<'_, Result<u32, StoreError>>;

    /// Deletes the counts of all days before `day`, and returns how many there were.
    fn delete_allowances_before(&self, day: Day) -> BoxFuture<'_, Result<u64, StoreError>>;
}
