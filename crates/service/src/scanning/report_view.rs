//! What the page of a report shows besides its record: earlier scans of the domain, the current decisions, and
//! what was served to those who were refused. Reads only.

use bytes::Bytes;
use contract::Domain;
use contract::records::{ResolveAnswer, ScanRecord};
use store::{Digest, ScanRow, ScanScope};

use crate::report_error::ReportError;
use crate::scanning::Scanning;
use crate::scanning::report::Report;

/// The most scans in the history of a domain.
const MAX_HISTORY: usize = 12;
/// The most different bodies, and the bytes that are read of each.
const MAX_BODIES: usize = 3;
const MAX_BODY_BYTES: usize = 4_096;

/// What a report page shows besides the record.
#[derive(Debug, Default)]
pub struct ReportContext {
    /// Public scans of the domain, newest first.
    pub history: Vec<ScanRow>,
    /// The latest stored answer about the domain; its decisions may be older than the report.
    pub answer: Option<Box<ResolveAnswer>>,
    pub refused_bodies: Vec<RefusedBody>,
    /// Within the rescan window: the seconds until a public scan reads the site again.
    pub rescan_after_s: Option<u64>,
}

/// The beginning of a body that was served instead of the page.
#[derive(Debug, Clone)]
pub struct RefusedBody {
    pub sha256: String,
    /// The first bytes. Written by the site. Do not trust it.
    pub beginning: Bytes,
    pub is_cut: bool,
}

impl Scanning {
    /// `refused` are the digests of bodies that were served instead of the page. Only bodies that belong to
    /// the report are returned.
    pub async fn report_context(
        &self,
        report: &Report,
        record: &ScanRecord,
        refused: &[String],
    ) -> Result<ReportContext, ReportError> {
        let answer = self.store.latest_answer(&record.domain).await?;
        let mut refused_bodies = Vec::new();
        for sha256 in refused.iter().take(MAX_BODIES) {
            let Ok(digest) = sha256.parse::<Digest>() else { continue };
            if !report.has_body(&digest) {
                continue;
            }
            // A body may have been deleted by age; the page then says nothing about it.
            if let Some(body) = self.store.artifact(digest).await? {
                let is_cut = body.len() > MAX_BODY_BYTES;
                let beginning = body.slice(..body.len().min(MAX_BODY_BYTES));
                refused_bodies.push(RefusedBody { sha256: sha256.clone(), beginning, is_cut });
            }
        }
        let history = self.public_history(&record.domain).await?;
        Ok(ReportContext {
            rescan_after_s: history.first().and_then(|latest| self.rescan_after_s(latest)),
            history,
            // An answer of another version of the program is not shown.
            answer: answer.and_then(|answer| serde_json::from_slice(&answer.bytes).ok()),
            refused_bodies,
        })
    }

    /// Public scans of a domain, newest first.
    pub async fn public_history(&self, domain: &Domain) -> Result<Vec<ScanRow>, ReportError> {
        Ok(self.store.scans_of(domain, ScanScope::PublicOnly, None, MAX_HISTORY).await?)
    }

    fn rescan_after_s(&self, latest: &ScanRow) -> Option<u64> {
        let age = self.clock.now().millis_since(latest.scanned_at);
        let left = i64::try_from(self.rescan_window.as_millis()).ok()? - age;
        u64::try_from(left).ok().filter(|left| *left > 0).map(|left| left.div_ceil(1_000))
    }

    /// Parses a domain as scans do.
    pub fn parse_domain(&self, text: &str) -> Option<Domain> {
        self.scanner.parse_domain(text).ok()
    }
}
