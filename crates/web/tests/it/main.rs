//! Tests of the HTTP side over real sockets, byte by byte.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and connect to the server as external clients"
)]

mod answer_details;
mod app;
mod bodies;
mod connections;
mod decisions;
mod feeds;
mod harness;
mod idempotency;
mod log;
mod outcomes;
mod rate_limits;
mod response_shapes;
mod seals;
mod shutdown;
mod signatures;
mod tls;
mod witness;
mod workers;
