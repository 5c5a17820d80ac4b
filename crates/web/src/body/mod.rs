//! Request bodies: bounded in size and time, and read strictly.

mod bounded;
mod json;
mod node;
mod node_reader;

pub use json::StrictJson;

pub(crate) use bounded::read;
pub(crate) use json::strict;
