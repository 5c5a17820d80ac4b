//! Tests of the door against the lab: lab sites, and raw test servers at lab addresses.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests open their own sockets and may fail loudly"
)]

mod ask;
mod catalogue;
mod connections;
mod deadlines;
mod http2;
mod keyed_call;
mod names;
mod post;
mod rebinding;
mod redirects;
mod setup;
mod several_addresses;
mod targets;
mod wire;
