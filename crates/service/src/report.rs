//! Kept reports: the record and its evidence, by id.

use bytes::Bytes;
use store::{StoreError, Visibility};

use crate::Service;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct ReportError(#[from] StoreError);

impl Service {
    /// The very bytes that were signed. A private scan is as good as unknown to whoever only has
    /// its link.
    pub async fn report(&self, id: &str) -> Result<Option<Bytes>, ReportError> {
        Ok(self.shown(id).await?.map(|scan| scan.record))
    }

    /// What the report was judged from.
    pub async fn raw_evidence(&self, id: &str) -> Result<Option<Bytes>, ReportError> {
        Ok(self.shown(id).await?.map(|scan| scan.evidence))
    }

    async fn shown(&self, id: &str) -> Result<Option<store::Scan>, ReportError> {
        let scan = self.store.scan(id).await?;
        Ok(scan.filter(|scan| scan.visibility != Visibility::Private))
    }
}
