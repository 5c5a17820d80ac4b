//! Reading plans against the lab.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod bounds;
mod clock;
mod mcp;
mod mcp_further;
mod opt_out;
mod reads;
mod setup;
