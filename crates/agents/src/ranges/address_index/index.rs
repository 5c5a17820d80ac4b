//! The table, the nodes, and how an address is looked up in them.

use crate::ranges::labels::{Label, NO_FEED};

/// The bits of an address.
pub(in crate::ranges) trait AddressBits: Copy + std::fmt::Debug {
    const WIDTH: u32;

    fn from_low_bits(bits: u128) -> Self;
    /// The first 16 bits.
    fn head(self) -> usize;
    /// The 16 bits whose lowest has this position.
    fn value(self, shift: u32) -> u16;
    /// Whether the bits above those 16 are the same.
    fn is_same_above(self, other: Self, shift: u32) -> bool;
}

macro_rules! address_bits {
    ($type:ty) => {
        impl AddressBits for $type {
            const WIDTH: u32 = <$type>::BITS;

            fn from_low_bits(bits: u128) -> Self {
                bits as Self
            }

            #[inline]
            fn head(self) -> usize {
                (self >> (Self::BITS - STEP_BITS)) as usize
            }

            #[inline]
            fn value(self, shift: u32) -> u16 {
                (self >> shift) as u16
            }

            #[inline]
            fn is_same_above(self, other: Self, shift: u32) -> bool {
                (self ^ other) >> shift >> STEP_BITS == 0
            }
        }
    };
}

address_bits!(u32);
address_bits!(u128);

/// How many bits the table and each node tell apart.
pub(super) const STEP_BITS: u32 = 16;

/// Either a label or, with [`NODE_FLAG`], the position of a node.
pub(super) type Entry = u32;
pub(super) const NODE_FLAG: Entry = 1 << 31;

#[derive(Debug, Clone)]
pub(in crate::ranges) struct AddressIndex<A> {
    /// One entry for each value of the first 16 bits; empty if no address has a label.
    pub(super) heads: Box<[Entry]>,
    pub(super) nodes: Vec<Node<A>>,
    /// The parts of lists that are too long for one group.
    pub(super) groups: Vec<Group>,
}

/// Tells 16 bits of an address apart.
#[derive(Debug, Clone)]
pub(super) struct Node<A> {
    /// The bits above.
    pub(super) prefix: A,
    /// The label of addresses with other bits there.
    pub(super) outside: Label,
    /// The position of the lowest of the 16 bits.
    pub(super) shift: u32,
    /// How many times the entry of `list` is the position of the next group to look into.
    pub(super) depth: u32,
    pub(super) list: Group,
}

/// A list of values in ascending order, each with the entry that begins there.
///
/// Behind the last one, its entry is repeated.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) starts: [u16; GROUP_SIZE],
    pub(super) entries: [Entry; GROUP_SIZE],
}

/// So many values are compared at once.
pub(super) const GROUP_SIZE: usize = 8;

impl Group {
    /// The entry of the last start that is not above the value. The first start is never above it.
    ///
    /// Compares all of them: a search would take branches that depend on the address, and a processor
    /// guesses those wrong half of the time.
    #[inline]
    fn entry(&self, value: u16) -> Entry {
        let not_above: u16 = self.starts.iter().map(|start| u16::from(*start <= value)).sum();
        let position = usize::from(not_above.wrapping_sub(1));
        self.entries.get(position).copied().unwrap_or(NO_FEED)
    }
}

impl<A: AddressBits> AddressIndex<A> {
    #[inline]
    pub(in crate::ranges) fn label(&self, address: A) -> Label {
        let mut entry = self.heads.get(address.head()).copied().unwrap_or(NO_FEED);
        while entry & NODE_FLAG != 0 {
            let Some(node) = self.nodes.get((entry & !NODE_FLAG) as usize) else {
                return NO_FEED;
            };
            if !address.is_same_above(node.prefix, node.shift) {
                return node.outside;
            }
            let value = address.value(node.shift);
            entry = node.list.entry(value);
            for _ in 0..node.depth {
                entry = self.groups.get(entry as usize).map_or(NO_FEED, |group| group.entry(value));
            }
        }
        entry
    }

    pub(in crate::ranges) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.heads)
            + self.nodes.capacity() * size_of::<Node<A>>()
            + self.groups.capacity() * size_of::<Group>()
    }
}
