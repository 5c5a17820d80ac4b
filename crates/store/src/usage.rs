//! The calls of licences: counted by the month against a quota, and by day and operation for their
//! holders.

use contract::Timestamp;

use crate::{BoxFuture, Day, Month, StoreError};

/// Whether a call may be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaOutcome {
    /// It was counted. `used_in_month` includes it.
    Counted { used_in_month: u64 },
    /// Nothing was counted, because the quota of the month is used up.
    Spent { used_in_month: u64 },
}

/// The calls of one operation on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    pub licence_id: String,
    pub day: Day,
    /// The name of the operation, which the caller chose.
    pub operation: String,
    pub calls: u64,
}

/// A position in the order of rows: by licence (bytewise), day and operation (bytewise).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsageCursor {
    pub licence_id: String,
    pub day: Day,
    pub operation: String,
}

/// The most rows that [`Usage::usage_of`] returns: 400 days with more than a hundred operations each.
pub const MAX_USAGE_ROWS: usize = 50_000;

pub trait Usage: Send + Sync {
    /// Counts one call in the month and in the row of its day and operation, in one transaction, unless
    /// the month has `quota` calls already; durable when this returns. Of concurrent callers exactly as
    /// many are counted as the quota has left. `at` decides the month, whatever was counted before.
    fn count_call<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
        operation: &'a str,
        quota: Option<u64>,
    ) -> BoxFuture<'a, Result<QuotaOutcome, StoreError>>;

    /// Takes back one call that was counted with the same values, from its day and its month. Returns
    /// `false`, and changes nothing, if no such call is counted.
    fn give_back_call<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
        operation: &'a str,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// How many calls are counted in that month.
    fn used_in_month<'a>(
        &'a self,
        licence_id: &'a str,
        month: Month,
    ) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// The rows of a licence from `first` to `last`, both included, by day and operation; at most
    /// [`MAX_USAGE_ROWS`].
    fn usage_of<'a>(
        &'a self,
        licence_id: &'a str,
        first: Day,
        last: Day,
    ) -> BoxFuture<'a, Result<Vec<UsageRow>, StoreError>>;

    /// The rows of all licences after `after`, at most `limit`: for copying to another store.
    fn export_usage(
        &self,
        after: Option<UsageCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<UsageRow>, StoreError>>;

    /// Stores rows of another store in place of those that are stored, and corrects the months by the
    /// difference. Storing the same again has no effect.
    fn import_usage(&self, rows: Vec<UsageRow>) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl UsageRow {
    #[must_use]
    pub fn cursor(&self) -> UsageCursor {
        UsageCursor {
            licence_id: self.licence_id.clone(),
            day: self.day,
            operation: self.operation.clone(),
        }
    }
}
