//! What agents report about their own visits. The reports are unverified, and no decision reads
//! them.
//!
//! The reporter is stored as a digest that is valid for one day, so that the reporters of a day can
//! be counted but not compared across days.

use std::collections::BTreeMap;

use contract::{Domain, Timestamp};

use crate::{AllowanceDraw, AllowanceOutcome, BoxFuture, Day, Digest, StoreError};

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOutcome {
    pub domain: Domain,
    pub at: Timestamp,
    pub action: String,
    /// `ok`, `blocked`, `challenged` or `error`.
    pub outcome: String,
    /// The agent's name according to the report.
    pub agent: Option<String>,
    pub status: Option<u16>,
    /// What the resolve answer said, according to the report.
    pub resolve_said: Option<String>,
    pub disagree: bool,
    /// The sender, as a digest that is valid for one day.
    pub reporter: Digest,
}

/// A stored report with its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOutcome {
    pub seq: u64,
    pub outcome: NewOutcome,
}

/// Counts of reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutcomeTally {
    pub n: u64,
    pub ok: u64,
    pub blocked: u64,
    pub challenged: u64,
    pub error: u64,
    pub disagree: u64,
    /// Distinct reporters of a day; over several days, the sum of the daily numbers.
    pub reporters: u64,
}

/// The reports about one domain over a range of days.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// Every day with a report, oldest first.
    pub days: Vec<(Day, OutcomeTally)>,
    pub by_action: BTreeMap<String, u64>,
    /// Counts by agent name: the [`MAX_AGENTS_LISTED`] most frequent names.
    pub by_agent: BTreeMap<String, u64>,
    pub by_status: BTreeMap<u16, u64>,
    /// The latest [`MAX_RECENT_OUTCOMES`] reports, newest first.
    pub recent: Vec<NewOutcome>,
}

/// The maximum number of agent names in the counts. It is limited because anyone can invent names.
pub const MAX_AGENTS_LISTED: usize = 50;
pub const MAX_RECENT_OUTCOMES: usize = 20;

pub trait Outcomes: Send + Sync {
    /// Stores a report and counts one use of each allowance in one transaction, or does neither;
    /// durable when this returns. The day is that of `at`.
    fn put_outcome(
        &self,
        outcome: NewOutcome,
        draws: Vec<AllowanceDraw>,
    ) -> BoxFuture<'_, Result<AllowanceOutcome, StoreError>>;

    /// The reports about a domain from day `from` to day `to`, inclusive.
    fn outcome_summary<'a>(
        &'a self,
        domain: &'a Domain,
        from: Day,
        to: Day,
    ) -> BoxFuture<'a, Result<OutcomeCounts, StoreError>>;

    /// The counts of one day for domains after `after`, ordered by name, at most `limit`.
    fn outcome_days(
        &self,
        day: Day,
        after: Option<Domain>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(Domain, OutcomeTally)>, StoreError>>;

    /// The day of the oldest stored report.
    fn first_outcome_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>>;

    /// Deletes the reports of all days before `before`, and returns how many there were.
    fn delete_outcomes_before(&self, before: Day) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// All reports after `after`, in the order they were stored, at most `limit`.
    fn export_outcomes(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredOutcome>, StoreError>>;

    /// Stores reports under their numbers in another store. Storing the same report again has no
    /// effect; if a different one has the number, everything is refused and nothing changes.
    fn import_outcomes(
        &self,
        outcomes: Vec<StoredOutcome>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl OutcomeCounts {
    /// The sum over all days.
    #[must_use]
    pub fn total(&self) -> OutcomeTally {
        let mut total = OutcomeTally::default();
        for (_, day) in &self.days {
            total.n += day.n;
            total.ok += day.ok;
            total.blocked += day.blocked;
            total.challenged += day.challenged;
            total.error += day.error;
            total.disagree += day.disagree;
            total.reporters += day.reporters;
        }
        total
    }
}
