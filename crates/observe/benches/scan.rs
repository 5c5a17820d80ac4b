//! Compares the wall time of a whole scan with its slowest single fetch, as a ratio: reads run in
//! parallel.
//!
//! A scan makes about forty-five reads. robots.txt comes before all others, and one host gets at
//! most a dozen parallel requests. The slowest fetch is measured in two ways: as recorded in the
//! evidence of that scan, which includes waiting for a slot, and alone, in a separate visit with
//! its own look-up and handshake. `open.lab` answers at once, so it measures the work of both
//! sides; `slow.lab` takes 0.8 seconds for everything, so it measures the waiting. The result is
//! the median of the rounds.
//!
//! On a machine with few cores the work of both sides is what takes the time. Therefore a bare client makes the same
//! requests of `open.lab` over as many connections, all at once, in turns with the scan: no reader that makes these
//! requests over these connections can be faster.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measuring program, not part of the product"
)]

#[path = "shared/bare_client.rs"]
mod bare_client;

use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::Catalogue;
use bare_client::{Bare, connections};
use bench_table::{Goal, report_ratio};
use contract::evidence::Observer;
use contract::{Domain, NamePolicy};
use door::{Door, FetchRequest, Policy, ReadKind, RedirectPolicy, ResolverChoice, SystemClock};
use futures_util::future::join_all;
use lab::{Lab, LabOptions};
use observe::{CollectedEvidence, ScanDepth, ScanPlan};

/// For `open.lab` with the default limits, against its slowest read made alone.
const GOAL: f64 = 2.5;
/// Of the speed of the bare client.
const BARE_GOAL: f64 = 0.7;
/// Parallel requests to the host: the default, and twice that.
const AT_ONCE: [usize; 2] = [12, 24];

#[tokio::main]
async fn main() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let network = lab.network();
    let mut policy = Policy {
        names: NamePolicy { allow_suffixes: network.allow_names.clone(), allow_ports: vec![] },
        allow_networks: network.allow_networks.iter().map(|text| text.parse().unwrap()).collect(),
        resolver: ResolverChoice::Server(network.resolver),
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca: door::read_pem(network.ca_pem.as_bytes()).unwrap(),
        targets: door::TargetLimits::none(),
        ..Policy::public()
    };
    println!("scan: wall time of all reads / slowest single fetch");
    let bare = Bare::new(&policy.extra_ca, policy.http_port, policy.https_port);
    let (mut figure, mut of_bare) = (None, None);
    for (name, rounds) in [("open.lab", 25), ("slow.lab", 3)] {
        for at_once in AT_ONCE {
            policy.limits.requests_per_host = at_once;
            policy.limits.requests_per_network = at_once;
            let door = Door::new(policy.clone(), Arc::new(SystemClock)).unwrap();
            let alone = slowest_alone(&door, name, rounds).await;
            let (mut measured, mut bare_walls) = (Vec::new(), Vec::new());
            let lanes = connections(&scan(&door, name).await);
            let address = lab.address(name).unwrap();
            for _ in 0..rounds {
                let begun = Instant::now();
                let read = scan(&door, name).await;
                measured.push((millis_since(begun), read));
                let begun = Instant::now();
                bare.site(name, address, &lanes).await;
                bare_walls.push(millis_since(begun));
            }
            let bare_wall = median(bare_walls);
            let reads = measured.first().map_or(0, |(_, read)| read.evidence.reads.len());
            let wall = median(measured.iter().map(|(wall, _)| *wall).collect());
            let recorded = median(measured.iter().map(|(_, read)| slowest(read)).collect());
            let sum = median(measured.iter().map(|(_, read)| took(read).sum()).collect());
            println!(
                "  {name:<10} {reads} reads, {at_once} at a time: wall {wall:.1} ms, sum of reads {sum:.0} ms"
            );
            report("as recorded", wall, recorded);
            report("made alone", wall, alone);
            println!(
                "    bare client         {bare_wall:>7.1} ms   ratio {:.2}, {} connections",
                wall / bare_wall,
                lanes.len()
            );
            // The first one: `open.lab` with the default limits.
            figure.get_or_insert(wall / alone);
            of_bare.get_or_insert(bare_wall / wall);
        }
    }
    let (path, limit) = ("scan of an open site", "its slowest read made alone");
    report_ratio(path, limit, figure.unwrap(), Goal::AtMost(GOAL));
    let limit = "bare client making the same reads";
    report_ratio(path, limit, of_bare.unwrap(), Goal::AtLeast(BARE_GOAL));
}

fn millis_since(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1000.0
}

fn report(what: &str, wall: f64, slowest: f64) {
    println!("    slowest {what:<11} {slowest:>7.1} ms   ratio {:.2}", wall / slowest);
}

async fn scan(door: &Door, name: &str) -> CollectedEvidence {
    let catalogue =
        Catalogue::built_in().unwrap().with_placeholders_filled("0", "https://svc.example");
    let plan = ScanPlan {
        depth: ScanDepth::Full,
        domain: &Domain::parse(name, &door.policy().names).unwrap(),
        door,
        catalogue: &catalogue,
        clock: &SystemClock,
        observer: Observer { name: "bench".into(), version: "0".into(), vantage: "bench".into() },
        deadline: Duration::from_secs(20),
        token: "k7q2m9".into(),
        calls: None,
        progress: &|_| {},
    };
    plan.run().await
}

/// Makes every read of a scan alone, several times, and returns the median of the slowest one.
async fn slowest_alone(door: &Door, name: &str, rounds: usize) -> f64 {
    let read = scan(door, name).await;
    let mut slowest: f64 = 0.0;
    // A slow host does not use our CPU, so its reads are made in parallel.
    let alone = |reading| async move {
        let mut times = Vec::new();
        for _ in 0..rounds.min(9) {
            let begun = Instant::now();
            door.visit(Duration::from_secs(20)).fetch(again(reading)).await;
            times.push(millis_since(begun));
        }
        median(times)
    };
    if name == "slow.lab" {
        return join_all(read.evidence.reads.iter().map(alone))
            .await
            .into_iter()
            .fold(0.0, f64::max);
    }
    for reading in &read.evidence.reads {
        slowest = slowest.max(alone(reading).await);
    }
    slowest
}

fn again(reading: &contract::evidence::Reading) -> FetchRequest {
    let lines = reading.exchange.request_headers.iter();
    FetchRequest {
        url: reading.exchange.url.clone(),
        identity: reading.identity.clone(),
        headers: lines.map(|line| (line.name.clone(), line.value.clone())).collect(),
        kind: ReadKind::Page,
        max_wire_bytes: None,
        timeout: None,
        fresh_connection: true,
        redirects: RedirectPolicy::All,
    }
}

/// Whole milliseconds as recorded in the evidence, at least one.
fn took(read: &CollectedEvidence) -> impl Iterator<Item = f64> {
    read.evidence.reads.iter().map(|reading| f64::from(reading.exchange.took_ms.max(1)))
}

fn slowest(read: &CollectedEvidence) -> f64 {
    took(read).fold(0.0, f64::max)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap()
}
