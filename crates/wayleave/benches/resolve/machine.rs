//! Facts about processes, from the kernel.

use std::collections::BTreeSet;
use std::process::Command;

/// Clock ticks per second in /proc; 100 on every Linux.
const TICKS: f64 = 100.0;

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// CPU seconds of a process, including finished threads, and of its children.
pub(crate) fn cpu_seconds(pid: u32) -> f64 {
    own_cpu_seconds(pid) + children(pid).into_iter().map(own_cpu_seconds).sum::<f64>()
}

fn own_cpu_seconds(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name is in brackets and can contain anything; user and system time are fields 14 and 15.
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 =
        rest.split_whitespace().skip(11).take(2).filter_map(|text| text.parse::<f64>().ok()).sum();
    ticks / TICKS
}

fn children(pid: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|text| text.parse().ok()).collect()
}

/// A command pinned to one core, if the machine has at least two and `taskset` is installed.
pub(crate) fn command_on_core(core: Option<usize>, program: &str) -> Command {
    match core {
        Some(core) if cores() > 1 && is_installed("taskset") => {
            let mut command = Command::new("taskset");
            command.args(["-c", &core.to_string(), program]);
            command
        }
        _ => Command::new(program),
    }
}

pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/usr/local/sbin"].map(Into::into);
    std::env::split_paths(&path).chain(usual).any(|folder| folder.join(program).is_file())
}

/// The TCP sockets of a process whose other end is in the lab's network.
pub(crate) fn count_sockets_to_lab(pid: u32) -> usize {
    let inodes: BTreeSet<String> = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|link| {
            let link = link.to_string_lossy().into_owned();
            Some(link.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
        })
        .collect();
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).unwrap();
    table
        .lines()
        .skip(1)
        .filter(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            // 127.77.x.x in hex; the kernel writes the address in little-endian order.
            let to_the_lab = fields.get(2).is_some_and(|other| other.get(4..8) == Some("4D7F"));
            to_the_lab && fields.get(9).is_some_and(|inode| inodes.contains(*inode))
        })
        .count()
}
