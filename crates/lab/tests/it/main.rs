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
mod cases;
mod catalogue;
mod client;
mod control;
mod declarations;
mod feeds;
mod feeds_with_faults;
mod judged_sites;
mod lifecycle;
mod names;
mod reader;
mod resolve;
mod reverse_dns;
mod signing_bot;
