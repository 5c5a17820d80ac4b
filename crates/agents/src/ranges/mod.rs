//! Sets of address prefixes, and the table that finds all feeds of an address in one look-up.

mod address_index;
mod labels;
mod prefix_set;
mod range_table;
#[cfg(test)]
mod samples;
mod special_blocks;
mod translated;

pub use prefix_set::{InvalidPrefixLine, PrefixSet};
pub use range_table::RangeTable;
pub use special_blocks::{SpecialBlock, special_block_in, special_block_of};
pub use translated::untranslated;
