//! What it costs in CPU time to make an answer without reading the site, compared with the work that no
//! implementation can avoid: canonical form, digest and signatures of the same bytes, measured in the same run.
//!
//! `cargo bench -p wayleave --bench answers`. The service and the lab run in this process; while CPU time is
//! counted, the lab is idle. `BENCH_ONLY` names the parts to run (`reseal,preflight`).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measuring program, not part of the product"
)]

mod preflight;
mod reseal;
mod world;

use std::time::{Duration, Instant};

use lab::{Lab, LabOptions};
use world::World;

/// How many sites are asked about.
const SITES: usize = 200;
/// How many callers ask at once.
const CALLERS: usize = 32;

fn main() {
    // `cargo test --all-targets` runs this too; a few sites and one round are enough then.
    let is_measured = std::env::args().any(|arg| arg == "--bench");
    let only = std::env::var("BENCH_ONLY").unwrap_or_else(|_| "reseal,preflight".to_owned());
    let part = |name: &str| only.split(',').any(|part| part == name);
    let (sites, round) = match is_measured {
        true => (SITES, Duration::from_secs(5)),
        false => (10, Duration::from_millis(10)),
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let lab = Lab::start(LabOptions::default()).await.unwrap();
        let world = World::open(&lab, folder.path()).await;
        let begun = Instant::now();
        world.read_sites(sites).await;
        println!("{sites} sites were read and answered in {:.1?}", begun.elapsed());
        if part("reseal") {
            reseal::measure(&world, round).await;
        }
        if part("preflight") {
            preflight::measure(&world, round).await;
        }
        world.service.log.close().await;
        lab.stop().await;
    });
}

/// One line of the table that all benchmarks together make.
fn report(path: &str, limit: &str, ratio: f64, goal: f64) {
    let met = if ratio >= goal { "met" } else { "not met" };
    println!("BENCH | {path} | {limit} | {ratio:.2} | >= {goal:.2} | {met}");
}

/// How often something is done in a second of CPU time by one thread that does nothing else.
fn rate_alone(round: Duration, mut run: impl FnMut()) -> f64 {
    let (begun, mut runs) = (Instant::now(), 0_u32);
    while begun.elapsed() < round.min(Duration::from_secs(1)) {
        run();
        runs += 1;
    }
    f64::from(runs) / begun.elapsed().as_secs_f64()
}
