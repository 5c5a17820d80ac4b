//! Serves the records of a census run: as signed pages, or as JSON lines.

use contract::Domain;
use contract::limits::{CENSUS_LINES_MAX, CENSUS_PAGE_MAX};
use contract::records::{
    Action, CensusCode, CensusEnd, CensusFrame, CensusPage, CensusRecord, CensusRunRecord, Decision,
};
use proof::{Digest, KeyPurpose, ProofError};
use store::{CensusQuery, CensusRun, StoreError};

use super::Census;

const LICENSE: &str = "CC-BY-4.0";
/// Rows examined for one response, when filters exclude most of them.
const MAX_ROWS_EXAMINED: usize = 20_000;

/// Selects records of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CensusPageQuery {
    /// `None` for the latest run.
    pub run: Option<u64>,
    pub cursor: Option<CensusCursor>,
    pub limit: usize,
    pub rank_max: Option<u64>,
    pub domain: Option<Domain>,
    pub decision: Option<(Action, Decision)>,
    /// A state of the crawl policy section.
    pub section_state: Option<String>,
}

/// Where a page starts: after this rank of this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CensusCursor {
    pub run: u64,
    pub rank: u64,
}

impl CensusCursor {
    /// `n7-412`
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
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

/// A response with records of a run.
#[derive(Debug, Clone)]
pub struct CensusDocument {
    pub bytes: Vec<u8>,
    /// Digest of the signed content, used as ETag.
    pub etag: Digest,
    /// Whether the run is complete, so that the response cannot change.
    pub finished: bool,
    /// Where the next page starts.
    pub cursor: Option<CensusCursor>,
}

#[derive(Debug, thiserror::Error)]
pub enum CensusError {
    #[error("this census run does not exist")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a stored census cannot be parsed: {0}")]
    Unreadable(String),
}

impl Census {
    /// A signed page of records.
    pub async fn census_page(
        &self,
        query: &CensusPageQuery,
    ) -> Result<CensusDocument, CensusError> {
        let (run, total) = self.find_run(query).await?;
        let limit = query.limit.clamp(1, CENSUS_PAGE_MAX);
        let (records, cursor) = self.find_records(&run, query, limit).await?;
        let finished = run.finished_at.is_some();
        let page = CensusPage {
            kind: self.issuer.brand.kind("census-page"),
            v: 1,
            schema: self.issuer.schema_url("census-page"),
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
        let signed = self.keys.sign_document(&page, KeyPurpose::Documents)?;
        Ok(CensusDocument { bytes: signed.bytes, etag: signed.digest, finished, cursor })
    }

    /// JSON lines: the run, then one record per line, then a signed line with the digest of all lines
    /// before it.
    pub async fn census_lines(
        &self,
        query: &CensusPageQuery,
    ) -> Result<CensusDocument, CensusError> {
        let (run, _) = self.find_run(query).await?;
        let number = run.run;
        let (records, cursor) = self.find_records(&run, query, CENSUS_LINES_MAX).await?;
        let finished = run.finished_at.is_some();
        let mut bytes = Vec::new();
        write_line(&mut bytes, &run_record(run)?)?;
        for record in &records {
            write_line(&mut bytes, record)?;
        }
        let end = CensusEnd {
            kind: self.issuer.brand.kind("census-end"),
            v: 1,
            run: number,
            records: u64::try_from(records.len()).unwrap_or(u64::MAX),
            rows_sha256: proof::sha256(&bytes).to_hex(),
            has_more: cursor.is_some(),
            cursor: cursor.map(CensusCursor::text),
            sha256: None,
            signature: None,
        };
        let signed = self.keys.sign_document(&end, KeyPurpose::Documents)?;
        bytes.extend(&signed.bytes);
        bytes.push(b'\n');
        Ok(CensusDocument { bytes, etag: signed.digest, finished, cursor })
    }

    pub(super) async fn find_run(
        &self,
        query: &CensusPageQuery,
    ) -> Result<(CensusRun, u64), CensusError> {
        // A cursor stays on its run, also after a later run has started.
        let run = query.cursor.map(|cursor| cursor.run).or(query.run);
        if query.run.is_some_and(|requested| Some(requested) != run) {
            return Err(CensusError::Unknown);
        }
        self.store.census_run(run).await?.ok_or(CensusError::Unknown)
    }

    /// The records of a run that match the query, and the cursor of the next page.
    async fn find_records(
        &self,
        run: &CensusRun,
        query: &CensusPageQuery,
        limit: usize,
    ) -> Result<(Vec<CensusRecord>, Option<CensusCursor>), CensusError> {
        let mut found = Vec::new();
        let mut after = query.cursor.map(|cursor| cursor.rank);
        let mut examined = 0;
        loop {
            let rows_query = CensusQuery {
                after_rank: after,
                rank_max: query.rank_max,
                domain: query.domain.clone(),
                limit: CENSUS_PAGE_MAX,
            };
            let rows = self.store.census_rows(run.run, rows_query).await?;
            let last = rows.len() < CENSUS_PAGE_MAX;
            for row in rows {
                // The page is full and this row is left, so there is a next page.
                if found.len() == limit || examined == MAX_ROWS_EXAMINED {
                    let cursor = after.map(|rank| CensusCursor { run: run.run, rank });
                    return Ok((found, cursor));
                }
                examined += 1;
                after = Some(row.rank);
                let record: CensusRecord = serde_json::from_slice(&row.body)
                    .map_err(|e| CensusError::Unreadable(e.to_string()))?;
                if matches_query(&record, query) {
                    found.push(record);
                }
            }
            if last {
                return Ok((found, None));
            }
        }
    }
}

fn matches_query(record: &CensusRecord, query: &CensusPageQuery) -> bool {
    let has_decision = query.decision.as_ref().is_none_or(|(action, decision)| {
        record.decisions.as_ref().is_some_and(|decisions| match action {
            Action::Read => decisions.read == *decision,
            Action::Cite => decisions.cite == *decision,
            Action::Connect => decisions.connect == *decision,
            _ => false,
        })
    });
    let has_state = query
        .section_state
        .as_ref()
        .is_none_or(|state| record.crawl_policy_state.as_ref() == Some(state));
    has_decision && has_state
}

pub(super) fn run_record(run: CensusRun) -> Result<CensusRunRecord, CensusError> {
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

pub(super) fn write_line(
    bytes: &mut Vec<u8>,
    value: &impl serde::Serialize,
) -> Result<(), CensusError> {
    bytes.extend(proof::canonical::to_vec(value)?);
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
        assert_eq!(CensusCursor::parse("n7-412"), Some(cursor));
        for bad in ["", "n7", "7-412", "n-1", "n7-", "n7-+1", "n7-4a", "n99999999999999999999-1"] {
            assert_eq!(CensusCursor::parse(bad), None, "{bad}");
        }
    }
}
