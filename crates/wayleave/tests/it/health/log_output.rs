//! Standard error is full, closed or not read, or on the same full disk as the data.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// Sends so many requests over one connection, each with a long id, which is logged.
#[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
fn send_many(server: &crate::server::Server, requests: usize) -> Duration {
    let begun = Instant::now();
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let (mut reader, mut writer) = (BufReader::new(stream.try_clone().unwrap()), stream);
    let id = "x".repeat(128);
    let request = format!("GET /healthz HTTP/1.1\r\nhost: x\r\nx-request-id: {id}\r\n\r\n");
    let mut line = String::new();
    for sent in (0..requests).step_by(50) {
        writer.write_all(request.repeat(50).as_bytes()).unwrap();
        let mut answered = 0;
        while answered < 50 {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0, "closed after {sent}");
            answered += usize::from(line.contains("HTTP/1.1 200 "));
        }
    }
    begun.elapsed()
}

/// A pipe that nobody reads is full after 64 KiB, the queue after 4 MiB. Before and after, answers are as
/// fast; what is lost is in the metrics at once, and in the log as soon as somebody reads it.
#[test]
fn answers_keep_their_speed_while_nobody_reads_the_log() {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut command = demo_command(Stdio::from(writer));
    let mut server = start(command.args(["--log-format", "json"]));
    drop(command);
    const ROUND: usize = 2_000;
    let first = send_many(&server, ROUND);
    let mut rounds = 1;
    while metric(&server, LOST) == 0.0 {
        assert!(rounds < 60, "4 MiB of lines do not fill the queue");
        send_many(&server, ROUND);
        rounds += 1;
    }
    let full = (0..3).map(|_| send_many(&server, ROUND)).min().unwrap();
    assert!(full < 3 * first + Duration::from_secs(1), "before: {first:?}, full: {full:?}");
    assert_serves(&server, "unread-2");
    let lost = metric(&server, LOST);
    assert!(lost > ROUND as f64, "{lost}");

    // Now somebody reads. All that was lost is said, and later lines are whole again.
    let lines = std::thread::spawn(move || {
        let (mut said, mut later) = (0, false);
        for line in BufReader::new(reader).lines() {
            // What a demo prints for people is no JSON.
            let Ok(line) = serde_json::from_str::<serde_json::Value>(&line.unwrap()) else {
                continue;
            };
            if line["message"].as_str().unwrap_or_default().starts_with("log lines were lost") {
                said += line["lines"].as_u64().unwrap();
            }
            later |= line["message"] == "stopped";
        }
        (said, later)
    });
    std::thread::sleep(Duration::from_secs(3));
    let lost = metric(&server, LOST);
    stop_in_order(&mut server);
    let (said, later) = lines.join().unwrap();
    assert_eq!((said as f64, later), (lost, true));
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
