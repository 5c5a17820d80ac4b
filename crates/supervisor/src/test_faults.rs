//! Lets a test end a part of a running server. Not compiled into release builds.
//!
//! The environment variable names a file. Once the file exists, it holds the name of a part, a space
//! and how the part ends: `panic` or `return`. A thread ends the next time it has work; only a task can
//! be made to return.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

const VARIABLE: &str = "WAYLEAVE_TEST_FAULT_FILE";
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The file, if this process was started with one.
fn fault_file() -> Option<&'static PathBuf> {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    FILE.get_or_init(|| std::env::var_os(VARIABLE).map(PathBuf::from)).as_ref()
}

/// How the part is to end, if the file names it.
fn asked_end(name: &str) -> Option<String> {
    let text = std::fs::read_to_string(fault_file()?).ok()?;
    let (part, end) = text.trim().split_once(' ')?;
    (part == name).then(|| end.to_owned())
}

pub(crate) fn end_thread_if_asked(name: &str) {
    if asked_end(name).is_some_and(|end| end == "panic") {
        end_by_panic();
    }
}

/// Waits until the file asks this task to end; panics if it is to end by a panic.
pub(crate) async fn wait_for_task_fault(name: &str) {
    if fault_file().is_none() {
        return std::future::pending().await;
    }
    loop {
        match asked_end(name).as_deref() {
            Some("panic") => end_by_panic(),
            Some(_) => return,
            None => tokio::time::sleep(CHECK_INTERVAL).await,
        }
    }
}

#[allow(clippy::panic, reason = "a test asked for it, and release builds do not contain this")]
fn end_by_panic() {
    panic!("a test asked for this panic");
}
