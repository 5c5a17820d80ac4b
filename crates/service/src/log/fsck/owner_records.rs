//! Reads claims of control, their events, and what owners reported. The store compares their fingerprints.

use store::StoreError;

use super::stored_records::PAGE_SIZE;
use super::{FsckRun, StorePart};

impl FsckRun<'_> {
    pub(super) async fn check_owner_records(&mut self) {
        if let Err(error) = self.check_claims().await {
            self.add_fault(StorePart::Claims, None, error.to_string());
        }
        if let Err(error) = self.check_control_events().await {
            self.add_fault(StorePart::ControlEvents, None, error.to_string());
        }
        if let Err(error) = self.check_incidents().await {
            self.add_fault(StorePart::Incidents, None, error.to_string());
        }
        if let Err(error) = self.check_disputes().await {
            self.add_fault(StorePart::Disputes, None, error.to_string());
        }
    }

    async fn check_claims(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = self.request.store.claims(after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            self.count_records(StorePart::Claims, page.len());
        }
    }

    async fn check_control_events(&mut self) -> Result<(), StoreError> {
        let mut after = 0;
        loop {
            let page = self.request.store.control_events_after(after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            self.count_records(StorePart::ControlEvents, page.len());
        }
    }

    async fn check_incidents(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = self.request.store.incidents(after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            self.count_records(StorePart::Incidents, page.len());
        }
    }

    async fn check_disputes(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = self.request.store.disputes(after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            self.count_records(StorePart::Disputes, page.len());
        }
    }
}
