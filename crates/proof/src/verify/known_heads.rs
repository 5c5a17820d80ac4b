//! The heads that were checked last. Answers of one batch of the log contain the same head, so that its
//! signature needs to be verified once.

use super::checks::Checks;
use super::verdict::{Check, CheckOutcome};
use crate::json_view::Members;
use crate::tree_head::ChainHead;

/// The longest head that is remembered. A head has about two kilobytes.
pub(super) const MAX_BYTES: usize = 16 * 1024;

/// Heads without a failed check, most recently used first. A head is known only by all of its bytes,
/// signature included, so nothing about it can differ from what was checked. Belongs to one policy and
/// one brand ([`super::Verifier`]), the only other things that its checks depend on.
#[derive(Debug)]
pub(super) struct KnownHeads {
    list: Vec<KnownHead>,
    /// How many are remembered.
    limit: usize,
}

#[derive(Debug)]
struct KnownHead {
    source: Box<str>,
    head: Option<ChainHead>,
    checks: Vec<Check>,
}

impl KnownHeads {
    pub(super) fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit }
    }

    /// Adds the checks of this head, by `check` unless it is known.
    pub(super) fn check(
        &mut self,
        head: Members<'_>,
        checks: &mut Checks,
        check: impl FnOnce(&mut Checks) -> Option<ChainHead>,
    ) -> Option<ChainHead> {
        // Only what was read as canonical bytes has bytes to know it by.
        let source = head.source().filter(|source| self.limit > 0 && source.len() <= MAX_BYTES);
        let Some(source) = source else { return check(checks) };
        if let Some(place) = self.list.iter().position(|known| *known.source == *source) {
            self.list.get_mut(..=place)?.rotate_right(1);
            let known = self.list.first()?;
            checks.list.extend_from_slice(&known.checks);
            return known.head.clone();
        }
        let before = checks.list.len();
        let head = check(checks);
        let made = checks.list.get(before..).unwrap_or_default();
        if made.iter().all(|check| check.ok != CheckOutcome::Failed) {
            self.list.truncate(self.limit.saturating_sub(1));
            let known =
                KnownHead { source: source.into(), head: head.clone(), checks: made.to_vec() };
            self.list.insert(0, known);
        }
        head
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    #[cfg(test)]
    pub(super) fn knows(&self, source: &str) -> bool {
        self.list.iter().any(|known| *known.source == *source)
    }
}
