//! Follows the stored events, so that what another process changed takes effect here: a command of the
//! operator, or another server.

use std::collections::BTreeSet;

use store::StoreError;

use super::DomainControl;

/// Events that are read at once.
const PAGE: usize = 256;

impl DomainControl {
    /// The number of the last event. Whatever was stored before is read with every answer that is made.
    pub async fn last_event(&self) -> Result<u64, StoreError> {
        self.store.last_control_event().await
    }

    /// Brings the answers up to date whose domains have events after this one. Returns the last event that
    /// was read.
    pub async fn follow_events(&self, after: u64) -> Result<u64, StoreError> {
        let mut last = after;
        loop {
            let page = self.store.control_events_after(last, PAGE).await?;
            let Some(newest) = page.last() else { return Ok(last) };
            last = newest.seq;
            let domains: BTreeSet<_> = page.into_iter().map(|event| event.domain).collect();
            for domain in domains {
                self.answers.owner_facts_changed(&domain).await;
            }
        }
    }
}
