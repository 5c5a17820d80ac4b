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
mod control_meta_tag;
mod control_setup;
mod control_txt_record;
mod control_well_known_file;
mod engine;
mod mcp;
mod mcp_further;
mod opt_out;
mod reads;
mod registry;
mod setup;
