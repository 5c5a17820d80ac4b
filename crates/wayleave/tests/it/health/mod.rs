//! Kills parts of a running server, takes its standard error away and fills its disk, and looks at
//! readiness, recovery and exit codes.

mod failed_parts;
mod first_answers;
mod log_output;

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::server::{HttpReply, Server, wayleave};

/// The exit code of a server that stopped because a part of it failed (docs/operations.md).
const SERVER_FAILED: i32 = 3;

/// `wayleave demo --json` without limits, logging all requests to `stderr`.
fn demo_command(stderr: Stdio) -> Command {
    demo_command_at("127.0.0.1:0", stderr)
}

fn demo_command_at(listen: &str, stderr: Stdio) -> Command {
    let mut command = wayleave();
    command
        .args(["demo", "--json", "--server-listen", listen, "--log-filter", "debug"])
        .args(["--limits-enabled", "false", "--targets-enabled", "false"])
        // A backtrace of a debug build takes seconds.
        .env("RUST_BACKTRACE", "0")
        .stdout(Stdio::piped())
        .stderr(stderr);
    command
}

fn start(command: &mut Command) -> Server {
    Server::wait_until_ready(command.spawn().unwrap())
}

/// An answer that is not cached, so that the log and the store get work.
fn resolve(server: &Server, name: &str) -> HttpReply {
    server.get(&format!("/api/v1/resolve?domain={name}.lab"))
}

/// Waits for the end of the process.
fn wait_for_exit(server: &mut Server, patience: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + patience;
    while Instant::now() < until {
        if let Some(status) = server.child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

fn send_sigterm(server: &Server) {
    let sent = Command::new("kill").arg("-TERM").arg(server.child.id().to_string()).status();
    assert!(sent.unwrap().success());
}

/// Stops the server by a signal and expects the exit code of an orderly end.
fn stop_in_order(server: &mut Server) {
    send_sigterm(server);
    let status = wait_for_exit(server, Duration::from_secs(20)).expect("it stops");
    assert_eq!(status.code(), Some(0));
}

/// The value of a counter in `/metrics`, over all labels.
fn metric(server: &Server, name: &str) -> f64 {
    let text = server.get("/metrics").text();
    let lines = text.lines().filter(|line| line.starts_with(name));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

/// Waits until `check` is true.
fn wait_until(what: &str, patience: Duration, check: impl Fn() -> bool) {
    let until = Instant::now() + patience;
    while !check() {
        assert!(Instant::now() < until, "{what}: not within {patience:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn read_text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}
