//! The bytes of bodies that one visit may hold.

use std::sync::atomic::{AtomicI64, Ordering};

/// The number of decoded bytes that may still be read. Shared by all reads of a visit: each read
/// spends what it decodes, and the caller refunds what it no longer holds. The counter is one
/// atomic, so no lock guards it. Parallel reads may each overshoot by the chunk they are decoding;
/// the balance then goes negative and must be refunded first.
#[derive(Debug)]
pub(crate) struct ByteBudget(AtomicI64);

impl ByteBudget {
    pub(crate) fn new(bytes: u64) -> Self {
        Self(AtomicI64::new(i64::try_from(bytes).unwrap_or(i64::MAX)))
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= 0
    }

    pub(crate) fn spend(&self, bytes: usize) {
        self.0.fetch_sub(bytes as i64, Ordering::Relaxed);
    }

    pub(crate) fn refund(&self, bytes: usize) {
        self.0.fetch_add(bytes as i64, Ordering::Relaxed);
    }
}
