//! Tests of the commands, called as a person or a script would.

mod api_examples;
mod census;
mod conduct;
mod configuration;
mod copies;
mod demo_limits;
mod doctor;
mod general;
mod keys_and_builds;
mod keys_and_serve;
mod lab_and_scans;
pub(crate) mod lab_control;
mod log;
mod mcp;
mod replay;
mod reports;
mod robots;
mod stopping;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{Server, ask, wayleave};

const PASSED: i32 = 0;
const CHECK_FAILED: i32 = 1;
const COULD_NOT_CHECK: i32 = 2;
const SERVER_FAILED: i32 = 3;

/// Exit code and output of a finished command.
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl CommandOutput {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("ended by a signal"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "out: {}\nerr: {}", self.out, self.err);
        self
    }

    /// Expects exit code 2, nothing on standard output, and one message on standard error that
    /// contains this once.
    #[track_caller]
    pub(crate) fn expect_error(self, why: &str) -> Self {
        let output = self.expect(COULD_NOT_CHECK);
        assert_eq!(output.out, "", "{}", output.err);
        assert!(output.err.starts_with("wayleave: "), "{}", output.err);
        assert_eq!(output.err.matches(why).count(), 1, "{why:?} in {:?}", output.err);
        output
    }

    /// Expects all of this on standard error, without colours.
    #[track_caller]
    fn assert_stderr_contains(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.err.contains(part), "{part:?} in {}", self.err);
        }
        assert!(!self.err.contains('\u{1b}'), "colours in a pipe: {:?}", self.err);
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }
}

fn run(arguments: &[&str]) -> CommandOutput {
    CommandOutput::of(wayleave().args(arguments).output().unwrap())
}

fn run_with_input(arguments: &[&str], input: &[u8]) -> CommandOutput {
    let mut child = piped(wayleave().args(arguments)).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    CommandOutput::of(child.wait_with_output().unwrap())
}

fn piped(command: &mut Command) -> &mut Command {
    command.stdout(Stdio::piped()).stderr(Stdio::piped())
}

/// A temporary folder with files.
struct Folder(pub(super) TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
        self.path(name)
    }
}

/// A running `wayleave lab run`, stopped at the end of the test.
struct LabRun {
    child: Child,
    folder: Folder,
    config: String,
}

impl LabRun {
    fn start() -> Self {
        let folder = Folder::new();
        let config = folder.path("lab.toml");
        let authority = folder.path("ca.pem");
        let mut child = piped(&mut wayleave())
            .args(["lab", "run", "--config-file", &config, "--ca-file", &authority])
            // It is killed, and leaves the file of its control channel behind.
            .env("TMPDIR", folder.path(""))
            .spawn()
            .unwrap();
        wait_for_line(&mut child, "The lab is running with");
        Self { child, folder, config }
    }
}

impl Drop for LabRun {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A witness that runs, and what a log has to be configured with.
struct RunningWitness {
    child: Child,
    peer: String,
}

impl RunningWitness {
    fn start(folder: &Folder, log: &str) -> Self {
        let data = folder.path("witness");
        let mut child = piped(wayleave().args([
            "witness",
            "--listen",
            "127.0.0.1:0",
            "--data-dir",
            &data,
            "--name",
            "w.example/1",
            "--log",
            log,
            "--json",
        ]))
        .spawn()
        .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| ready[name].as_str().unwrap().to_owned();
        Self { peer: format!("{}=http://{}", text("vkey"), text("listen")), child }
    }
}

impl Drop for RunningWitness {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Polls until `holds` returns true.
fn within(seconds: u64, what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(seconds), "not in {seconds} s: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Standard error up to and including the first line that contains this.
fn wait_for_line(child: &mut Child, part: &str) -> String {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut all = String::new();
    loop {
        let before = all.len();
        assert!(stderr.read_line(&mut all).unwrap() > 0, "it ended without {part:?}: {all}");
        if all[before..].contains(part) {
            // Keep reading, so that the process never blocks.
            std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
            return all;
        }
    }
}

/// The output of a command that must end within 30 seconds; otherwise it is killed and the test fails.
fn run_to_end(command: &mut Command) -> CommandOutput {
    let mut child = piped(command).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("it runs on: {:?}", child.wait_with_output().unwrap());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    CommandOutput::of(child.wait_with_output().unwrap())
}

/// Name and state of every check of `doctor`.
fn doctor_states(checks: &Value) -> Vec<(&str, &str)> {
    checks
        .as_array()
        .unwrap()
        .iter()
        .map(|check| (check["name"].as_str().unwrap(), check["state"].as_str().unwrap()))
        .collect()
}
