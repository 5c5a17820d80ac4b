//! Load by wrk, with the CPU time that this process used meanwhile.

use std::fmt;
use std::net::SocketAddr;
use std::process::Command;

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

pub(crate) struct LoadResult {
    pub(crate) per_second: f64,
    pub(crate) per_cpu_second: f64,
    pub(crate) p99_ms: f64,
    /// Of one response on average, with its head.
    pub(crate) response_bytes: f64,
    /// Responses without success, and broken connections.
    pub(crate) failed: u64,
}

impl fmt::Display for LoadResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>8.0}/s  {:>8.0} per CPU-second  p99 {:.2} ms  {:.0} bytes each  {} failed",
            self.per_second, self.per_cpu_second, self.p99_ms, self.response_bytes, self.failed
        )
    }
}

pub(crate) fn is_installed() -> bool {
    Command::new("wrk").arg("-v").output().is_ok()
}

/// Prints a machine-readable last line: requests, microseconds, p99, failures, bytes.
const REPORT: &str = "done = function(summary, latency, requests)\n \
    local e = summary.errors\n \
    io.write(string.format(\"SUMMARY %d %d %f %d %d\\n\", summary.requests, summary.duration, \
    latency:percentile(99), e.status + e.connect + e.read + e.write + e.timeout, summary.bytes))\nend\n";

/// Sends these requests in turn: `METHOD PATH`, and for a POST the body in the next line.
pub(crate) fn run_wrk(load: &Load, address: SocketAddr, requests: &[String]) -> LoadResult {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("load.lua");
    let formatted: Vec<String> = requests
        .iter()
        .map(|request| {
            let (line, body) = request.split_once('\n').unwrap_or((request, ""));
            let (method, path) = line.split_once(' ').unwrap();
            match body {
                "" => format!("wrk.format({method:?}, {path:?})"),
                body => format!(
                    "wrk.format({method:?}, {path:?}, {{[\"Content-Type\"] = \"application/json\"}}, [==[{body}]==])"
                ),
            }
        })
        .collect();
    let lua = format!(
        "{REPORT}local asks, at = {{}}, 0\ninit = function() asks = {{ {} }} end\n\
         request = function() at = at % #asks + 1; return asks[at] end\n",
        formatted.join(",\n")
    );
    std::fs::write(&script, lua).unwrap();
    let before = cpu_seconds();
    let output = Command::new("wrk")
        .args(["-t", "1", "-c", &load.connections.to_string(), "-d"])
        .arg(format!("{}s", load.seconds))
        .arg("-s")
        .arg(&script)
        .arg(format!("http://{address}/"))
        .output()
        .unwrap();
    let spent = cpu_seconds() - before;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let summary = text.lines().find_map(|line| line.strip_prefix("SUMMARY "));
    let summary = summary.unwrap_or_else(|| panic!("wrk said: {text}"));
    let figures: Vec<f64> =
        summary.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    LoadResult {
        per_second: figures[0] / (figures[1] / 1e6),
        per_cpu_second: figures[0] / spent.max(0.01),
        p99_ms: figures[2] / 1e3,
        response_bytes: figures[4] / figures[0].max(1.0),
        failed: figures[3] as u64,
    }
}

/// CPU seconds of this process.
fn cpu_seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}
