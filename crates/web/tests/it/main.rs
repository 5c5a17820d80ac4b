//! The HTTP side over real sockets, spoken to byte by byte.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and are strangers to the server they dial"
)]

mod app;
mod behind_answers;
mod bodies;
mod connections;
mod decisions;
mod feeds;
mod harness;
mod limits;
mod log;
mod once;
mod outcomes;
mod seals;
mod shapes;
mod shutdown;
mod signatures;
mod witness;
