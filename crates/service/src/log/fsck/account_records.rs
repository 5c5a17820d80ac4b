//! Reads licences and what belongs to them. They have no digests, so that only what cannot be read is found.

use store::StoreError;

use super::stored_records::PAGE_SIZE;
use super::{FsckRun, StorePart};

impl FsckRun<'_> {
    pub(super) async fn read_account_records(&mut self) {
        if let Err(error) = self.read_licences().await {
            self.add_fault(StorePart::Licences, None, error.to_string());
        }
        if let Err(error) = self.read_usage().await {
            self.add_fault(StorePart::Usage, None, error.to_string());
        }
        if let Err(error) = self.read_licence_scans().await {
            self.add_fault(StorePart::LicenceScans, None, error.to_string());
        }
    }

    async fn read_licences(&mut self) -> Result<(), StoreError> {
        let store = self.request.store;
        let mut after = None;
        loop {
            let page = store.licences(after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.cursor());
            self.count_records(StorePart::Licences, page.len());
            for licence in page {
                let keys = store.keys_of(&licence.id).await?;
                self.count_records(StorePart::LicenceKeys, keys.len());
                let webhooks = store.webhooks_of(&licence.id).await?;
                self.count_records(StorePart::Webhooks, webhooks.len());
            }
        }
    }

    async fn read_usage(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = self.request.store.export_usage(after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.cursor());
            self.count_records(StorePart::Usage, page.len());
        }
    }

    async fn read_licence_scans(&mut self) -> Result<(), StoreError> {
        let mut after = 0;
        loop {
            let page = self.request.store.licence_scans_after(after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            self.count_records(StorePart::LicenceScans, page.len());
        }
    }
}
