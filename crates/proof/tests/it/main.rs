//! Official vectors (where the folder is present), oracles and properties.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr
)]

mod canonical;
mod ed25519;
mod gold;
mod keys;
mod log_doc;
mod tlog;
mod tree;
mod vectors;
