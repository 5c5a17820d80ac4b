//! What a failing store keeps of owners.

use contract::{Domain, Timestamp};
use proof::Digest;
use store::*;

use crate::failing_store::FailingStore;

impl Control for FailingStore {
    fn put_claim(
        &self,
        claim: StoredClaim,
        expected: Option<Digest>,
        events: Vec<NewControlEvent>,
    ) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(self.call("put_claim", self.inner.put_claim(claim, expected, events)))
    }
    fn claim<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredClaim>, StoreError>> {
        self.wait(self.inner.claim(id))
    }
    fn claim_by_secret(
        &self,
        secret_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<StoredClaim>, StoreError>> {
        self.inner.claim_by_secret(secret_sha256)
    }
    fn claims_of<'a>(
        &'a self,
        domain: &'a Domain,
    ) -> BoxFuture<'a, Result<Vec<StoredClaim>, StoreError>> {
        let read = Box::pin(self.call("claims_of", self.inner.claims_of(domain)));
        self.wait(read)
    }
    fn claims(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClaim>, StoreError>> {
        self.inner.claims(after, limit)
    }
    fn due_claims(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredClaim>, StoreError>> {
        self.inner.due_claims(now, limit)
    }
    fn control_events_of<'a>(
        &'a self,
        domain: &'a Domain,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredControlEvent>, StoreError>> {
        self.wait(self.inner.control_events_of(domain, before, limit))
    }
    fn control_events_after(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StoredControlEvent>, StoreError>> {
        self.inner.control_events_after(after, limit)
    }
    fn last_control_event(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        self.inner.last_control_event()
    }
    fn import_claim(&self, claim: StoredClaim) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_claim(claim)
    }
    fn import_control_events(
        &self,
        events: Vec<StoredControlEvent>,
        last: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_control_events(events, last)
    }
}

impl Incidents for FailingStore {
    fn put_incident(
        &self,
        incident: OwnerIncident,
        event: NewControlEvent,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_incident(incident, event)
    }
    fn open_incident<'a>(
        &'a self,
        domain: &'a Domain,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<OwnerIncident>, StoreError>> {
        let read = Box::pin(self.call("open_incident", self.inner.open_incident(domain, now)));
        self.wait(read)
    }
    fn incidents_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OwnerIncident>, StoreError>> {
        self.wait(self.inner.incidents_of(domain, limit))
    }
    fn incidents(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<OwnerIncident>, StoreError>> {
        self.inner.incidents(after, limit)
    }
    fn overdue_incidents(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<OwnerIncident>, StoreError>> {
        self.inner.overdue_incidents(now, limit)
    }
    fn end_incident<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
        by: &'a str,
        event: NewControlEvent,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        self.inner.end_incident(id, at, by, event)
    }
    fn import_incident(&self, incident: OwnerIncident) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_incident(incident)
    }
}

impl Disputes for FailingStore {
    fn put_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.put_dispute(dispute)
    }
    fn dispute<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Dispute>, StoreError>> {
        self.inner.dispute(id)
    }
    fn disputes_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Dispute>, StoreError>> {
        self.inner.disputes_of(domain, limit)
    }
    fn open_disputes(&self, limit: usize) -> BoxFuture<'_, Result<Vec<Dispute>, StoreError>> {
        self.inner.open_disputes(limit)
    }
    fn close_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.inner.close_dispute(dispute)
    }
    fn dispute_counts(&self) -> BoxFuture<'_, Result<DisputeCounts, StoreError>> {
        self.inner.dispute_counts()
    }
    fn disputes(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Dispute>, StoreError>> {
        self.inner.disputes(after, limit)
    }
    fn import_dispute(&self, dispute: Dispute) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.import_dispute(dispute)
    }
}
