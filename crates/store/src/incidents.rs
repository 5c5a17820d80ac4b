//! Incidents that owners report: the domain should not be trusted with more than reading for a while.

use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::{BoxFuture, Digest, NewControlEvent, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerIncident {
    /// Unique and never reused.
    pub id: String,
    pub domain: Domain,
    /// The claim of the owner who reported it.
    pub claim_id: String,
    /// What happened, in the owner's words.
    pub what: String,
    /// Since when, as the owner says.
    pub since: Timestamp,
    pub reported_at: Timestamp,
    /// It ends at this time unless somebody ends it before.
    pub ends_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// Who ended it.
    pub ended_by: Option<String>,
}

/// Incidents of one domain. A further one removes the oldest that has ended.
pub const MAX_INCIDENTS_OF_DOMAIN: usize = 100;

pub trait Incidents: Send + Sync {
    /// Stores an incident, and an event of its claim; durable when this returns. Refused with
    /// [`StoreError::LimitReached`] if the domain has one that has not ended by `reported_at`.
    fn put_incident(
        &self,
        incident: OwnerIncident,
        event: NewControlEvent,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The incident of a domain that has not ended.
    fn open_incident<'a>(
        &'a self,
        domain: &'a Domain,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<OwnerIncident>, StoreError>>;

    /// The incidents of a domain, newest first, at most `limit`.
    fn incidents_of<'a>(
        &'a self,
        domain: &'a Domain,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OwnerIncident>, StoreError>>;

    /// The incidents with an id after `after`, ordered by id, at most `limit`.
    fn incidents(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<OwnerIncident>, StoreError>>;

    /// The incidents whose time is over and that nobody ended, at most `limit`.
    fn overdue_incidents(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<OwnerIncident>, StoreError>>;

    /// Ends an incident, and stores an event of its claim. Returns `false`, without any change, if there is
    /// none with this id, or somebody ended it.
    fn end_incident<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
        by: &'a str,
        event: NewControlEvent,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Stores an incident of another store, or replaces the stored one.
    fn import_incident(&self, incident: OwnerIncident) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl OwnerIncident {
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && now < self.ends_at
    }

    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("incident 1")
            .text(&self.id)
            .text(self.domain.as_str())
            .text(&self.claim_id)
            .text(&self.what)
            .time(self.since)
            .time(self.reported_at)
            .time(self.ends_at)
            .optional_time(self.ended_at)
            .optional(self.ended_by.as_deref())
            .finish()
    }
}
