//! Full scans.
//!
//! `scan` runs one scan for a caller, signs and stores it. `report` serves a stored scan, `manifest`
//! lists its files, `bundle` puts them into one file, `machine_record` makes files that the site could
//! publish itself, `report_view` collects what a report page shows besides, `running_scans` lets a scan be
//! watched, `replay` judges evidence again, `census` scans a ranked list of domains.

pub mod bundle;
pub mod census;
mod machine_record;
mod manifest;
mod recent_unlisted;
pub mod replay;
mod report;
mod report_documents;
mod report_v1;
mod report_view;
mod running_scans;
pub mod scan;
mod scoring_method;

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Issuer};
use store::Store;

pub use machine_record::MachineRecordDownload;
pub(crate) use recent_unlisted::RecentUnlistedScans;
pub use report::{Report, ReportReader};
pub use report_documents::ReportDocument;
#[cfg(test)]
pub(crate) use report_documents::fill_with_small_documents;
pub use report_view::{RefusedBody, ReportContext};
pub(crate) use running_scans::RunningScans;
pub use running_scans::{
    FileProgress, IdentityProgress, ReadResult, RunningScan, ScanBoard, ScanListener,
};
pub use scan::{Caller, ScanCommand, ScanError, ScanReply, owner_holder};
pub use scoring_method::scoring_method;

use crate::access::Access;
use crate::answers::Answers;
use crate::in_flight::InFlightDomains;
use crate::log::daily_seals::DailySeals;
use crate::scanner::Scanner;
use crate::signing_keys::SigningKeys;
use crate::target_domains::TargetDomains;

/// Runs full scans. Shared by all requests. Mutable state: `targets`, `recent_unlisted` and
/// `in_flight` (each guarded by its own mutex), `slots` (a semaphore with one permit per running scan)
/// and `documents` and `running` (which guard themselves). All other fields never change.
pub struct Scanning {
    pub(crate) issuer: Issuer,
    /// Time limit for all reads of one scan together.
    pub(crate) deadline: Duration,
    /// A domain scanned within this time is answered with the earlier report.
    pub(crate) rescan_window: Duration,
    pub(crate) scanner: Scanner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) access: Arc<Access>,
    pub(crate) seals: Arc<DailySeals>,
    /// Informed of every public scan, so that the answer about its domain is updated.
    pub(crate) answers: Arc<Answers>,
    pub(crate) targets: TargetDomains,
    pub(crate) recent_unlisted: RecentUnlistedScans,
    pub(crate) in_flight: InFlightDomains,
    pub(crate) slots: tokio::sync::Semaphore,
    pub(crate) documents: report_documents::ReportDocuments,
    pub(crate) running: RunningScans,
}
