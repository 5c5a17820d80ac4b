//! The bytes of bodies that one visit may hold, and those that it may receive.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::{Limits, ReadKind};

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

/// The bytes of bodies, as received, that a visit may still read: in total and of each kind. Nothing
/// is refunded: a body that is thrown away has cost its host as much as any other. Each counter is an
/// atomic that only goes down.
#[derive(Debug)]
pub(crate) struct TrafficBudget {
    total: AtomicU64,
    pages: AtomicU64,
    other_pages: AtomicU64,
    robots: AtomicU64,
    json: AtomicU64,
    style_sheets: AtomicU64,
    mcp: AtomicU64,
}

impl TrafficBudget {
    pub(crate) fn new(limits: &Limits) -> Self {
        let of_kind = || AtomicU64::new(limits.max_kind_wire_bytes);
        Self {
            total: AtomicU64::new(limits.max_visit_wire_bytes),
            pages: of_kind(),
            other_pages: of_kind(),
            robots: of_kind(),
            json: of_kind(),
            style_sheets: of_kind(),
            mcp: of_kind(),
        }
    }

    fn of_kind(&self, kind: ReadKind) -> &AtomicU64 {
        match kind {
            ReadKind::Page => &self.pages,
            ReadKind::OtherPage => &self.other_pages,
            ReadKind::Robots => &self.robots,
            ReadKind::Json => &self.json,
            ReadKind::StyleSheet => &self.style_sheets,
            ReadKind::Mcp => &self.mcp,
        }
    }

    /// Takes up to this many bytes and returns how many may be read.
    pub(crate) fn take(&self, kind: ReadKind, bytes: u64) -> u64 {
        take_from(&self.total, take_from(self.of_kind(kind), bytes))
    }

    /// How many bytes of this kind may still be read.
    pub(crate) fn remaining(&self, kind: ReadKind) -> u64 {
        self.of_kind(kind).load(Ordering::Relaxed).min(self.total.load(Ordering::Relaxed))
    }
}

fn take_from(counter: &AtomicU64, bytes: u64) -> u64 {
    let before = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        Some(left.saturating_sub(bytes))
    });
    bytes.min(before.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_reads_so_much_of_each_kind_and_so_much_in_all() {
        let limits =
            Limits { max_kind_wire_bytes: 8, max_visit_wire_bytes: 20, ..Limits::default() };
        let budget = TrafficBudget::new(&limits);
        assert_eq!(budget.take(ReadKind::Page, 5), 5);
        assert_eq!(budget.remaining(ReadKind::Page), 3);
        assert_eq!(budget.take(ReadKind::Page, 5), 3);
        assert_eq!(budget.take(ReadKind::Page, 5), 0);
        assert_eq!(budget.take(ReadKind::Robots, 8), 8);
        assert_eq!(budget.remaining(ReadKind::OtherPage), 4, "in all");
        assert_eq!(budget.take(ReadKind::Json, 8), 4, "in all");
        assert_eq!(budget.take(ReadKind::StyleSheet, 1), 0);
    }
}
