//! Which scans were made for which licence.

use crate::scans::ScanRow;
use crate::{BoxFuture, Scan, StoreError};

/// A scan that was made for a licence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LicenceScan {
    /// Its number in the order of storing. Numbers only grow and are never reused; those of removed scans
    /// are missing.
    pub seq: u64,
    pub licence_id: String,
    pub scan: ScanRow,
}

pub trait LicenceScans: Send + Sync {
    /// Like [`crate::Scans::put_scan`], for a licence: scan and licence are stored together. What is
    /// stored here about a scan is removed with it.
    fn put_scan_of_licence(
        &self,
        scan: Scan,
        licence_id: String,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The scans of a licence with a number below `before`, newest first, at most `limit`.
    fn scans_of_licence<'a>(
        &'a self,
        licence_id: &'a str,
        before: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<LicenceScan>, StoreError>>;

    /// The id of the licence that the scan was made for.
    fn owner_of_scan<'a>(
        &'a self,
        scan_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, StoreError>>;

    /// The scans of all licences with a number above `after`, oldest first, at most `limit`.
    fn licence_scans_after(
        &self,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<LicenceScan>, StoreError>>;

    /// The last number that was given to a scan of a licence; 0 if there was none.
    fn last_licence_scan(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Stores for which licences scans of another store were made, under the same numbers. Scans that are
    /// not stored here, or that have a licence already, are left out. New scans get numbers above `last`.
    fn import_licence_scans(
        &self,
        scans: Vec<LicenceScan>,
        last: u64,
    ) -> BoxFuture<'_, Result<(), StoreError>>;
}
