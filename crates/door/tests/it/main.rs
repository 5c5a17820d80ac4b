//! The door against a small real internet: lab sites, and raw servers of our own at lab addresses.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests open their own sockets and may fail loudly"
)]

mod catalogue;
mod connections;
mod deadlines;
mod http2;
mod names;
mod rebinding;
mod redirects;
mod setup;
mod wire;
