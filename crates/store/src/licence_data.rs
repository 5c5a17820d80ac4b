//! Deleting what is stored about the holder of a licence.

use contract::Timestamp;

use crate::{BoxFuture, Licence, StoreError};

/// What a deletion did, and what it leaves to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedLicenceData {
    /// What stays: revoked, without label, mailbox, domains and last use.
    pub licence: Licence,
    /// The ids of its scans that are not public, at most [`MAX_LISTED_SCANS`]. The caller deletes them and
    /// asks again until none are left.
    pub hidden_scans: Vec<String>,
}

/// Scans that one deletion lists.
pub const MAX_LISTED_SCANS: usize = 1_000;

pub trait LicenceData: Send + Sync {
    /// Removes the keys, sessions, webhooks with their deliveries, calls, label, mailbox and domains of a
    /// licence, and that its public scans were made for it, in one transaction; durable when this returns.
    /// The licence stays as a revoked row, so that its id is never used again. `None` for an unknown id.
    /// Can be repeated. The audit log stays as it is.
    fn delete_licence_data<'a>(
        &'a self,
        licence_id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<DeletedLicenceData>, StoreError>>;
}
