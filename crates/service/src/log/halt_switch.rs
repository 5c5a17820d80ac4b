//! The switch that stops the log.

use std::sync::OnceLock;

use supervisor::Supervisor;

/// Why the log accepts no more entries. Written at most once, by one of the log's threads or by a call
/// of `TransparencyLog::halt`; read by every caller. It is never cleared.
#[derive(Debug)]
pub(super) struct HaltSwitch {
    reason: OnceLock<String>,
    /// Ends the process when only a restart can help.
    supervisor: Supervisor,
}

impl HaltSwitch {
    pub(super) fn new(supervisor: Supervisor) -> Self {
        Self { reason: OnceLock::new(), supervisor }
    }

    pub(super) fn reason(&self) -> Option<String> {
        self.reason.get().cloned()
    }

    pub(super) fn halt(&self, why: String, fatal: bool) {
        tracing::error!(%why, "THE LOG IS NOT EXTENDED ANY MORE: it was halted");
        let _ = self.reason.set(why.clone());
        if fatal {
            self.supervisor.report_failure("log", why);
        }
    }
}
