//! A whole run as one file, written page by page: memory does not grow with the run.

use std::sync::Arc;

use bytes::Bytes;
use contract::limits::CENSUS_PAGE_MAX;
use contract::records::{CensusEnd, CensusRecord};
use futures_util::stream::{self, BoxStream, StreamExt};
use proof::{Hasher, KeyPurpose};
use store::{CensusQuery, CensusRun};

use super::Census;
use super::csv;
use super::documents::{CensusError, CensusPageQuery, run_record, write_line};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CensusFileFormat {
    /// JSON lines: the run, the records, and a signed line with the digest of all others.
    Lines,
    Csv,
}

/// A file with all records of a run. A file that breaks off ends with an error.
pub struct CensusFile {
    pub run: u64,
    pub parts: BoxStream<'static, Result<Bytes, CensusError>>,
}

impl std::fmt::Debug for CensusFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CensusFile").field("run", &self.run).finish_non_exhaustive()
    }
}

/// What is written next.
enum Part {
    Head(Box<CensusRun>),
    /// The records after this rank.
    Records(Option<u64>),
    End,
    Nothing,
}

struct Export {
    census: Arc<Census>,
    format: CensusFileFormat,
    run: u64,
    records: u64,
    /// Of everything that was written.
    digest: Hasher,
    next: Part,
}

impl Census {
    /// The records of a run, or of the latest one, as a file.
    pub async fn census_file(
        self: &Arc<Self>,
        run: Option<u64>,
        format: CensusFileFormat,
    ) -> Result<CensusFile, CensusError> {
        let query = CensusPageQuery { run, ..CensusPageQuery::default() };
        let (found, _) = self.find_run(&query).await?;
        let run = found.run;
        let export = Export {
            census: Arc::clone(self),
            format,
            run,
            records: 0,
            digest: Hasher::new(),
            next: Part::Head(Box::new(found)),
        };
        Ok(CensusFile { run, parts: stream::try_unfold(export, Export::write_next).boxed() })
    }
}

impl Export {
    async fn write_next(mut self) -> Result<Option<(Bytes, Self)>, CensusError> {
        let mut bytes = Vec::new();
        match std::mem::replace(&mut self.next, Part::Nothing) {
            Part::Head(run) => {
                match self.format {
                    CensusFileFormat::Lines => write_line(&mut bytes, &run_record(*run)?)?,
                    CensusFileFormat::Csv => csv::write_head(&mut bytes),
                }
                self.next = Part::Records(None);
            }
            Part::Records(after) => self.write_records(after, &mut bytes).await?,
            Part::End => {
                if self.format == CensusFileFormat::Csv {
                    return Ok(None);
                }
                self.write_end(&mut bytes)?;
            }
            Part::Nothing => return Ok(None),
        }
        self.digest.update(&bytes);
        Ok(Some((bytes.into(), self)))
    }

    async fn write_records(
        &mut self,
        after: Option<u64>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), CensusError> {
        let query =
            CensusQuery { after_rank: after, limit: CENSUS_PAGE_MAX, ..CensusQuery::default() };
        let rows = self.census.store.census_rows(self.run, query).await?;
        self.next = match rows.last() {
            Some(last) if rows.len() == CENSUS_PAGE_MAX => Part::Records(Some(last.rank)),
            _ => Part::End,
        };
        for row in rows {
            let record: CensusRecord = serde_json::from_slice(&row.body)
                .map_err(|error| CensusError::Unreadable(error.to_string()))?;
            match self.format {
                CensusFileFormat::Lines => write_line(bytes, &record)?,
                CensusFileFormat::Csv => csv::write_record(bytes, &record),
            }
            self.records += 1;
        }
        Ok(())
    }

    fn write_end(&mut self, bytes: &mut Vec<u8>) -> Result<(), CensusError> {
        let census = &self.census;
        let end = CensusEnd {
            kind: census.issuer.brand.kind("census-end"),
            v: 1,
            run: self.run,
            records: self.records,
            rows_sha256: std::mem::take(&mut self.digest).finish().to_hex(),
            has_more: false,
            cursor: None,
            sha256: None,
            signature: None,
        };
        let signed = census.keys.sign_document(&end, KeyPurpose::Documents)?;
        bytes.extend(&signed.bytes);
        bytes.push(b'\n');
        Ok(())
    }
}
