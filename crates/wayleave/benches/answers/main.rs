//! What it costs in CPU time to make an answer without reading the site, compared with the work that no
//! implementation can avoid: canonical form, digest and signatures of the same bytes, measured in the same run.
//!
//! `cargo bench -p wayleave --bench answers`. The service and the lab run in this process; the CPU time of
//! the lab's threads is left out. `BENCH_ONLY` names the parts to run (`live,reseal,preflight,batch`).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measuring program, not part of the product"
)]

#[path = "../../../observe/benches/shared/bare_client.rs"]
mod bare_client;
mod batch;
mod live;
mod preflight;
mod reseal;
mod storing;
mod world;

use std::time::{Duration, Instant};

use lab::{Lab, LabOptions};
use mimalloc::MiMalloc;
use world::World;

/// The same as in the server.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How many sites are asked about.
const SITES: usize = 200;
/// The name of the lab's threads.
const LAB_THREADS: &str = "lab";
/// Threads of the service.
const WORKERS: usize = 2;
/// How many callers ask at once.
const CALLERS: usize = 32;

fn main() {
    // `cargo test --all-targets` runs this too; a few sites and one round are enough then.
    let is_measured = std::env::args().any(|arg| arg == "--bench");
    let only =
        std::env::var("BENCH_ONLY").unwrap_or_else(|_| "live,reseal,preflight,batch".to_owned());
    let part = |name: &str| only.split(',').any(|part| part == name);
    let (sites, round) = match is_measured {
        true => (SITES, Duration::from_secs(5)),
        false => (10, Duration::from_millis(10)),
    };
    let runtime = |name: &str| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name(name)
            .enable_all()
            .build()
            .unwrap()
    };
    let lab_runtime = runtime(LAB_THREADS);
    let lab = lab_runtime.block_on(Lab::start(LabOptions::default())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime("service").block_on(async {
        if part("live") {
            live::measure(&lab, sites).await;
        }
        if !["reseal", "preflight", "batch"].into_iter().any(part) {
            return;
        }
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
        if part("batch") {
            batch::measure(&world, round).await;
        }
        world.service.log.close().await;
    });
    lab_runtime.block_on(lab.stop());
}

/// How often something is done in a second of CPU time by as many threads as the service has, each of which does nothing
/// else. `run` gets the number of the run.
fn rate_alone(round: Duration, run: impl Fn(usize) + Sync) -> f64 {
    let (begun, before) = (Instant::now(), world::cpu_seconds());
    let count = || {
        let mut runs = 0;
        while begun.elapsed() < round.min(Duration::from_secs(2)) {
            run(runs);
            runs += 1;
        }
        runs
    };
    let runs: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WORKERS).map(|_| scope.spawn(count)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    runs as f64 / (world::cpu_seconds() - before).max(0.01)
}
