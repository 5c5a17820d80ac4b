//! A durable job queue: jobs survive a restart, and there is at most one job per kind and key.

use bytes::Bytes;
use contract::Timestamp;

use crate::size::check_size;
use crate::{BoxFuture, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    pub kind: String,
    /// What the job is about. There is at most one job per kind and key.
    pub key: String,
    /// The job does not start before this time.
    pub due_at: Timestamp,
    /// The job's parameters; their format depends on the kind.
    pub body: Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Never reused.
    pub id: u64,
    pub kind: String,
    pub key: String,
    pub queued_at: Timestamp,
    pub due_at: Timestamp,
    /// How many times it was claimed.
    pub tries: u32,
    pub body: Bytes,
    /// Why it was last postponed.
    pub last_error: Option<String>,
}

pub trait Jobs: Send + Sync {
    /// Queues a job durably and returns it. If a job with that kind and key is already waiting or
    /// running, it stays unchanged and is returned instead.
    fn queue_job(&self, job: NewJob, now: Timestamp) -> BoxFuture<'_, Result<Job, StoreError>>;

    fn job<'a>(
        &'a self,
        kind: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>>;

    /// Claims the job that has been due the longest and is not claimed, until `lease_until`; after
    /// that it can be claimed again. Two callers never get the same job. Increments `tries`.
    fn claim_job<'a>(
        &'a self,
        kind: &'a str,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>>;

    /// The jobs of a kind that are due and not claimed, those that have been due the longest first, at
    /// most `limit`.
    fn due_jobs<'a>(
        &'a self,
        kind: &'a str,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Job>, StoreError>>;

    /// Like [`Jobs::claim_job`], for a job that the caller chose. `None` if it is not due, claimed by
    /// another, or gone.
    fn claim_job_by_id(
        &self,
        id: u64,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> BoxFuture<'_, Result<Option<Job>, StoreError>>;

    /// Deletes a finished job. A job that no longer exists is not an error: another worker claimed
    /// it after the lease ended and finished it.
    fn finish_job(&self, id: u64) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Returns a job to the queue, due again at `due_at`.
    fn postpone_job<'a>(
        &'a self,
        id: u64,
        due_at: Timestamp,
        why: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// How many jobs of a kind there are, including jobs that are not due yet or running.
    fn count_jobs<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// All jobs with an id after `after`, in the order they were queued, at most `limit`.
    fn export_jobs(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Job>, StoreError>>;
}

impl NewJob {
    /// Refuses a job that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("job", &self.body)
    }
}
