//! The census: runs that read every domain of a list once.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CensusRun {
    /// From 1.
    pub run: u64,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// The list of domains, as JSON.
    pub frame: Bytes,
    pub method: String,
    /// The build that runs the census.
    pub version_id: String,
}

/// The result for one domain in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CensusRow {
    pub run: u64,
    pub rank: u64,
    pub domain: Domain,
    pub status: String,
    pub measured_at: Option<Timestamp>,
    pub answer_sha256: Option<Digest>,
    /// The record as served, as JSON.
    pub body: Bytes,
}

/// Which rows of a run to return.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CensusQuery {
    /// Only ranks after this one.
    pub after_rank: Option<u64>,
    /// Only ranks up to this one.
    pub rank_max: Option<u64>,
    pub domain: Option<Domain>,
    pub limit: usize,
}

pub trait Census: Send + Sync {
    /// Starts a run and returns its number, which is larger than all earlier ones.
    fn begin_census(
        &self,
        started_at: Timestamp,
        frame: Bytes,
        method: String,
        version_id: String,
    ) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Stores all rows or none, each replacing the row with the same run and rank; durable when
    /// this returns. A row of an unknown run is refused.
    fn put_census_rows(&self, rows: Vec<CensusRow>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Ends a run. Ending it again does not change the time.
    fn finish_census(&self, run: u64, at: Timestamp) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The given run, or the latest, with the number of its rows.
    fn census_run(
        &self,
        run: Option<u64>,
    ) -> BoxFuture<'_, Result<Option<(CensusRun, u64)>, StoreError>>;

    /// Rows of a run, ordered by rank.
    fn census_rows(
        &self,
        run: u64,
        ask: CensusQuery,
    ) -> BoxFuture<'_, Result<Vec<CensusRow>, StoreError>>;

    /// The domain's row in the latest run that contains it.
    fn latest_census_row<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Option<CensusRow>, StoreError>>;

    /// Runs after `after`, in ascending order, at most `limit`.
    fn census_runs(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<CensusRun>, StoreError>>;

    /// Stores a run under its number in another store. An existing copy of the same run is updated
    /// when the run has ended since; a different run with that number is refused.
    fn import_census_run(&self, run: CensusRun) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl CensusRow {
    /// Refuses a row that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("census row", &self.body)
    }
}
