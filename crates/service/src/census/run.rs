//! A run over a list: one full public scan of each domain, by all slots, that can be broken off and
//! goes on where it was.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use contract::Domain;
use contract::records::{CensusFrame, CensusRecord, CensusStatus, Visibility};
use futures_util::stream::{self, StreamExt};
use judge::resolve::census;
use store::{CensusAsk, CensusRow, StoreError};

use super::CensusList;
use crate::Service;
use crate::scan::{Caller, ScanAsk, ScanError};

const METHOD: &str = "One full public scan of each domain of the list, from one network, and the answer that is \
    made of it.";
/// Rows read at once to find out what is done.
const CHUNK: usize = 1_000;
/// How often a scan that found no room is tried again, and after how long.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_secs(3);

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CensusProgress {
    pub done: u64,
    pub of: u64,
    pub measured: u64,
}

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CensusDone {
    pub run: u64,
    /// Whether it went on with one that was broken off.
    pub resumed: bool,
    pub progress: CensusProgress,
}

#[derive(Debug, thiserror::Error)]
pub enum CensusRunError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the list names no domain that may be read")]
    Empty,
    #[error("a census cannot be written down: {0}")]
    Internal(String),
}

impl Service {
    /// Measures every domain of the list that is not measured yet in this run. `told` is called
    /// after each.
    pub async fn census(
        self: &Arc<Self>,
        list: &CensusList,
        told: &(dyn Fn(CensusProgress, &CensusRecord) + Sync),
    ) -> Result<CensusDone, CensusRunError> {
        if list.domains.is_empty() {
            return Err(CensusRunError::Empty);
        }
        let (run, resumed) = self.begin_or_resume(&list.frame).await?;
        let done = self.ranks_done(run).await?;
        let mut progress =
            CensusProgress { done: number(done.len()), of: list.frame.size, measured: 0 };
        let left = list.domains.iter().filter(|(rank, _)| !done.contains(rank));
        let mut measuring = stream::iter(left)
            .map(|(rank, domain)| self.measure(run, *rank, domain))
            .buffer_unordered(self.settings.scans_at_once.max(1));
        while let Some(measured) = measuring.next().await {
            let record = measured?;
            progress.done += 1;
            progress.measured += u64::from(record.status == CensusStatus::Measured);
            told(progress, &record);
        }
        self.store.finish_census(run, self.now()).await?;
        Ok(CensusDone { run, resumed, progress })
    }

    /// The run of this list that was broken off, or a new one.
    async fn begin_or_resume(&self, frame: &CensusFrame) -> Result<(u64, bool), CensusRunError> {
        if let Some((latest, _)) = self.store.census_run(None).await?
            && latest.finished_at.is_none()
            && serde_json::from_slice::<CensusFrame>(&latest.frame)
                .is_ok_and(|kept| kept.frame_sha256 == frame.frame_sha256)
        {
            return Ok((latest.run, true));
        }
        let written =
            serde_json::to_vec(frame).map_err(|e| CensusRunError::Internal(e.to_string()))?;
        let version_id =
            self.build().map_or_else(|| "unknown".to_owned(), |build| build.version_id().to_hex());
        let begun =
            self.store.begin_census(self.now(), written.into(), METHOD.to_owned(), version_id);
        Ok((begun.await?, false))
    }

    async fn ranks_done(&self, run: u64) -> Result<BTreeSet<u64>, CensusRunError> {
        let mut done = BTreeSet::new();
        loop {
            let ask = CensusAsk {
                after_rank: done.last().copied(),
                limit: CHUNK,
                ..CensusAsk::default()
            };
            let rows = self.store.census_rows(run, ask).await?;
            let full = rows.len() == CHUNK;
            done.extend(rows.into_iter().map(|row| row.rank));
            if !full {
                return Ok(done);
            }
        }
    }

    async fn measure(
        self: &Arc<Self>,
        run: u64,
        rank: u64,
        domain: &Domain,
    ) -> Result<CensusRecord, CensusRunError> {
        let record = self.measured(run, rank, domain).await;
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
        self.store.put_census(vec![row]).await?;
        Ok(record)
    }

    /// What one domain came to. That it could not be measured is a row as well.
    async fn measured(self: &Arc<Self>, run: u64, rank: u64, domain: &Domain) -> CensusRecord {
        let without = |status| census::without_answer(rank, domain, status, self.base_url());
        let id = match self.scan_for_census(domain).await {
            Ok(Some(id)) => id,
            Ok(None) => return without(CensusStatus::Unreachable),
            Err(error) => {
                tracing::warn!(%error, %domain, "a domain of the census was not measured");
                return without(CensusStatus::NotMeasured);
            }
        };
        let landed = self.land_census(&id, run, rank).await;
        let answer = match landed {
            Ok(Some(hot)) => hot.answer(),
            Ok(None) => None,
            Err(error) => {
                tracing::warn!(%error, %domain, "a scan of the census has no answer");
                None
            }
        };
        match answer {
            Some(answer) => census::record(rank, &answer, self.base_url()),
            None => without(CensusStatus::NotMeasured),
        }
    }

    /// The id of the scan; nothing when nothing answered.
    async fn scan_for_census(
        self: &Arc<Self>,
        domain: &Domain,
    ) -> Result<Option<String>, ScanError> {
        let mut tries = 0;
        loop {
            let ask = ScanAsk {
                input: domain.to_string(),
                visibility: Visibility::Public,
                caller: Caller::OurWork,
            };
            tries += 1;
            match self.scan(ask).await {
                Ok(reply) => return Ok(reply.id),
                Err(ScanError::Busy { .. } | ScanError::InProgress { .. }) if tries < TRIES => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn number(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
