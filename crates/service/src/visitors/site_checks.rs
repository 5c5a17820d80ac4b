//! Counts the checks that sites ask for, by agent: nothing else of a visitor is kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use agents::AgentIndex;
use agents::verdict::Verdict;
use contract::records::{SiteChecks, VisitorVerdict};

/// The checks since they were last taken. At most as many entries as the catalogue has agents.
#[derive(Debug, Default)]
pub(crate) struct SiteCheckCounts {
    counts: Mutex<HashMap<AgentIndex, SiteChecks>>,
}

impl SiteCheckCounts {
    /// Counts a check. A visitor that claims to be no agent is not counted.
    pub(super) fn add(&self, verdict: &Verdict) {
        let Some(agent) = verdict.claimed else { return };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let checks = counts.entry(agent).or_default();
        checks.checked += 1;
        checks.verified += u64::from(verdict.verdict == VisitorVerdict::Verified);
        checks.spoofed += u64::from(verdict.verdict == VisitorVerdict::Spoofed);
    }

    /// The counts since the last call.
    pub(crate) fn take(&self) -> HashMap<AgentIndex, SiteChecks> {
        std::mem::take(&mut *self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
