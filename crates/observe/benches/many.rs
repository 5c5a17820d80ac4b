//! Measures scans of five hundred domains against a bare client that makes the same fetches, and
//! the memory that the scans take.
//!
//! The lab runs in a separate process (this program, started again), so that memory and CPU time
//! can be told apart. Both processes share the machine's cores, so wall time is that of the pair.
//! The bare client knows every address, URL and header beforehand, opens as many connections as a
//! scan does (HTTP/2 where a scan uses it), verifies certificates and collects bodies. It looks up
//! no name, reads no robots.txt, has no deadline and no limits, and records nothing.
//!
//! The two alternate, and the result is the median of the ratios of neighbouring rounds. Deadlines
//! are long, because the benchmark measures work and not timeouts. Memory is measured in a process that
//! only scans: the bare client opens all its connections at once, and what it had taken would count as
//! memory of the scans that follow it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measuring program, not part of the product"
)]

#[path = "shared/bare_client.rs"]
mod bare_client;

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::Catalogue;
use bare_client::{Ask, Bare, connections};
use bench_table::{Goal, report_bare, report_ratio};
use contract::evidence::{ExchangeOutcome, Observer};
use contract::{Domain, NamePolicy};
use door::{Door, PhaseTimeouts, Policy, ResolverChoice, SystemClock, TargetLimit, TargetLimits};
use futures_util::future::join_all;
use lab::{Lab, LabOptions};
use mimalloc::MiMalloc;
use observe::{CollectedEvidence, ScanDepth, ScanPlan};
use rustls::pki_types::CertificateDer;
use tokio::sync::Semaphore;

/// The same as in the server.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Parallel scans: the service's default, and all at once.
const AT_ONCE: [usize; 2] = [32, 500];
const ROUNDS: usize = 3;
const RATIO_GOAL: f64 = 0.5;
const MEMORY_GOAL_MB: f64 = 250.0;
const PATIENCE: Duration = Duration::from_secs(300);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value_of = |name| arguments.iter().skip_while(|argument| *argument != name).nth(1);
    if arguments.iter().any(|argument| argument == "--lab") {
        return run_lab_process();
    }
    let (mut child, farm) = Farm::start();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let farm = Arc::new(farm);
    if let Some(at_once) = value_of("--memory") {
        let at_once = at_once.parse().unwrap();
        let targets = match arguments.iter().any(|argument| argument == "--limited") {
            true => {
                let total = TargetLimits::default().total;
                let total = TargetLimit { reads_per_minute: 0, ..total };
                TargetLimits { total, ..TargetLimits::none() }
            }
            false => TargetLimits::none(),
        };
        let scans = async move { scan_all(&farm, &farm.door(targets), at_once).await };
        // With the records of all scans.
        let read = runtime.block_on(async { runtime.spawn(scans).await.unwrap() });
        println!("{}", peak_memory_mb());
        drop(read);
    } else {
        println!("{} domains, one process on two workers, the lab in another", farm.names.len());
        for at_once in AT_ONCE {
            let farm = Arc::clone(&farm);
            runtime.block_on(async { runtime.spawn(measure(farm, at_once)).await.unwrap() });
        }
    }
    drop(child.stdin.take());
    child.wait().unwrap();
    if value_of("--memory").is_none() {
        AT_ONCE.into_iter().for_each(|at_once| {
            measure_memory(at_once, "--limited", "memory");
            measure_memory(at_once, "--unlimited", "memory without a limit of connections");
        });
    }
}

/// Makes the scans in a process of its own, and reports the most memory that it had resident. `limited`: with
/// as many connections at a time as the server has by default.
fn measure_memory(at_once: usize, limited: &str, what: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--memory", &at_once.to_string(), limited])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let peak_mb: f64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    let path = format!("{at_once} scans at once, {what}");
    report_bare(&path, peak_mb, "MB", Goal::AtMost(MEMORY_GOAL_MB));
}

async fn measure(farm: Arc<Farm>, at_once: usize) {
    let door = farm.door(TargetLimits::none());
    let bare = Bare::new(&farm.authority, farm.http_port, farm.https_port);
    // Warms up, opens the lab's sockets, and collects what the bare client has to fetch.
    let first = scan_all(&farm, &door, AT_ONCE[0]).await;
    let asks: Arc<HashMap<String, Vec<Vec<Ask>>>> = Arc::new(
        first.iter().map(|read| (read.evidence.domain.to_string(), connections(read))).collect(),
    );
    drop(first);
    let mut rounds = Vec::new();
    let mut failed: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let meter = Meter::start();
        let reads = scan_all(&farm, &door, at_once).await;
        let (wall, cpu) = meter.stop();
        // A failed read does not count as work.
        let all = reads.iter().flat_map(|read| &read.evidence.reads);
        let mut fetches = 0;
        for reading in all {
            match &reading.exchange.outcome {
                ExchangeOutcome::Response(_) => fetches += 1,
                ExchangeOutcome::Failed(why) => *failed.entry(why.reason.clone()).or_insert(0) += 1,
            }
        }
        drop(reads);
        let meter = Meter::start();
        let fetched = fetch_all(&bare, &farm, &asks, at_once).await;
        let (bare_wall, bare_cpu) = meter.stop();
        let (fetches, fetched) = (f64::from(fetches), fetched as f64);
        rounds.push(Round {
            scans: farm.names.len() as f64 / wall,
            wall: fetches / wall,
            cpu: fetches / cpu,
            bare_wall: fetched / bare_wall,
            bare_cpu: fetched / bare_cpu,
        });
    }
    let of = |value: fn(&Round) -> f64| median(rounds.iter().map(value));
    println!("{at_once} scans at once (median of {ROUNDS})");
    println!(
        "  scans  {:>6.1} scans/s  {:>6.0} fetches/s  {:>6.0} fetches per CPU-second",
        of(|r| r.scans),
        of(|r| r.wall),
        of(|r| r.cpu)
    );
    println!(
        "  bare                  {:>6.0} fetches/s  {:>6.0} fetches per CPU-second",
        of(|r| r.bare_wall),
        of(|r| r.bare_cpu)
    );
    for (what, ratio) in
        [("wall time", of(|r| r.wall / r.bare_wall)), ("CPU time", of(|r| r.cpu / r.bare_cpu))]
    {
        let path = format!("{at_once} scans at once, {what}");
        report_ratio(&path, "bare client", ratio, Goal::AtLeast(RATIO_GOAL));
    }
    if !failed.is_empty() {
        println!("  not answered in all rounds, by reason: {failed:?}");
    }
}

/// Rates per second of wall time and of processor time.
struct Round {
    scans: f64,
    wall: f64,
    cpu: f64,
    bare_wall: f64,
    bare_cpu: f64,
}

async fn scan_all(farm: &Arc<Farm>, door: &Door, at_once: usize) -> Vec<CollectedEvidence> {
    let slots = Arc::new(Semaphore::new(at_once));
    let catalogue = Arc::new(
        Catalogue::built_in().unwrap().with_placeholders_filled("0", "https://svc.example"),
    );
    let scans = (0_u32..).zip(&farm.names).map(|(at, (name, _))| {
        let (door, slots, catalogue) = (door.clone(), Arc::clone(&slots), Arc::clone(&catalogue));
        let name = name.clone();
        tokio::spawn(async move {
            // Looking up five hundred names at the same moment overflows the name server's socket.
            tokio::time::sleep(Duration::from_millis(2) * at).await;
            let _slot = slots.acquire().await.unwrap();
            let plan = ScanPlan {
                depth: ScanDepth::Full,
                domain: &Domain::parse(&name, &door.policy().names).unwrap(),
                door: &door,
                catalogue: &catalogue,
                clock: &SystemClock,
                observer: Observer {
                    name: "bench".into(),
                    version: "0".into(),
                    vantage: "bench".into(),
                },
                deadline: PATIENCE,
                token: "k7q2m9".into(),
                calls: None,
                progress: &|_| {},
            };
            plan.run().await
        })
    });
    join_all(scans).await.into_iter().map(Result::unwrap).collect()
}

/// Makes the requests of all scans with the bare client; returns how many.
async fn fetch_all(
    bare: &Bare,
    farm: &Farm,
    asks: &Arc<HashMap<String, Vec<Vec<Ask>>>>,
    at_once: usize,
) -> usize {
    let slots = Arc::new(Semaphore::new(at_once));
    let domains = farm.names.iter().map(|(name, address)| {
        let (bare, slots, asks) = (bare.clone(), Arc::clone(&slots), Arc::clone(asks));
        let (name, address) = (name.clone(), *address);
        tokio::spawn(async move {
            let _slot = slots.acquire().await.unwrap();
            bare.site(&name, address, &asks[&name]).await
        })
    });
    join_all(domains).await.into_iter().map(Result::unwrap).sum()
}

/// The addresses of the lab and its sites.
struct Farm {
    resolver: SocketAddr,
    http_port: u16,
    https_port: u16,
    authority: Vec<CertificateDer<'static>>,
    names: Vec<(String, Ipv4Addr)>,
}

impl Farm {
    fn start() -> (Child, Self) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("--lab")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let lines: Vec<String> = lines.take_while(|line| line != "ready").collect();
        let mut head = lines[0].split(' ');
        let mut next = || head.next().unwrap();
        let (resolver, http_port, https_port) =
            (next().parse().unwrap(), next().parse().unwrap(), next().parse().unwrap());
        let is_name = |line: &&String| line.contains(".lab ");
        let names = lines.iter().filter(is_name).map(|line| {
            let (name, address) = line.split_once(' ').unwrap();
            (name.to_owned(), address.parse().unwrap())
        });
        let names = names.collect();
        let pem: Vec<&str> =
            lines[1..].iter().filter(|line| !is_name(line)).map(String::as_str).collect();
        let authority = door::read_pem(pem.join("\n").as_bytes()).unwrap();
        (child, Self { resolver, http_port, https_port, authority, names })
    }

    fn door(&self, targets: TargetLimits) -> Door {
        let mut policy = Policy {
            names: NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] },
            allow_networks: vec!["127.77.0.0/16".parse().unwrap()],
            resolver: ResolverChoice::Server(self.resolver),
            http_port: self.http_port,
            https_port: self.https_port,
            extra_ca: self.authority.clone(),
            targets,
            ..Policy::public()
        };
        let dns = Duration::from_secs(20);
        policy.limits.full_phases =
            PhaseTimeouts { dns, connect: PATIENCE, tls: PATIENCE, head: PATIENCE };
        policy.limits.min_rate_after = PATIENCE;
        Door::new(policy, Arc::new(SystemClock)).unwrap()
    }
}

/// Prints the addresses and serves until its standard input ends.
fn run_lab_process() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let lab = runtime.block_on(Lab::start(LabOptions::default())).unwrap();
    let network = lab.network();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} {} {}", network.resolver, network.http_port, network.https_port).unwrap();
    for site in lab::load_test_sites() {
        writeln!(out, "{} {}", site.name, lab.address(site.name).unwrap()).unwrap();
    }
    writeln!(out, "{}\nready", network.ca_pem).unwrap();
    out.flush().unwrap();
    let _ = std::io::stdin().lines().count();
}

/// Wall time, and time that this process's threads spent on a CPU, in seconds.
struct Meter(Instant, f64);

impl Meter {
    fn start() -> Self {
        Self(Instant::now(), cpu_seconds())
    }

    fn stop(self) -> (f64, f64) {
        (self.0.elapsed().as_secs_f64(), cpu_seconds() - self.1)
    }
}

fn cpu_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let nanos = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(path.join("schedstat")).unwrap_or_default();
        text.split_whitespace().next().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0)
    };
    tasks.map(|task| nanos(task.unwrap().path())).sum::<u64>() as f64 / 1e9
}

/// The most memory this process has had resident, in megabytes.
fn peak_memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
