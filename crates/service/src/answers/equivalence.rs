//! Whether AI crawlers get the same page as a browser (`/api/v1/read-equivalence`).

use std::sync::Arc;

use contract::records::ScanRecord;
use judge::resolve::equivalence::{EquivalenceQuery, answer};
use proof::{KeyPurpose, SignedDocument};

use crate::access::LiveReadPermit;
use crate::answers::Answers;
use crate::answers::page_url::PageUrl;
use crate::answers::resolve::{LivePolicy, ResolveError, ResolveQuery};
use crate::report_error::ReportError;

#[derive(Debug, thiserror::Error)]
pub enum EquivalenceError {
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
}

impl Answers {
    /// The signed comparison. With `live` the site is read now, if that is permitted.
    pub async fn read_equivalence(
        self: &Arc<Self>,
        page: &PageUrl,
        live: Option<Arc<dyn LiveReadPermit>>,
    ) -> Result<SignedDocument, EquivalenceError> {
        if let Some(permit) = live.filter(|_| page.is_home) {
            let query = ResolveQuery {
                domain: page.domain.clone(),
                live: LivePolicy::Always,
                max_age_hours: None,
                live_read_permit: permit,
            };
            self.resolve(query).await?;
        }
        let readings = self.earlier_readings(&page.domain).await.map_err(ReportError::from)?;
        let records: Vec<&ScanRecord> = readings.iter().map(|reading| &reading.record).collect();
        let query = EquivalenceQuery { url: &page.url, is_home: page.is_home };
        let answer = answer(query, &records, self.scanner.rules(), &self.issuer);
        let signed = self.keys.sign_document(&answer, KeyPurpose::Documents);
        Ok(signed.map_err(ReportError::from)?)
    }
}
