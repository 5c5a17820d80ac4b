//! How many log lines were lost.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::LogFormat;

const LOST_TOTAL: &str = "wayleave_log_lines_lost_total";

/// Why a line was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LossReason {
    QueueFull,
    WriteFailed,
}

/// Counted by every thread that logs; read by the thread that writes.
#[derive(Debug, Default)]
pub(super) struct LostLines {
    queue_full: AtomicU64,
    write_failed: AtomicU64,
}

impl LostLines {
    /// Also sets the metric: the thread that writes may be waiting for a reader, and cannot do it.
    pub(super) fn count(&self, reason: LossReason) {
        let (word, count) = match reason {
            LossReason::QueueFull => ("queue_full", &self.queue_full),
            LossReason::WriteFailed => ("write_failed", &self.write_failed),
        };
        let total = count.fetch_add(1, Ordering::Relaxed) + 1;
        metrics::counter!(LOST_TOTAL, "reason" => word).absolute(total);
    }

    pub(super) fn total(&self) -> u64 {
        self.queue_full.load(Ordering::Relaxed) + self.write_failed.load(Ordering::Relaxed)
    }

    /// Sets the metrics to what was lost before the server installed its recorder.
    pub(super) fn publish(&self) {
        let set = |reason, count: &AtomicU64| {
            metrics::counter!(LOST_TOTAL, "reason" => reason)
                .absolute(count.load(Ordering::Relaxed));
        };
        set("queue_full", &self.queue_full);
        set("write_failed", &self.write_failed);
    }
}

/// The line that reports the loss, in the format of the log. It is made by a subscriber of its own, so
/// that neither the filter nor the queue can lose it.
pub(super) fn format_loss(lines: u64, format: LogFormat) -> Vec<u8> {
    let buffer = Buffer::default();
    let target = buffer.clone();
    let builder = tracing_subscriber::fmt().with_ansi(false).with_writer(move || target.clone());
    let report = || {
        tracing::error!(
            lines,
            "log lines were lost because standard error could not be written or was not read"
        );
    };
    match format {
        LogFormat::Text => tracing::subscriber::with_default(builder.finish(), report),
        LogFormat::Json => {
            tracing::subscriber::with_default(builder.json().flatten_event(true).finish(), report);
        }
    }
    std::mem::take(&mut *buffer.0.lock().unwrap_or_else(PoisonError::into_inner))
}

#[derive(Debug, Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
