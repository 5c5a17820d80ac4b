//! Standard error is full, closed or not read, or on the same full disk as the data.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{demo_command, metric, read_text, resolve, start, stop_in_order, wait_until};

const LOST: &str = "wayleave_log_lines_lost_total";

/// Makes the server log, and checks that it works.
fn assert_serves(server: &crate::server::Server, name: &str) {
    let reply = resolve(server, name);
    assert_eq!(reply.status, 200, "{name}: {}", reply.text());
    let reply = server.get("/readyz");
    assert_eq!(reply.status, 200, "{name}: {}", reply.text());
}

#[test]
fn a_full_standard_error_costs_lines_and_nothing_else() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut server = start(&mut demo_command(Stdio::from(full)));
    assert_serves(&server, "full");
    wait_until("lost lines in /metrics", Duration::from_secs(10), || metric(&server, LOST) > 0.0);
    assert_serves(&server, "full-2");
    stop_in_order(&mut server);
}

#[test]
fn a_closed_standard_error_costs_lines_and_nothing_else() {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut server = start(&mut demo_command(Stdio::from(writer)));
    drop(reader);
    assert_serves(&server, "closed");
    wait_until("lost lines in /metrics", Duration::from_secs(10), || metric(&server, LOST) > 0.0);
    stop_in_order(&mut server);
}

#[test]
fn a_standard_error_that_nobody_reads_stops_nothing() {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut server = start(&mut demo_command(Stdio::from(writer)));
    // More lines than a pipe of 64 KiB holds.
    for _ in 0..1_000 {
        assert_eq!(
            server.get("/healthz?long=0123456789012345678901234567890123456789").status,
            200
        );
    }
    assert_serves(&server, "unread");
    stop_in_order(&mut server);
    drop(reader);
}

/// A small file system that is unmounted when the test ends.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// `None`, with a message, if this process may not mount.
    fn new(megabytes: u64) -> Option<Self> {
        let disk = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(disk.at()).unwrap();
        let size = format!("size={megabytes}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "small"]).arg(disk.at()).stderr(Stdio::null());
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(disk);
        }
        println!("skipped: a small file system cannot be mounted here");
        None
    }

    fn at(&self) -> PathBuf {
        self.folder.path().join("disk")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.at()).status();
    }
}

/// Appends until nothing goes in any more, not even a byte.
fn fill(path: &Path) {
    let mut file = File::options().create(true).append(true).open(path).unwrap();
    for size in [1 << 16, 1 << 10, 1] {
        while file.write_all(&vec![b'\n'; size]).and_then(|()| file.sync_all()).is_ok() {}
    }
}

#[test]
fn a_disk_filled_with_the_logs_on_it_is_survived() {
    let Some(disk) = SmallDisk::new(32) else { return };
    let (data, log, rest) = (disk.at().join("data"), disk.at().join("log"), disk.at().join("rest"));
    let stderr = File::options().create(true).append(true).open(&log).unwrap();
    let mut command = demo_command(Stdio::from(stderr));
    let mut server = start(command.arg("--store-data-dir").arg(&data));
    assert_serves(&server, "before");
    fill(&rest);
    // The last page of the log has room of its own.
    fill(&log);
    for number in 0..20 {
        let reply = resolve(&server, &format!("full-{number}"));
        assert_eq!((reply.status, reply.error_code().as_str()), (503, "store_unreadable"));
        let reply = server.get("/readyz");
        assert_eq!((reply.status, reply.error_code().as_str()), (503, "store_unreadable"));
    }
    wait_until("lost lines in /metrics", Duration::from_secs(10), || metric(&server, LOST) > 0.0);
    fs::remove_file(&rest).unwrap();
    wait_until("ready again", Duration::from_secs(10), || server.get("/readyz").status == 200);
    assert_serves(&server, "after");
    let reported = || read_text(&log).contains("log lines were lost");
    wait_until("the loss in the log", Duration::from_secs(10), reported);
    stop_in_order(&mut server);
    assert!(read_text(&log).contains("stopped"), "lines are written again");
}
