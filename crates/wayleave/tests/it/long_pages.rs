//! What pages of the greatest length cost the server, which is another process than the lab.

use crate::lab_server::{LabServer, run_all};

const MB: usize = 1024 * 1024;

/// A line of `/proc/PID/status`, in bytes.
fn memory(process: u32, line: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
    value.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// The bodies of a scan have at most 24 MB together. A page takes more than its bytes once it is parsed.
#[test]
fn scans_of_long_pages_take_bounded_memory() {
    let lab = LabServer::start(&[]);
    let server = lab.server.child.id();
    lab.scan("open.lab", "unlisted").unwrap();
    let before = memory(server, "VmRSS:");
    let peak = || memory(server, "VmHWM:").saturating_sub(before) / MB;
    // Every reader gets another page.
    lab.scan("long-page-varies.lab", "unlisted").unwrap();
    let one = peak();
    let sites = ["long-page-varies.lab", "cloaks-long-page.lab", "long-page.lab"];
    for scanned in run_all(&sites, sites.len(), |site| lab.scan(site, "unlisted")) {
        scanned.unwrap();
    }
    let three = peak();
    println!("one scan: {one} MB at most; three at once: {three} MB at most");
    assert!(one < 150 && three < 350, "{one} MB, {three} MB");
}
