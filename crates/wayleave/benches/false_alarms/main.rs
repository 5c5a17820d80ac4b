//! Measures how often scans accuse a site that only varies by itself, and how often they miss one
//! that cloaks: 300 scans of varying sites, 100 of cloaking sites, through the lab and the binary.
//! Run with `cargo bench -p wayleave --bench false_alarms`. Fails if there is one accusation, one miss,
//! or a varying site whose first ten scans give different letters.
//!
//! `BENCH_VARYING` and `BENCH_CLOAKING` set the numbers of scans.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    dead_code,
    reason = "a measuring program that shares files with the tests"
)]

mod judgements;
#[path = "../../tests/it/lab_server.rs"]
mod lab_server;
#[path = "../../tests/it/false_alarms/measure.rs"]
mod measure;
#[path = "../../tests/it/server.rs"]
mod server;

use std::process::ExitCode;
use std::time::Instant;

use bench_table::{Goal, report_bare};

fn main() -> ExitCode {
    let number = |name: &str, usual: usize| {
        std::env::var(name).map_or(usual, |text| text.parse().expect("a number of scans"))
    };
    let begun = Instant::now();
    let found = measure::measure(number("BENCH_VARYING", 300), number("BENCH_CLOAKING", 100));
    println!("{found}\ntook {:.0} s", begun.elapsed().as_secs_f64());
    let none = |path: &str, count: usize| report_bare(path, count as f64, "", Goal::AtMost(0.0));
    let are_met = [
        none("accusations in scans of sites that vary by themselves", found.accusations.len()),
        none("misses in scans of sites that cloak", found.misses.len()),
        none("sites that get different letters", found.unsteady_sites().len()),
    ];
    if are_met.iter().all(|is_met| *is_met) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
