//! What is shown of a run: page by page, or line by line.

use contract::Domain;
use contract::limits::{CENSUS_LINES_MAX, CENSUS_PAGE_MAX};
use contract::records::{
    Action, CensusCode, CensusEnd, CensusFrame, CensusPage, CensusRecord, CensusRunRecord, Decision,
};
use proof::{Digest, KeyPurpose, ProofError};
use store::{CensusAsk, CensusRun, StoreError};

use crate::Service;

const LICENSE: &str = "CC-BY-4.0";
/// Rows looked at for one answer, when filters leave most of them out.
const MAX_LOOKED_AT: usize = 20_000;

/// Which records are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CensusWanted {
    /// Nothing for the latest.
    pub run: Option<u64>,
    pub cursor: Option<CensusCursor>,
    pub limit: usize,
    pub rank_max: Option<u64>,
    pub domain: Option<Domain>,
    pub decision: Option<(Action, Decision)>,
    /// The state of the crawl policy.
    pub section_state: Option<String>,
}

/// Where a page begins: behind this rank of this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CensusCursor {
    pub run: u64,
    pub rank: u64,
}

impl CensusCursor {
    /// `n7-412`
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (run, rank) = text.strip_prefix('n')?.split_once('-')?;
        let plain = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        };
        Some(Self { run: plain(run)?, rank: plain(rank)? })
    }

    #[must_use]
    pub fn text(self) -> String {
        format!("n{}-{}", self.run, self.rank)
    }
}

/// An answer about a run.
#[derive(Debug, Clone)]
pub struct CensusPaper {
    pub bytes: Vec<u8>,
    /// Of what is signed: the same records have the same.
    pub name: Digest,
    /// Whether nothing more can come to the run.
    pub finished: bool,
    /// Where the next one begins.
    pub cursor: Option<CensusCursor>,
}

#[derive(Debug, thiserror::Error)]
pub enum CensusError {
    #[error("there is no such run")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a kept census cannot be read: {0}")]
    Unreadable(String),
}

impl Service {
    /// A signed page of records.
    pub async fn census_page(&self, wanted: &CensusWanted) -> Result<CensusPaper, CensusError> {
        let (run, total) = self.wanted_run(wanted).await?;
        let limit = wanted.limit.clamp(1, CENSUS_PAGE_MAX);
        let (records, cursor) = self.matching(&run, wanted, limit).await?;
        let finished = run.finished_at.is_some();
        let page = CensusPage {
            kind: self.brand().kind("census-page"),
            v: 1,
            schema: contract::schema::address("census-page", self.brand(), self.base_url()),
            run: run_record(run)?,
            count: u32::try_from(records.len()).unwrap_or(u32::MAX),
            total_in_run: total,
            records,
            cursor: cursor.map(CensusCursor::text),
            has_more: cursor.is_some(),
            license: LICENSE.to_owned(),
            sha256: None,
            signature: None,
        };
        let signed = self.sign_document(&page, KeyPurpose::Documents)?;
        Ok(CensusPaper { bytes: signed.bytes, name: signed.digest, finished, cursor })
    }

    /// The records one a line: the run first, then each record, and a signed line that names all of
    /// them by their digest.
    pub async fn census_lines(&self, wanted: &CensusWanted) -> Result<CensusPaper, CensusError> {
        let (run, _) = self.wanted_run(wanted).await?;
        let number = run.run;
        let (records, cursor) = self.matching(&run, wanted, CENSUS_LINES_MAX).await?;
        let finished = run.finished_at.is_some();
        let mut bytes = Vec::new();
        line(&mut bytes, &run_record(run)?)?;
        for record in &records {
            line(&mut bytes, record)?;
        }
        let end = CensusEnd {
            kind: self.brand().kind("census-end"),
            v: 1,
            run: number,
            records: u64::try_from(records.len()).unwrap_or(u64::MAX),
            rows_sha256: proof::sha256(&bytes).to_hex(),
            has_more: cursor.is_some(),
            cursor: cursor.map(CensusCursor::text),
            sha256: None,
            signature: None,
        };
        let signed = self.sign_document(&end, KeyPurpose::Documents)?;
        bytes.extend(&signed.bytes);
        bytes.push(b'\n');
        Ok(CensusPaper { bytes, name: signed.digest, finished, cursor })
    }

    async fn wanted_run(&self, wanted: &CensusWanted) -> Result<(CensusRun, u64), CensusError> {
        // A cursor belongs to its run, also when a later one has begun.
        let run = wanted.cursor.map(|cursor| cursor.run).or(wanted.run);
        if wanted.run.is_some_and(|asked| Some(asked) != run) {
            return Err(CensusError::Unknown);
        }
        self.store.census_run(run).await?.ok_or(CensusError::Unknown)
    }

    /// Records of a run that are wanted, and where the next begin.
    async fn matching(
        &self,
        run: &CensusRun,
        wanted: &CensusWanted,
        limit: usize,
    ) -> Result<(Vec<CensusRecord>, Option<CensusCursor>), CensusError> {
        let mut found = Vec::new();
        let mut after = wanted.cursor.map(|cursor| cursor.rank);
        let mut looked_at = 0;
        loop {
            let ask = CensusAsk {
                after_rank: after,
                rank_max: wanted.rank_max,
                domain: wanted.domain.clone(),
                limit: CENSUS_PAGE_MAX,
            };
            let rows = self.store.census_rows(run.run, ask).await?;
            let last = rows.len() < CENSUS_PAGE_MAX;
            for row in rows {
                // There is more to see, so the page ends before this one.
                if found.len() == limit || looked_at == MAX_LOOKED_AT {
                    let cursor = after.map(|rank| CensusCursor { run: run.run, rank });
                    return Ok((found, cursor));
                }
                looked_at += 1;
                after = Some(row.rank);
                let record: CensusRecord = serde_json::from_slice(&row.body)
                    .map_err(|e| CensusError::Unreadable(e.to_string()))?;
                if is_wanted(&record, wanted) {
                    found.push(record);
                }
            }
            if last {
                return Ok((found, None));
            }
        }
    }
}

fn is_wanted(record: &CensusRecord, wanted: &CensusWanted) -> bool {
    let decided = wanted.decision.as_ref().is_none_or(|(action, decision)| {
        record.decisions.as_ref().is_some_and(|decisions| match action {
            Action::Read => decisions.read == *decision,
            Action::Cite => decisions.cite == *decision,
            Action::Connect => decisions.connect == *decision,
            _ => false,
        })
    });
    let state = wanted
        .section_state
        .as_ref()
        .is_none_or(|state| record.crawl_policy_state.as_ref() == Some(state));
    decided && state
}

fn run_record(run: CensusRun) -> Result<CensusRunRecord, CensusError> {
    let frame: CensusFrame =
        serde_json::from_slice(&run.frame).map_err(|e| CensusError::Unreadable(e.to_string()))?;
    Ok(CensusRunRecord {
        run: run.run,
        started_at: run.started_at,
        finished_at: run.finished_at,
        frame,
        method: run.method,
        code: CensusCode { version_id: run.version_id },
    })
}

fn line(bytes: &mut Vec<u8>, value: &impl serde::Serialize) -> Result<(), CensusError> {
    let written = proof::canonical::to_vec(value)?;
    bytes.extend(written);
    bytes.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_has_one_spelling() {
        let cursor = CensusCursor { run: 7, rank: 412 };
        assert_eq!(cursor.text(), "n7-412");
        assert_eq!(CensusCursor::read("n7-412"), Some(cursor));
        for bad in ["", "n7", "7-412", "n-1", "n7-", "n7-+1", "n7-4a", "n99999999999999999999-1"] {
            assert_eq!(CensusCursor::read(bad), None, "{bad}");
        }
    }
}
