//! Measures the cost of an answer, compared with nginx serving the same bytes: from the cache (`kept`),
//! with a live reading asked for where one was just made (`fresh`) and from a live reading (`live`); and how much stalling sites (`stall`) and a
//! flood from one address (`flood`) slow down everybody else; a preflight as a tool call of the MCP server
//! (`tools`); and field checks (`field_checks`). Run with `cargo bench -p wayleave --bench resolve`.
//!
//! The server runs in its own process, the lab in this one. Throughput is in requests per second of the
//! server's CPU time, so a busy machine changes little; latencies are wall time and need a quiet
//! machine. nginx and wrk must be in the path; parts that need them are skipped without them.
//!
//! `BENCH_ONLY` names the parts to run (`live,kept,fresh,stall,flood,tools,field_checks`), `BENCH_SECONDS` and
//! `BENCH_CONNECTIONS` set duration and concurrency of wrk, `BENCH_KEPT` and `BENCH_FRESH` are the
//! request paths, with `{name}` for a domain.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measuring program, not part of the product"
)]

mod client;
mod field_checks;
mod flood;
mod live;
mod machine;
mod nginx;
mod server;
mod stall;
mod tools;
mod wrk;

use std::time::Duration;

use bench_table::{Goal, report_ratio};
use lab::{Lab, LabOptions};
use tempfile::TempDir;

/// The goals, as ratios to nginx.
const MIN_KEPT_WORK_RATIO: f64 = 0.9;
const MAX_KEPT_WAIT_RATIO: f64 = 2.0;
const MIN_FRESH_WORK_RATIO: f64 = 0.15;

/// Options of a run, from the environment.
struct BenchOptions {
    cached: String,
    fresh: String,
    load: wrk::Load,
}

fn main() {
    let options = BenchOptions {
        cached: env_or("BENCH_KEPT", "/api/v1/resolve?domain={name}"),
        // A domain that was read in the last minutes is not read again; its answer is built and sealed anew.
        fresh: env_or("BENCH_FRESH", "/api/v1/resolve?domain={name}&live=always"),
        load: wrk::Load {
            seconds: env_or("BENCH_SECONDS", "8").parse().unwrap(),
            connections: env_or("BENCH_CONNECTIONS", "32").parse().unwrap(),
        },
    };
    let only = env_or("BENCH_ONLY", "live,kept,fresh,stall,flood,tools,field_checks");
    let part = |name: &str| only.split(',').any(|part| part == name);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let lab = runtime.block_on(Lab::start(LabOptions::default())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    println!("{} cores; load of {} connections", machine::cores(), options.load.connections);
    if part("live") {
        let server = server::Server::start(&lab, folder.path(), None);
        runtime.block_on(live::measure(&server, &options.cached));
    }
    if part("kept") || part("fresh") {
        compare_with_nginx(&options, &lab, &folder, &part);
    }
    if part("stall") {
        let server = server::Server::start(&lab, folder.path(), None);
        runtime.block_on(stall::measure(&server, &lab, &options.cached));
    }
    if part("flood") {
        let server = server::Server::start_with_limits(&lab, folder.path(), None, true);
        runtime.block_on(flood::measure(&server, &options.cached));
    }
    if part("tools") {
        let server = server::Server::start(&lab, folder.path(), None);
        tools::measure(&server);
    }
    if part("field_checks") && wrk::is_installed() {
        let server = server::Server::start(&lab, folder.path(), Some(0));
        field_checks::measure(&server, &options.load);
    }
    runtime.block_on(lab.stop());
}

/// Compares with nginx serving the same bytes. Each server runs alone on one core, wrk on another if
/// there are two.
fn compare_with_nginx(
    options: &BenchOptions,
    lab: &Lab,
    folder: &TempDir,
    part: &dyn Fn(&str) -> bool,
) {
    if !wrk::is_installed() {
        println!("kept, fresh: not measured because wrk is not installed");
        return;
    }
    let server = server::Server::start(lab, folder.path(), Some(0));
    let path = options.cached.replace("{name}", "n001.lab");
    let (status, media_type, bytes) = client::get_blocking(server.address, &path);
    if status != 200 {
        println!("kept, fresh: not measured because {path} returned {status}");
        return;
    }
    println!("answer size: {} bytes ({media_type})", bytes.len());
    let nginx = nginx::Nginx::start(&bytes, &media_type).map(|nginx| {
        // A warm-up that is not counted.
        wrk::run(&options.load.short(), nginx.address, &["/answer".to_owned()], || nginx.cpu());
        let run = wrk::run(&options.load, nginx.address, &["/answer".to_owned()], || nginx.cpu());
        println!("nginx   {run}");
        run
    });
    if nginx.is_none() {
        println!("nginx is not installed: no ratios are printed");
    }
    if part("kept") {
        let paths = [path];
        wrk::run(&options.load.short(), server.address, &paths, || server.cpu());
        let run = wrk::run(&options.load, server.address, &paths, || server.cpu());
        println!("kept    {run}");
        if let Some(nginx) = &nginx {
            let work = run.per_cpu_second / nginx.per_cpu_second;
            report_ratio(
                "kept answer per CPU-second",
                "nginx",
                work,
                Goal::AtLeast(MIN_KEPT_WORK_RATIO),
            );
            let wait = run.p99_ms / nginx.p99_ms;
            report_ratio("kept answer, p99", "nginx", wait, Goal::AtMost(MAX_KEPT_WAIT_RATIO));
        }
    }
    if part("fresh") {
        // Read every domain first, so that no site is read during the measurement.
        for site in lab::load_test_sites().iter().take(live::DOMAINS) {
            client::get_blocking(server.address, &options.cached.replace("{name}", site.name));
        }
        let names = lab::load_test_sites().iter().take(live::DOMAINS);
        let paths: Vec<String> =
            names.map(|site| options.fresh.replace("{name}", site.name)).collect();
        let run = wrk::run(&options.load, server.address, &paths, || server.cpu());
        println!("fresh   {run}");
        if let Some(nginx) = &nginx {
            let work = run.per_cpu_second / nginx.per_cpu_second;
            let goal = Goal::AtLeast(MIN_FRESH_WORK_RATIO);
            report_ratio(
                "stored answer, live reading asked for, per CPU-second",
                "nginx",
                work,
                goal,
            );
        }
    }
}

fn env_or(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

/// The given percentile of the times.
fn percentile(times: &mut [Duration], of_hundred: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * of_hundred / 100).min(times.len() - 1)]
}
