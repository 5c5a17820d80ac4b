//! Finds the label of an address in a few memory accesses.
//!
//! The first 16 bits of an address select an entry of a table. Where addresses that share them have
//! different labels, the entry refers to a node, which tells the next 16 bits apart: a sorted list of
//! the values at which another entry begins. One such list is all that IPv4 needs. A node is left out
//! where it would tell apart only addresses inside one value and a single label for all others: the
//! next node remembers the bits to compare and that label.

mod builder;
mod index;

pub(super) use builder::LabelledRange;
pub(super) use index::AddressIndex;
