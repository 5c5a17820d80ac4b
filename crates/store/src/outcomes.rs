//! What agents report of their own visits. Self-reported: nothing that decides ever reads it.
//!
//! Who reported is kept under a digest that its user chose and that holds for one day, so that
//! reporters of a day can be counted and those of two days cannot be compared.

use std::collections::BTreeMap;

use contract::{Domain, Timestamp};

use crate::{BoxFuture, Day, Digest, Draw, StoreError, Taking};

/// One report, as it is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOutcome {
    pub domain: Domain,
    pub at: Timestamp,
    pub action: String,
    /// `ok`, `blocked`, `challenged` or `error`.
    pub outcome: String,
    /// The name the agent gave itself.
    pub agent: Option<String>,
    pub status: Option<u16>,
    /// What the resolve answer had led the agent to expect.
    pub resolve_said: Option<String>,
    pub disagree: bool,
    /// Whoever sent it, under a name of that day.
    pub reporter: Digest,
}

/// A report with its place among all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptOutcome {
    pub seq: u64,
    pub outcome: NewOutcome,
}

/// Reports, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutcomeTally {
    pub n: u64,
    pub ok: u64,
    pub blocked: u64,
    pub challenged: u64,
    pub error: u64,
    pub disagree: u64,
    /// Different ones on that day; of several days, the sum of these.
    pub reporters: u64,
}

/// The reports about one domain in some days.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// Every day that has a report, the oldest first.
    pub days: Vec<(Day, OutcomeTally)>,
    pub by_action: BTreeMap<String, u64>,
    /// Names agents gave themselves: the [`AGENTS_NAMED`] that were given most often.
    pub by_agent: BTreeMap<String, u64>,
    pub by_status: BTreeMap<u16, u64>,
    /// The last [`RECENT_OUTCOMES`], the newest first.
    pub recent: Vec<NewOutcome>,
}

/// The most agents that counts name, because anybody can make names up.
pub const AGENTS_NAMED: usize = 50;
pub const RECENT_OUTCOMES: usize = 20;

pub trait Outcomes: Send + Sync {
    /// Keeps a report and takes one of each allowance, in one step, or neither; durable when this
    /// returns. The day is that of `at`.
    fn put_outcome(
        &self,
        outcome: NewOutcome,
        draws: Vec<Draw>,
    ) -> BoxFuture<'_, Result<Taking, StoreError>>;

    /// The reports about a domain from the day `from` to the day `to`, both included.
    fn outcome_summary<'a>(
        &'a self,
        domain: &'a Domain,
        from: Day,
        to: Day,
    ) -> BoxFuture<'a, Result<OutcomeCounts, StoreError>>;

    /// The counts of one day by domain, in the order of names, at most `limit`, all after `after`.
    fn outcome_days(
        &self,
        day: Day,
        after: Option<Domain>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(Domain, OutcomeTally)>, StoreError>>;

    /// The day of the first report that is kept.
    fn first_outcome_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>>;

    /// Forgets the reports of all days before `before`, and says how many there were.
    fn forget_outcomes(&self, before: Day) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Every report in the order they came, at most `limit`, all after `after`.
    fn export_outcomes(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<KeptOutcome>, StoreError>>;

    /// Keeps reports under the places they have in another store. The same again is fine; another
    /// one in its place is refused, and nothing is changed.
    fn import_outcomes(&self, outcomes: Vec<KeptOutcome>) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl OutcomeCounts {
    /// All days together.
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
