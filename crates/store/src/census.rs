//! The census: one reading of each domain of a list, run by run.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::scans::check_size;
use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CensusRun {
    /// From 1.
    pub run: u64,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// The list the domains are from, as JSON.
    pub frame: Bytes,
    pub method: String,
    /// The program that measures.
    pub version_id: String,
}

/// A domain in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CensusRow {
    pub run: u64,
    pub rank: u64,
    pub domain: Domain,
    pub status: String,
    pub measured_at: Option<Timestamp>,
    pub answer_sha256: Option<Digest>,
    /// The record as it is shown, as JSON.
    pub body: Bytes,
}

/// Which rows of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CensusAsk {
    /// Only ranks after this one.
    pub after_rank: Option<u64>,
    /// Only ranks up to this one.
    pub rank_max: Option<u64>,
    pub domain: Option<Domain>,
    pub limit: usize,
}

pub trait Census: Send + Sync {
    /// Begins a run and gives its number, which is larger than any before.
    fn begin_census(
        &self,
        started_at: Timestamp,
        frame: Bytes,
        method: String,
        version_id: String,
    ) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Keeps rows, each in place of the one of its run and rank, all or none; durable when this
    /// returns. A row of a run that was never begun is refused.
    fn put_census(&self, rows: Vec<CensusRow>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Ends a run. The first moment stands.
    fn finish_census(&self, run: u64, at: Timestamp) -> BoxFuture<'_, Result<(), StoreError>>;

    /// A run, or the latest, with the number of its rows.
    fn census_run(
        &self,
        run: Option<u64>,
    ) -> BoxFuture<'_, Result<Option<(CensusRun, u64)>, StoreError>>;

    /// Rows of a run by rank.
    fn census_rows(
        &self,
        run: u64,
        ask: CensusAsk,
    ) -> BoxFuture<'_, Result<Vec<CensusRow>, StoreError>>;

    /// A domain's row in the latest run that has it.
    fn census_of<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<CensusRow>, StoreError>>;

    /// Runs in their order, at most `limit`, all after `after`.
    fn census_runs(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<CensusRun>, StoreError>>;

    /// Keeps a run under the number it has in another store. One that has ended since is brought
    /// up to date; another one of that number is refused.
    fn import_census_run(&self, run: CensusRun) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl CensusRow {
    /// Refuses what is too large for any engine; called by engines before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("census row", &self.body)
    }
}
