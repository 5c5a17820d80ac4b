//! The time of one decision (inputs, ladder and the five actions of an answer), with a limit of 50 µs.
//! `cargo bench -p judge --bench decide`.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    unreachable_pub,
    reason = "a bench prints, measures time, and may panic"
)]

#[path = "../src/decide/tests/sample.rs"]
mod sample;

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_bare};
use judge::decide::{build_ladder, decide_actions, decision_inputs};
use judge::resolve::Sections;

const LIMIT: Duration = Duration::from_micros(50);
const ROUNDS: usize = 200;
const IN_A_ROUND: u32 = 1_000;

fn main() {
    let sections = Sections::from_answer(sample::answer());
    let mut took: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            for _ in 0..IN_A_ROUND {
                let inputs = decision_inputs(black_box(&sections));
                black_box((build_ladder(&inputs, &sections.control), decide_actions(&inputs)));
            }
            started.elapsed() / IN_A_ROUND
        })
        .collect();
    took.sort_unstable();
    let median = took.get(took.len() / 2).copied().unwrap_or_default();
    println!(
        "inputs, ladder and actions: {median:?} each, {:.0} per second",
        1.0 / median.as_secs_f64()
    );
    let goal = Goal::AtMost(LIMIT.as_secs_f64() * 1e6);
    let is_met = report_bare("one decision", median.as_secs_f64() * 1e6, "µs", goal);
    std::process::exit(i32::from(!is_met));
}
