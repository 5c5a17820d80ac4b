//! The transparency log and the queue of scans on a real store, under faults of process, disk, store
//! and clock.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]

mod answer_order;
mod answers;
mod clocks;
mod disk;
mod failing_store;
mod failing_store_owners;
mod faults;
mod file_flips;
mod flaky;
mod killed;
mod openings;
mod power_cuts;
mod reached_site;
mod retention;
mod scan_queue;
mod sealing;
mod shared_flights;
mod slow_store;
mod volatile_disk;
mod world;
