//! Measures how fast `wayleave conduct` reads an access log, beside a loop that only splits the same file into
//! lines, and beside goaccess. Run with `cargo bench -p wayleave --bench conduct`.
//!
//! Speeds are in megabytes per second of CPU time, so a busy machine changes little. The cost of the start
//! (the lists of addresses are fetched from the lab) is measured with an empty log and subtracted. goaccess
//! must be in the path; without it that part is skipped. `BENCH_MEGABYTES` sets the size of the log.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measuring program, not part of the product"
)]

mod log_file;

use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use bench_table::{Goal, report_bare, report_ratio};
use lab::{Lab, LabOptions};

/// Megabytes per CPU-second.
const MIN_SPEED: f64 = 300.0;
const MIN_RATIO_TO_LINE_LOOP: f64 = 0.3;
/// Clock ticks per second in /proc; 100 on every Linux.
const TICKS: f64 = 100.0;

fn main() {
    let megabytes: usize =
        std::env::var("BENCH_MEGABYTES").map_or(512, |text| text.parse().expect("a number"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let lab = runtime.block_on(Lab::start(LabOptions::default())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = write_config(&lab, folder.path());
    let log = folder.path().join("access.log");
    let bytes = log_file::write(&log, megabytes * 1_000_000);
    let empty = folder.path().join("empty.log");
    std::fs::write(&empty, "").unwrap();
    let megabytes = bytes as f64 / 1e6;

    // The same file is read by all, from the page cache.
    let line_loop = {
        let before = own_cpu_seconds();
        black_box(split_lines(&log));
        megabytes / (own_cpu_seconds() - before)
    };
    let start = child_cpu_seconds(|| conduct(&empty, &config));
    let wall = Instant::now();
    let spent = child_cpu_seconds(|| conduct(&log, &config)) - start;
    let wall = wall.elapsed().as_secs_f64();
    let speed = megabytes / spent;
    println!("{megabytes:.0} MB of combined log lines");
    println!("wayleave conduct: {speed:.0} MB per CPU-second, {wall:.1} s on all cores");
    println!("a loop that splits lines: {line_loop:.0} MB per CPU-second");
    let ratio = speed / line_loop;
    let path = "reading an access log";
    let fast = report_bare(path, speed, "MB per CPU-second", Goal::AtLeast(MIN_SPEED));
    let goal = Goal::AtLeast(MIN_RATIO_TO_LINE_LOOP);
    let near = report_ratio(path, "a loop that splits lines", ratio, goal);
    match goaccess(&log, folder.path()) {
        None => println!("goaccess is not installed: not compared"),
        Some(spent) => {
            let peer = megabytes / spent;
            println!("goaccess: {peer:.0} MB per CPU-second");
            println!("ratio to goaccess: {:.1}", speed / peer);
        }
    }
    std::process::exit(i32::from(!(fast && near)));
}

fn write_config(lab: &Lab, folder: &Path) -> PathBuf {
    let authority = folder.join("lab-ca.pem");
    std::fs::write(&authority, &lab.network().ca_pem).unwrap();
    let file = folder.join("wayleave.toml");
    let known = agents::KnownAgents::built_in().unwrap();
    let feeds = known.feeds().iter().filter(|feed| lab::feeds().iter().any(|f| f.id == feed.id));
    let feeds = feeds.map(|feed| format!("{}={}", feed.id, lab::feed_url(&feed.id)));
    let text = format!(
        "[log]\nfilter = \"error\"\n\n[agents]\nfeeds = {:?}\n\n{}",
        feeds.collect::<Vec<_>>(),
        lab.network().to_toml(&authority)
    );
    std::fs::write(&file, text).unwrap();
    file
}

fn conduct(log: &Path, config: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wayleave"));
    command.arg("conduct").arg(log).arg("--config").arg(config).arg("--json");
    let out = command.stdin(Stdio::null()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// CPU seconds, or `None` if it is not installed.
fn goaccess(log: &Path, folder: &Path) -> Option<f64> {
    let report = folder.join("goaccess.json");
    let mut command = Command::new("goaccess");
    command.arg(log).args(["--log-format=COMBINED", "--no-progress", "-o"]).arg(&report);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut is_done = false;
    let spent = child_cpu_seconds(|| is_done = command.status().is_ok_and(|s| s.success()));
    is_done.then_some(spent)
}

fn split_lines(log: &Path) -> usize {
    let mut reader = BufReader::with_capacity(1 << 20, std::fs::File::open(log).unwrap());
    let (mut line, mut lines) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line).unwrap() > 0 {
        lines += black_box(&line).len().min(1);
        line.clear();
    }
    lines
}

/// CPU seconds of the children that ended during the work.
fn child_cpu_seconds(work: impl FnOnce()) -> f64 {
    let before = stat_seconds(13);
    work();
    stat_seconds(13) - before
}

fn own_cpu_seconds() -> f64 {
    stat_seconds(11)
}

/// The sum of two neighbouring times of /proc/self/stat, counted after the name.
fn stat_seconds(at: usize) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[at..at + 2].iter().map(|text| text.parse::<f64>().unwrap()).sum();
    ticks / TICKS
}
