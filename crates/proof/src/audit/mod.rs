//! Audits a whole log from its bytes: every head, every leaf, every entry, in order.
//!
//! Nothing that the log states about itself is trusted. Each head is verified as a signed document,
//! must follow the previous one, and must cover exactly the given leaves; each entry must hash to
//! its leaf. Not checked here is whether a leaf is in two batches: that needs all leaves at once,
//! so the caller has to do it.

mod fault;
mod head_comparison;
mod log_audit;
mod state;

pub use fault::{AuditFault, FaultKind};
pub use head_comparison::HeadComparison;
pub use log_audit::{AuditCounts, AuditReport, LogAudit, MAX_HEAD_BYTES};
pub use state::AuditState;

#[cfg(test)]
mod tests;
