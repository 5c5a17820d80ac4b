//! The cost of checking visitors over HTTP: one visitor, compared with a bare route of the same server that
//! signs as many bytes; 100 visitors in one request; and what loading new address lists costs the requests
//! meanwhile. Run with `cargo bench -p web --bench visitors`.
//!
//! Both routes get request lines of the same length and send responses of the same length, which are signed
//! and hashed by the same function. So the ratio shows what the check itself costs: reading the query, finding
//! the agent and the address, and building the answer.
//!
//! Throughput is in requests per second of the server's CPU time, so a busy machine changes little;
//! latencies are wall time and need a quiet one. The load comes from `wrk`, a process of its own; without it
//! nothing is measured. `BENCH_SECONDS` sets the length of each load (6).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    unreachable_pub,
    reason = "a measuring program, not part of the product"
)]

mod load;
mod reload;
mod server;

use self::load::{Load, run_wrk};
use self::server::{BARE, BenchServer, CHECK};
use bench_table::{Goal, report_bare, report_ratio};

/// The goals.
const MIN_SINGLE_RATIO: f64 = 0.85;
const MIN_BATCH_VISITORS: f64 = 150_000.0;
const MAX_RELOAD_DELAY_MS: f64 = 10.0;
const ROUNDS: usize = 5;

fn main() {
    if !load::is_installed() {
        println!("wrk is not installed: nothing is measured");
        return;
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let server = runtime.block_on(BenchServer::start());
    let seconds = std::env::var("BENCH_SECONDS").ok().and_then(|text| text.parse().ok());
    let load = Load { seconds: seconds.unwrap_or(6), connections: 32 };
    let (single, bare) = (server.single_requests(CHECK), server.single_requests(BARE));
    run_wrk(&load.short(), server.address, &single);
    run_wrk(&load.short(), server.address, &bare);
    let mut ratios: Vec<f64> = Vec::new();
    for _ in 0..ROUNDS {
        let bare = run_wrk(&load, server.address, &bare);
        let checked = run_wrk(&load, server.address, &single);
        println!("a bare signed route   {bare}");
        println!("one visitor           {checked}");
        assert_eq!((bare.failed, checked.failed), (0, 0), "requests failed");
        let lengths = checked.response_bytes / bare.response_bytes;
        assert!((0.99..1.01).contains(&lengths), "responses of other lengths: {lengths}");
        ratios.push(checked.per_cpu_second / bare.per_cpu_second);
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ROUNDS / 2];
    report_ratio(
        "check of one visitor",
        "a bare signed route",
        ratio,
        Goal::AtLeast(MIN_SINGLE_RATIO),
    );
    let batch = run_wrk(&load, server.address, &[server.batch_request()]);
    println!("100 visitors          {batch}");
    assert_eq!(batch.failed, 0, "requests failed");
    let rate = batch.per_cpu_second * 100.0;
    report_bare("visitors in batches", rate, "per CPU-second", Goal::AtLeast(MIN_BATCH_VISITORS));
    let (quiet, reloading) = runtime.block_on(reload::measure(&server));
    println!("slowest request: {quiet:.2} ms without reloads, {reloading:.2} ms during reloads");
    let goal = Goal::AtMost(MAX_RELOAD_DELAY_MS);
    report_bare("slower answers while lists are loaded", reloading - quiet, "ms", goal);
}
