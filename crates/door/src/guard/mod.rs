//! The gate: what may be asked for, and what may be dialled. Pure functions, no I/O.

pub(crate) mod address;
mod blocks;
pub(crate) mod url;
