//! Whether AI identities are given the page that a browser is given.

use std::sync::Arc;

use contract::records::ScanRecord;
use judge::resolve::Letterhead;
use judge::resolve::equivalence::{Asked, answer};
use proof::{KeyPurpose, SignedDocument};

use crate::page::Page;
use crate::resolve::{Live, ResolveAsk, ResolveError};
use crate::{MayRead, ReportError, Service};

#[derive(Debug, thiserror::Error)]
pub enum EquivalenceError {
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
}

impl Service {
    /// The signed comparison. With `live` the site is read now, if it may be.
    pub async fn read_equivalence(
        self: &Arc<Self>,
        page: &Page,
        live: Option<Arc<dyn MayRead>>,
    ) -> Result<SignedDocument, EquivalenceError> {
        if let Some(may_read) = live.filter(|_| page.is_home) {
            let ask = ResolveAsk {
                domain: page.domain.clone(),
                live: Live::Always,
                max_age_hours: None,
                may_read,
            };
            self.resolve(ask).await?;
        }
        let past = self.past(&page.domain).await.map_err(ReportError::from)?;
        let records: Vec<&ScanRecord> = past.iter().map(|past| &past.record).collect();
        let head = Letterhead { brand: self.brand(), base_url: self.base_url(), now: self.now() };
        let asked = Asked { url: &page.url, is_home: page.is_home };
        let answer = answer(asked, &records, self.scanner.rules(), &head);
        let signed = self.sign_document(&answer, KeyPurpose::Documents);
        Ok(signed.map_err(ReportError::from)?)
    }
}
