//! Runs a census: one full public scan of each domain of the list. An interrupted run is resumed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use contract::Domain;
use contract::records::{CensusFrame, CensusRecord, CensusStatus, Visibility};
use futures_util::stream::{self, StreamExt};
use judge::resolve::census;
use store::{CensusQuery, CensusRow, StoreError};

use super::{Census, CensusList};
use crate::scanning::{Caller, ScanCommand, ScanError};

const METHOD: &str = "One full public scan of each domain of the list, from one network, and the answer built from it.";
/// Rows loaded at once when looking for domains that are already measured.
const ROWS_PER_LOAD: usize = 1_000;
/// How often a scan that found no free slot is tried, and the pause between tries.
const MAX_TRIES: u32 = 5;
const RETRY_PAUSE: Duration = Duration::from_secs(3);

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CensusProgress {
    pub done: u64,
    pub total: u64,
    pub measured: u64,
}

/// The result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CensusRunSummary {
    pub run: u64,
    /// Whether an interrupted run was resumed.
    pub resumed: bool,
    pub progress: CensusProgress,
}

#[derive(Debug, thiserror::Error)]
pub enum CensusRunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the list contains no public domain")]
    Empty,
    #[error("the census cannot be serialised: {0}")]
    Internal(String),
}

impl Census {
    /// Measures every domain of the list that is not measured yet in this run. `on_progress` is called
    /// after each domain.
    pub async fn run_census(
        self: &Arc<Self>,
        list: &CensusList,
        on_progress: &(dyn Fn(CensusProgress, &CensusRecord) + Sync),
    ) -> Result<CensusRunSummary, CensusRunError> {
        if list.domains.is_empty() {
            return Err(CensusRunError::Empty);
        }
        let (run, resumed) = self.begin_or_resume(&list.frame).await?;
        let done = self.measured_ranks(run).await?;
        let mut progress = CensusProgress {
            done: saturating_u64(done.len()),
            total: list.frame.size,
            measured: 0,
        };
        let remaining = list.domains.iter().filter(|(rank, _)| !done.contains(rank));
        let mut measuring = stream::iter(remaining)
            .map(|(rank, domain)| self.measure_and_store(run, *rank, domain))
            .buffer_unordered(self.scans_at_once.max(1));
        while let Some(measured) = measuring.next().await {
            let record = measured?;
            progress.done += 1;
            progress.measured += u64::from(record.status == CensusStatus::Measured);
            on_progress(progress, &record);
        }
        self.store.finish_census(run, self.clock.now().whole_seconds()).await?;
        Ok(CensusRunSummary { run, resumed, progress })
    }

    /// The interrupted run of this list, or a new run.
    async fn begin_or_resume(&self, frame: &CensusFrame) -> Result<(u64, bool), CensusRunError> {
        if let Some((latest, _)) = self.store.census_run(None).await?
            && latest.finished_at.is_none()
            && serde_json::from_slice::<CensusFrame>(&latest.frame)
                .is_ok_and(|stored| stored.frame_sha256 == frame.frame_sha256)
        {
            return Ok((latest.run, true));
        }
        let serialised =
            serde_json::to_vec(frame).map_err(|e| CensusRunError::Internal(e.to_string()))?;
        let version_id = self
            .builds
            .running_build()
            .map_or_else(|| "unknown".to_owned(), |build| build.version_id().to_hex());
        let run = self.store.begin_census(
            self.clock.now().whole_seconds(),
            serialised.into(),
            METHOD.to_owned(),
            version_id,
        );
        Ok((run.await?, false))
    }

    async fn measured_ranks(&self, run: u64) -> Result<BTreeSet<u64>, CensusRunError> {
        let mut done = BTreeSet::new();
        loop {
            let query = CensusQuery {
                after_rank: done.last().copied(),
                limit: ROWS_PER_LOAD,
                ..CensusQuery::default()
            };
            let rows = self.store.census_rows(run, query).await?;
            let full = rows.len() == ROWS_PER_LOAD;
            done.extend(rows.into_iter().map(|row| row.rank));
            if !full {
                return Ok(done);
            }
        }
    }

    async fn measure_and_store(
        self: &Arc<Self>,
        run: u64,
        rank: u64,
        domain: &Domain,
    ) -> Result<CensusRecord, CensusRunError> {
        let record = self.measure_domain(run, rank, domain).await;
        let body =
            serde_json::to_vec(&record).map_err(|e| CensusRunError::Internal(e.to_string()))?;
        let row = CensusRow {
            run,
            rank,
            domain: domain.clone(),
            status: record.status.as_str().to_owned(),
            measured_at: record.measured_at,
            answer_sha256: record.answer_sha256.as_ref().and_then(|hex| hex.parse().ok()),
            body: body.into(),
        };
        self.store.put_census_rows(vec![row]).await?;
        Ok(record)
    }

    /// The record of one domain. A domain that could not be measured gets a record too.
    async fn measure_domain(
        self: &Arc<Self>,
        run: u64,
        rank: u64,
        domain: &Domain,
    ) -> CensusRecord {
        let without = |status| {
            census::census_record_without_answer(rank, domain, status, &self.issuer.base_url)
        };
        let id = match self.scan_for_census(domain).await {
            Ok(Some(id)) => id,
            Ok(None) => return without(CensusStatus::Unreachable),
            Err(error) => {
                tracing::warn!(%error, %domain, "the scan of a census domain failed");
                return without(CensusStatus::NotMeasured);
            }
        };
        let answer = match self.answers.publish_census_scan(&id, run, rank).await {
            Ok(Some(cached)) => cached.parse(),
            Ok(None) => None,
            Err(error) => {
                tracing::warn!(%error, %domain, "no answer could be built from a census scan");
                None
            }
        };
        match answer {
            Some(answer) => census::census_record(rank, &answer, &self.issuer.base_url),
            None => without(CensusStatus::NotMeasured),
        }
    }

    /// The id of the scan; `None` when the site did not respond.
    async fn scan_for_census(
        self: &Arc<Self>,
        domain: &Domain,
    ) -> Result<Option<String>, ScanError> {
        let mut tries = 0;
        loop {
            let request = ScanCommand {
                input: domain.to_string(),
                visibility: Visibility::Public,
                caller: Caller::Internal,
            };
            tries += 1;
            match self.scanning.scan(request).await {
                Ok(reply) => return Ok(reply.id),
                Err(ScanError::Busy { .. } | ScanError::InProgress { .. }) if tries < MAX_TRIES => {
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn saturating_u64(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
