//! Work that is to be done whatever happens to the process, one of a kind and key.

use bytes::Bytes;
use contract::Timestamp;

use crate::scans::check_size;
use crate::{BoxFuture, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    pub kind: String,
    /// What it is about: there is one job of a kind and key at a time.
    pub key: String,
    /// Not to be begun before this.
    pub due_at: Timestamp,
    /// Whatever its kind needs to know.
    pub body: Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Never given twice.
    pub id: u64,
    pub kind: String,
    pub key: String,
    pub queued_at: Timestamp,
    pub due_at: Timestamp,
    /// How often it was claimed.
    pub tries: u32,
    pub body: Bytes,
    /// Why it was put off last.
    pub last_error: Option<String>,
}

pub trait Jobs: Send + Sync {
    /// Queues a job and gives it as it is kept, durably. One of that kind and key that is there
    /// already, waiting or under way, stays as it is and is given instead.
    fn queue_job(&self, job: NewJob, now: Timestamp) -> BoxFuture<'_, Result<Job, StoreError>>;

    fn job<'a>(
        &'a self,
        kind: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>>;

    /// Takes the job that has been due the longest and that nobody has, until `lease_until`; from
    /// then on it may be taken again. No two get the same one. Counts as a try.
    fn claim_job<'a>(
        &'a self,
        kind: &'a str,
        now: Timestamp,
        lease_until: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Job>, StoreError>>;

    /// Forgets a job that is done. One that is gone already is no error: somebody else took it
    /// over and was quicker.
    fn finish_job(&self, id: u64) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Gives a job back, to be begun no earlier than `due_at`.
    fn put_off_job<'a>(
        &'a self,
        id: u64,
        due_at: Timestamp,
        why: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// How many of a kind there are, due or not, those under way included.
    fn jobs_waiting<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Every job in the order they were queued, at most `limit`, all after the id `after`.
    fn export_jobs(
        &self,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Job>, StoreError>>;
}

impl NewJob {
    /// Refuses what is too large for any engine; called by engines before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("job", &self.body)
    }
}
