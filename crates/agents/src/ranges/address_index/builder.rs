//! Builds the index from ranges of addresses with the same label.

use super::index::{
    AddressBits, AddressIndex, Entry, GROUP_SIZE, Group, NODE_FLAG, Node, STEP_BITS,
};
use crate::ranges::labels::{Label, NO_FEED};

/// From this address on, up to the start of the next range, addresses have this label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ranges) struct LabelledRange {
    pub(in crate::ranges) start: u128,
    pub(in crate::ranges) label: Label,
}

/// All addresses that share the bits above the lowest `bits`.
#[derive(Debug, Clone, Copy)]
struct Block {
    low: u128,
    /// A multiple of 16.
    bits: u32,
}

impl Block {
    fn high(self) -> u128 {
        self.low + ((1 << self.bits) - 1)
    }

    /// The smallest block that contains both addresses.
    fn around(low: u128, high: u128) -> Self {
        let differing = u128::BITS - (low ^ high).leading_zeros();
        let bits = differing.next_multiple_of(STEP_BITS).max(STEP_BITS);
        Self { low: low.checked_shr(bits).unwrap_or(0).checked_shl(bits).unwrap_or(0), bits }
    }
}

impl<A: AddressBits> AddressIndex<A> {
    /// The ranges are in order, the first one starts at 0, and neighbours have different labels.
    pub(in crate::ranges) fn new(ranges: &[LabelledRange]) -> Self {
        let mut index = Self { heads: Box::default(), nodes: Vec::new(), groups: Vec::new() };
        if ranges.iter().any(|range| range.label != NO_FEED) {
            let mut heads = Vec::with_capacity(1 << STEP_BITS);
            let mut entry = NO_FEED;
            for (value, next) in index.entries_of(ranges, 0, A::WIDTH - STEP_BITS) {
                heads.resize(value.into(), entry);
                entry = next;
            }
            heads.resize(1 << STEP_BITS, entry);
            index.heads = heads.into_boxed_slice();
        }
        index.nodes.shrink_to_fit();
        index.groups.shrink_to_fit();
        index
    }

    /// The entry of a block. The first range covers its first address, the others start inside.
    fn entry(&mut self, ranges: &[LabelledRange], block: Block) -> Entry {
        let (first, second, last) = match ranges {
            [] => return NO_FEED,
            [only] => return only.label,
            [first, second, ..] => (first, second, ranges.last().unwrap_or(second)),
        };
        let (block, outside) = narrowed(first, second, last, block);
        let covering = ranges.partition_point(|range| range.start <= block.low).saturating_sub(1);
        let end = ranges.partition_point(|range| range.start <= block.high());
        let ranges = ranges.get(covering..end).unwrap_or_default();
        let shift = block.bits - STEP_BITS;
        let list = self.entries_of(ranges, block.low, shift);

        let (list, depth) = self.tree_of_groups(list);
        self.nodes.push(Node { prefix: A::from_low_bits(block.low), outside, shift, depth, list });
        NODE_FLAG | position(self.nodes.len() - 1)
    }

    /// Puts a list into groups. While there are several, the list of their first values and positions
    /// is put into groups in the same way.
    fn tree_of_groups(&mut self, mut list: Vec<(u16, Entry)>) -> (Group, u32) {
        let mut depth = 0;
        while list.len() > GROUP_SIZE {
            let first = self.groups.len();
            self.groups.extend(list.chunks(GROUP_SIZE).map(group));
            let starts = list.iter().step_by(GROUP_SIZE).map(|(start, _)| *start);
            list = starts.zip((first..).map(position)).collect();
            depth += 1;
        }
        (group(&list), depth)
    }

    /// The entries of the values that the 16 bits from `shift` on can have, each with the first value
    /// that it applies to.
    fn entries_of(&mut self, ranges: &[LabelledRange], low: u128, shift: u32) -> Vec<(u16, Entry)> {
        let value_of = |range: &LabelledRange| (range.start - low) >> shift;
        let mut list: Vec<(u16, Entry)> = Vec::new();
        let mut push = |value: u128, entry: Entry| {
            // After the last value there is nothing to add.
            if let Ok(value) = u16::try_from(value)
                && list.last().is_none_or(|(_, last)| *last != entry)
            {
                list.push((value, entry));
            }
        };
        let mut rest = ranges;
        // The first value that has no entry yet.
        let mut value = 0;
        while let [current, later @ ..] = rest {
            let Some(next) = later.first() else {
                push(value, current.label);
                break;
            };
            if value_of(next) > value {
                push(value, current.label);
                value = value_of(next);
            }
            let value_low = low + (value << shift);
            if next.start == value_low {
                rest = later;
                continue;
            }
            // Labels change inside this value.
            let inside = later.partition_point(|range| value_of(range) == value);
            let block = Block { low: value_low, bits: shift };
            push(value, self.entry(rest.get(..=inside).unwrap_or_default(), block));
            value += 1;
            rest = rest.get(inside..).unwrap_or_default();
        }
        list
    }
}

/// A part of a list, filled with its last entry.
fn group(list: &[(u16, Entry)]) -> Group {
    let last = list.last().map_or(NO_FEED, |(_, entry)| *entry);
    let mut group = Group { starts: [u16::MAX; GROUP_SIZE], entries: [last; GROUP_SIZE] };
    let places = group.starts.iter_mut().zip(&mut group.entries);
    for ((start, entry), listed) in places.zip(list) {
        (*start, *entry) = *listed;
    }
    group
}

/// The smallest block inside `block` outside of which all addresses of `block` have one label, and
/// that label. `block` has the label of `first` up to `second`, and that of `last` at its end.
fn narrowed(
    first: &LabelledRange,
    second: &LabelledRange,
    last: &LabelledRange,
    block: Block,
) -> (Block, Label) {
    let before_last = last.start.saturating_sub(1);
    let mut narrowest = (Block::around(block.low, before_last), last.label);
    let at_end = Block::around(second.start, block.high());
    if at_end.bits < narrowest.0.bits {
        narrowest = (at_end, first.label);
    }
    let in_middle = Block::around(second.start, before_last);
    if first.label == last.label && in_middle.bits < narrowest.0.bits {
        narrowest = (in_middle, first.label);
    }
    narrowest
}

/// A position in a list. Lists have fewer than 2^31 elements: more would not fit into memory.
fn position(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(0)
}
