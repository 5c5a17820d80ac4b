//! The whole thing through its front door: the binary, the HTTP API, the lab.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod arrows;
mod behind_answers;
mod client_calls;
mod command_line;
mod docs;
mod hostile_bodies;
mod hostile_domains;
mod interop;
mod licence_api;
mod limits_api;
mod log_api;
mod preflight_api;
mod resolve_api;
mod scan_api;
mod seals;
mod server;
mod sites;
mod tools;
mod verifiers;
mod visibility_api;
