//! One file per endpoint, or per group of related endpoints. A handler is named after its operationId,
//! in snake case.

pub(crate) mod builds;
pub(crate) mod census;
pub(crate) mod changes;
pub(crate) mod claims;
pub(crate) mod content_clock;
pub(crate) mod core_contract;
pub(crate) mod corroboration;
pub(crate) mod decisions;
mod error_mapping;
pub(crate) mod graph;
pub(crate) mod home_page;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod observers;
pub(crate) mod operators;
pub(crate) mod outcome;
mod page_forms;
pub(crate) mod pictures;
pub(crate) mod preflight;
pub(crate) mod preflight_page;
pub(crate) mod read_equivalence;
pub(crate) mod report;
mod report_access;
pub(crate) mod report_bundle;
pub(crate) mod resolve;
pub(crate) mod resolve_batch;
pub(crate) mod resolve_prefix;
pub(crate) mod revocations;
pub(crate) mod rights;
pub(crate) mod running_scan;
pub(crate) mod scan;
pub(crate) mod scan_v1;
pub(crate) mod schema;
pub(crate) mod seal;
pub(crate) mod staple;
pub(crate) mod static_documents;
