//! What a scan needs to start.

use std::time::Duration;

use agents::Catalogue;
use contract::evidence::Observer;
use contract::{Clock, Domain};
use door::Door;

use super::call_allowance::CallAllowance;
use super::plan::ScanDepth;
use super::progress::ProgressCallback;

/// Everything that a scan needs to start.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ScanPlan<'a> {
    pub domain: &'a Domain,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    pub clock: &'a dyn Clock,
    pub observer: Observer,
    pub depth: ScanDepth,
    /// The deadline for all reads together.
    pub deadline: Duration,
    /// Random letters and digits, used for paths and queries that nobody has requested before. Also
    /// the seed for the order of the reads, so that no identity is always first.
    pub token: String,
    /// Grants the calls that check declared operations. Without it, none is called. A live reading never
    /// calls any.
    pub calls: Option<&'a dyn CallAllowance>,
    /// Called after each read.
    pub progress: ProgressCallback<'a>,
}
