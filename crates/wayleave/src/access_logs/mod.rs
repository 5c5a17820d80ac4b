//! Reads access logs from files: plain or compressed, in blocks of whole lines that threads can share.

mod blocks;
mod open;

pub(crate) use blocks::{Block, LogBlocks};
pub(crate) use open::open_log;
