//! How many elements are open, so that a page of nothing but start tags is not read to its end.

use super::tag_syntax::Tag;
use crate::page::element_role;

/// The most elements that may be open at once.
pub(super) const MAX_OPEN: usize = 1 << 16;
/// How many open elements are looked at in vain, in all: a page could have as many wrong end tags as open
/// elements.
const MAX_STEPS: usize = 1 << 26;
/// How many groups names are counted in.
const GROUPS: usize = 256;

pub(super) struct OpenElements {
    names: Vec<u64>,
    /// How many open elements have a name of this group: end tags of elements that were never opened are
    /// common, and few names share a group.
    counts: Vec<u32>,
    steps: usize,
}

impl Default for OpenElements {
    fn default() -> Self {
        Self { names: Vec::with_capacity(64), counts: vec![0; GROUPS], steps: 0 }
    }
}

impl OpenElements {
    /// Notes a start tag.
    pub(super) fn open(&mut self, tag: &Tag<'_>, is_foreign: bool) {
        let is_closed =
            if is_foreign { tag.is_self_closing } else { element_role::is_void(tag.key) };
        if !is_closed {
            self.names.push(tag.key);
            if let Some(count) = self.counts.get_mut(group(tag.key)) {
                *count += 1;
            }
        }
    }

    /// Notes an end tag: it ends the innermost element of its name and all inside of it.
    pub(super) fn close(&mut self, tag: &Tag<'_>) {
        if self.counts.get(group(tag.key)).is_none_or(|count| *count == 0) {
            return;
        }
        let Some(at) = self.names.iter().rposition(|name| *name == tag.key) else {
            self.steps += self.names.len();
            return;
        };
        for name in self.names.drain(at..) {
            if let Some(count) = self.counts.get_mut(group(name)) {
                *count -= 1;
            }
        }
    }

    /// Whether too many elements are open for the rest of the page to be read.
    pub(super) fn are_too_many(&self) -> bool {
        self.names.len() > MAX_OPEN || self.steps > MAX_STEPS
    }
}

fn group(name: u64) -> usize {
    let mixed = name.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> 56).unwrap_or(0)
}
