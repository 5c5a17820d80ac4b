//! The guard: decides which URLs may be requested and which addresses may be dialled. Pure
//! functions, no I/O.

pub(crate) mod address;
mod address_blocks;
pub(crate) mod address_kind;
pub(crate) mod fuzzing;
pub(crate) mod url;
