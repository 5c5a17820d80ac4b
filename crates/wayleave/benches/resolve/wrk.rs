//! Load tests with wrk, reported with the CPU time the server used.

use std::fmt;
use std::net::SocketAddr;

use crate::machine;

#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) seconds: u32,
    pub(crate) connections: u32,
}

impl Load {
    pub(crate) fn short(&self) -> Self {
        Self { seconds: 1, ..self.clone() }
    }
}

/// The result of one load test.
pub(crate) struct LoadResult {
    pub(crate) per_second: f64,
    /// Requests per second of the server's CPU time.
    pub(crate) per_cpu_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Responses without success, and broken connections.
    pub(crate) failed: u64,
}

impl fmt::Display for LoadResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>8.0}/s  {:>8.0} per CPU-second  p50 {:.2} ms  p99 {:.2} ms  {} failed",
            self.per_second, self.per_cpu_second, self.p50_ms, self.p99_ms, self.failed
        )
    }
}

pub(crate) fn is_installed() -> bool {
    machine::is_installed("wrk")
}

/// Prints a machine-readable last line: requests, microseconds, p50, p99, failures.
const REPORT: &str = "done = function(summary, latency, requests)\n \
    local e = summary.errors\n \
    io.write(string.format(\"SUMMARY %d %d %f %f %d\\n\", summary.requests, summary.duration, \
    latency:percentile(50), latency:percentile(99), \
    e.status + e.connect + e.read + e.write + e.timeout))\nend\n";

/// Requests the paths in turn, repeatedly.
pub(crate) fn run(
    load: &Load,
    address: SocketAddr,
    paths: &[String],
    cpu: impl Fn() -> f64,
) -> LoadResult {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("load.lua");
    let mut lua = REPORT.to_owned();
    if paths.len() > 1 {
        let quoted: Vec<String> = paths.iter().map(|path| format!("{path:?}")).collect();
        lua.push_str(&format!(
            "local paths = {{ {} }}\nlocal asks, at = {{}}, 0\n\
             init = function() for i, path in ipairs(paths) do asks[i] = wrk.format(\"GET\", path) end end\n\
             request = function() at = at % #asks + 1; return asks[at] end\n",
            quoted.join(", ")
        ));
    }
    std::fs::write(&script, lua).unwrap();
    let before = cpu();
    let mut command = machine::command_on_core(Some(1), "wrk");
    let output = command
        .args(["-t", "1", "-c", &load.connections.to_string(), "-d"])
        .arg(format!("{}s", load.seconds))
        .arg("-s")
        .arg(&script)
        .arg(format!("http://{address}{}", paths[0]))
        .output()
        .unwrap();
    let spent = cpu() - before;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary = text.lines().find_map(|line| line.strip_prefix("SUMMARY "));
    let summary = summary.unwrap_or_else(|| panic!("wrk said: {text}"));
    let figures: Vec<f64> =
        summary.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    LoadResult {
        per_second: figures[0] / (figures[1] / 1e6),
        per_cpu_second: figures[0] / spent.max(0.01),
        p50_ms: figures[2] / 1e3,
        p99_ms: figures[3] / 1e3,
        failed: figures[4] as u64,
    }
}
