//! Tests of the public interface: every field of the interface is in a schema, every record has an
//! example, reading records is lenient, and reading requests is strict.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod examples;
mod fields;
mod reading;
mod request_bounds;
mod requests;
mod schemas;
