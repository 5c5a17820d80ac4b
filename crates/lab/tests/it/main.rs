//! Tests of the lab from outside, over real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods
)]

mod behaviour;
mod catalogue;
mod client;
mod declarations;
mod lifecycle;
mod names;
mod reader;
mod resolve;
