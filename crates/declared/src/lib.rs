//! What a site says of itself: bytes in, facts out.
//!
//! Readers only. They never fail and never judge: what cannot be read is left out or noted, and
//! what it means is decided in `judge`. No I/O.

pub mod capability;
pub mod charset;
pub mod entity;
pub mod fault;
pub mod files;
pub mod instructions;
pub mod link;
pub mod page;
pub mod rights;
pub mod robots;
pub mod shape;
mod shown;

pub use shown::shown;
