//! Every thread and job loop is ended in a running server.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{
    SERVER_FAILED, demo_command, read_text, resolve, send_sigterm, start, wait_for_exit, wait_until,
};
use crate::lab_server::run_all;
use crate::server::Server;

/// The time between the end of a part and the end of the process: ten seconds as documented, and the
/// rest for a busy machine.
const EXIT_DEADLINE: Duration = Duration::from_secs(25);
const THREADS: [&str; 3] = ["store-writer", "log-sequencer", "log-acknowledger"];

struct FaultyServer {
    server: Server,
    folder: tempfile::TempDir,
}

impl FaultyServer {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = demo_command(Stdio::from(log));
        command.env("WAYLEAVE_TEST_FAULT_FILE", folder.path().join("fault"));
        Self { server: start(&mut command), folder }
    }

    /// Asks a part to end; a thread does so when it has work.
    fn end_part(&self, part: &str, how: &str) {
        let (draft, file) = (self.folder.path().join("draft"), self.folder.path().join("fault"));
        std::fs::write(&draft, format!("{part} {how}")).unwrap();
        std::fs::rename(draft, file).unwrap();
    }

    fn log(&self) -> String {
        read_text(&self.folder.path().join("log"))
    }
}

/// `/readyz` must fail and name the part.
fn assert_not_ready(server: &Server, part: &str) {
    let reply = server.get("/readyz");
    assert_eq!(reply.status, 503, "{part}: {}", reply.text());
    assert_eq!(reply.error_code(), "signing_unavailable", "{part}");
    assert!(reply.text().contains(part), "{part}: {}", reply.text());
}

/// Requests that wait for a part that ends get 503 in the format of errors, and soon.
fn assert_waiting_requests_are_refused(server: &Server, part: &str) {
    let numbers: Vec<u32> = (0..8).collect();
    let started = Instant::now();
    let replies = run_all(&numbers, 8, |number| resolve(server, &format!("waiting-{number}")));
    assert!(started.elapsed() < Duration::from_secs(20), "{part}: {:?}", started.elapsed());
    for reply in &replies {
        assert_eq!(reply.status, 503, "{part}: {}", reply.text());
        let code = reply.error_code();
        assert!(["signing_unavailable", "store_unreadable"].contains(&code.as_str()), "{code}");
    }
}

fn check_part(part: &str, how: &str) {
    let mut faulty = FaultyServer::start();
    assert_eq!(faulty.server.get("/readyz").status, 200, "{part}");
    assert_eq!(resolve(&faulty.server, "before").status, 200, "{part}");
    faulty.end_part(part, how);
    let ended = Instant::now();
    if THREADS.contains(&part) {
        assert_waiting_requests_are_refused(&faulty.server, part);
    } else {
        wait_until(part, Duration::from_secs(3), || faulty.server.get("/readyz").status != 200);
    }
    assert_not_ready(&faulty.server, part);
    let status = wait_for_exit(&mut faulty.server, EXIT_DEADLINE);
    let status = status.unwrap_or_else(|| panic!("{part} {how}: the process goes on"));
    assert_eq!(status.code(), Some(SERVER_FAILED), "{part} {how}: {}", faulty.log());
    assert!(ended.elapsed() < EXIT_DEADLINE, "{part} {how}: {:?}", ended.elapsed());
    let log = faulty.log();
    let wanted = if how == "panic" { "panicked" } else { "ended" };
    assert!(log.contains(part) && log.contains(wanted), "{part} {how}: {log}");
}

#[test]
fn the_end_of_any_part_is_reported_and_ends_the_process() {
    if !cfg!(debug_assertions) {
        return println!("skipped: a release build has no faults to ask for");
    }
    let jobs = [
        "thread-watcher",
        "key-changes",
        "upkeep",
        "cosigning",
        "queued-scans",
        "content-clocks",
        "pruning",
        "daily-sealing",
    ];
    let mut cases: Vec<(&str, &str)> = THREADS.map(|part| (part, "panic")).to_vec();
    cases.extend(jobs.map(|part| (part, "panic")));
    cases.extend([("upkeep", "return"), ("cosigning", "return")]);
    run_all(&cases, 3, |(part, how)| check_part(part, how));
}

#[test]
fn a_signal_ends_a_server_whose_part_failed_at_once() {
    if !cfg!(debug_assertions) {
        return println!("skipped: a release build has no faults to ask for");
    }
    let stop_after_fault = || {
        let mut faulty = FaultyServer::start();
        faulty.end_part("log-sequencer", "panic");
        assert_waiting_requests_are_refused(&faulty.server, "log-sequencer");
        assert_not_ready(&faulty.server, "log-sequencer");
        send_sigterm(&faulty.server);
        let status = wait_for_exit(&mut faulty.server, Duration::from_secs(3)).expect("it stops");
        assert_eq!(status.code(), Some(SERVER_FAILED));
    };
    // On a busy machine the server may end by itself before the signal: then once more.
    if std::panic::catch_unwind(stop_after_fault).is_err() {
        stop_after_fault();
    }
}

/// A thread that is ended from outside drops nothing: no channel closes, and only a watcher notices.
fn check_vanished_thread(part: &str) -> Result<(), String> {
    let mut faulty = FaultyServer::start();
    assert_eq!(resolve(&faulty.server, "before").status, 200, "{part}");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/health/exit_thread.py");
    let done = Command::new("python3")
        .arg(script)
        .args([&faulty.server.child.id().to_string(), part])
        .output()
        .map_err(|error| format!("python3: {error}"))?;
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    match done.status.code() {
        Some(0) => {}
        Some(77) => return Err(format!("no thread can be ended here: {message}")),
        _ => panic!("{part}: {message}"),
    }
    let ended = Instant::now();
    assert_waiting_requests_are_refused(&faulty.server, part);
    assert_not_ready(&faulty.server, part);
    let status = wait_for_exit(&mut faulty.server, EXIT_DEADLINE);
    let status = status.unwrap_or_else(|| panic!("{part}: the process goes on"));
    assert_eq!(status.code(), Some(SERVER_FAILED), "{part}: {}", faulty.log());
    assert!(ended.elapsed() < EXIT_DEADLINE, "{part}: {:?}", ended.elapsed());
    assert!(faulty.log().contains("the thread disappeared"), "{part}: {}", faulty.log());
    Ok(())
}

#[test]
fn a_thread_that_disappears_is_reported_and_ends_the_process() {
    for result in run_all(&THREADS, 3, |part| check_vanished_thread(part)) {
        if let Err(why) = result {
            let must = std::env::var_os("CI").is_some();
            assert!(!must, "{why}");
            return println!("skipped: {why}");
        }
    }
}
