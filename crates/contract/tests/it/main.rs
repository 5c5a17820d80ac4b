//! The contract seen from outside: every field of the interface has its schema, every record its
//! example, and readers are as lenient, and requests as strict, as they are meant to be.
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
mod requests;
mod schemas;
