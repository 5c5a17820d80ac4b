//! What an answer costs: kept, freshly sealed and just read, beside nginx serving the same bytes; and
//! what sites that stall cost everybody else. `cargo bench -p wayleave --bench resolve`.
//!
//! The server is the program of this workspace, in a process of its own; the lab is in this one. Work
//! is told in requests per second of the server's own processor time, so a busy machine changes little;
//! waiting times are wall time and want a quiet one. nginx and wrk are taken from the path, and what
//! needs them is left out without them.
//!
//! `BENCH_ONLY` names the parts to run (`live,kept,fresh,stall`), `BENCH_SECONDS` and
//! `BENCH_CONNECTIONS` say how long and how wide wrk loads, `BENCH_KEPT` and `BENCH_FRESH` are the
//! paths that are asked, with `{name}` for a domain.
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
mod live;
mod machine;
mod nginx;
mod server;
mod stall;
mod wrk;

use std::time::Duration;

use lab::{Lab, LabOptions};
use tempfile::TempDir;

/// The figures that are asked for.
const KEPT_WORK: f64 = 0.9;
const KEPT_WAIT: f64 = 2.0;
const FRESH_WORK: f64 = 0.15;

/// What a bench is told.
struct Told {
    kept: String,
    fresh: String,
    load: wrk::Load,
}

fn main() {
    let told = Told {
        kept: variable("BENCH_KEPT", "/api/v1/resolve?domain={name}"),
        // Read within the last minutes, a domain is not read again: its answer is made and sealed anew.
        fresh: variable("BENCH_FRESH", "/api/v1/resolve?domain={name}&live=always"),
        load: wrk::Load {
            seconds: variable("BENCH_SECONDS", "8").parse().unwrap(),
            connections: variable("BENCH_CONNECTIONS", "32").parse().unwrap(),
        },
    };
    let only = variable("BENCH_ONLY", "live,kept,fresh,stall");
    let part = |name: &str| only.split(',').any(|part| part == name);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let lab = runtime.block_on(Lab::start(LabOptions::default())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    println!("{} cores; load of {} connections", machine::cores(), told.load.connections);
    if part("live") {
        let server = server::Server::start(&lab, folder.path(), None);
        runtime.block_on(live::measure(&server, &told.kept));
    }
    if part("kept") || part("fresh") {
        beside_nginx(&told, &lab, &folder, &part);
    }
    if part("stall") {
        let server = server::Server::start(&lab, folder.path(), None);
        runtime.block_on(stall::measure(&server, &lab, &told.kept));
    }
    runtime.block_on(lab.stop());
}

/// The same bytes from both, each server alone on one core and wrk on another where there are two.
fn beside_nginx(told: &Told, lab: &Lab, folder: &TempDir, part: &dyn Fn(&str) -> bool) {
    if !wrk::is_there() {
        println!("kept, fresh: not measured, wrk is not installed");
        return;
    }
    let server = server::Server::start(lab, folder.path(), Some(0));
    let path = told.kept.replace("{name}", "n001.lab");
    let (status, media_type, bytes) = client::get_blocking(server.address, &path);
    if status != 200 {
        println!("kept, fresh: not measured, {path} is answered {status}");
        return;
    }
    println!("an answer of {} bytes ({media_type})", bytes.len());
    let nginx = nginx::Nginx::start(&bytes, &media_type).map(|nginx| {
        // A first load that is not counted: both begin warm.
        wrk::run(&told.load.short(), nginx.address, &["/answer".to_owned()], || nginx.cpu());
        let run = wrk::run(&told.load, nginx.address, &["/answer".to_owned()], || nginx.cpu());
        println!("nginx   {run}");
        run
    });
    if nginx.is_none() {
        println!("nginx is not installed: no ratios");
    }
    if part("kept") {
        let paths = [path];
        wrk::run(&told.load.short(), server.address, &paths, || server.cpu());
        let run = wrk::run(&told.load, server.address, &paths, || server.cpu());
        println!("kept    {run}");
        if let Some(nginx) = &nginx {
            goal("  work beside nginx", run.per_cpu_second / nginx.per_cpu_second, KEPT_WORK, true);
            goal("  p99 beside nginx", run.p99_ms / nginx.p99_ms, KEPT_WAIT, false);
        }
    }
    if part("fresh") {
        // Every domain is read before, so that nothing is read while it is measured.
        for site in lab::crowd().iter().take(live::DOMAINS) {
            client::get_blocking(server.address, &told.kept.replace("{name}", site.name));
        }
        let names = lab::crowd().iter().take(live::DOMAINS);
        let paths: Vec<String> =
            names.map(|site| told.fresh.replace("{name}", site.name)).collect();
        let run = wrk::run(&told.load, server.address, &paths, || server.cpu());
        println!("fresh   {run}");
        if let Some(nginx) = &nginx {
            let work = run.per_cpu_second / nginx.per_cpu_second;
            goal("  work beside nginx", work, FRESH_WORK, true);
        }
    }
}

/// Says a figure and whether it is as good as asked for.
fn goal(what: &str, figure: f64, wanted: f64, at_least: bool) {
    let met = if at_least { figure >= wanted } else { figure <= wanted };
    let sign = if at_least { '≥' } else { '≤' };
    let verdict = if met { "met" } else { "NOT MET" };
    println!("{what}: {figure:.2} (asked for {sign} {wanted}): {verdict}");
}

fn variable(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

/// The value below which so many of a hundred lie.
fn percentile(times: &mut [Duration], of_hundred: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * of_hundred / 100).min(times.len() - 1)]
}
