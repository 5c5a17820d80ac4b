//! The switch that stops the log.

use std::sync::OnceLock;

use tokio::sync::Notify;

/// Why the log accepts no more entries. Written at most once, by one of the log's threads or by a call
/// of `TransparencyLog::halt`; read by every caller. It is never cleared.
#[derive(Debug, Default)]
pub(super) struct HaltSwitch {
    reason: OnceLock<String>,
    /// Notified when only a restart of the process can help.
    fatal: Notify,
}

impl HaltSwitch {
    pub(super) fn reason(&self) -> Option<String> {
        self.reason.get().cloned()
    }

    pub(super) fn halt(&self, why: String, fatal: bool) {
        tracing::error!(%why, "THE LOG IS NOT EXTENDED ANY MORE: it was halted");
        let _ = self.reason.set(why);
        if fatal {
            self.fatal.notify_one();
        }
    }

    /// Waits for a halt after which only a restart can help, and returns its reason.
    pub(super) async fn wait_for_fatal(&self) -> String {
        self.fatal.notified().await;
        self.reason().unwrap_or_default()
    }
}
