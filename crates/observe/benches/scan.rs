//! Wall time of a whole scan beside its own slowest read, as a ratio: reads run side by side.
//!
//! A scan of an open lab site makes 17 reads, one of them (robots.txt) before all others. Read one
//! after the other they would take the sum; what is wanted is little more than two of them. The
//! median of the rounds counts.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measuring program, not part of the product"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::Catalogue;
use contract::evidence::Observer;
use contract::{Domain, NamePolicy};
use door::{Door, Policy, ResolverChoice, SystemClock};
use lab::{Lab, LabOptions};
use observe::ScanPlan;

const ROUNDS: usize = 25;
const GOAL: f64 = 3.0;

#[tokio::main]
async fn main() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let network = lab.network();
    let policy = Policy {
        names: NamePolicy { allow_suffixes: network.allow_names.clone(), allow_ports: vec![] },
        allow_networks: network.allow_networks.iter().map(|text| text.parse().unwrap()).collect(),
        resolver: ResolverChoice::Server(network.resolver),
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca: door::read_pem(network.ca_pem.as_bytes()).unwrap(),
        ..Policy::public()
    };
    let door = Door::new(policy, Arc::new(SystemClock)).unwrap();
    println!(
        "scan: wall time of all reads / slowest single read (median of {ROUNDS}, at most {GOAL} wanted)"
    );
    for name in ["open.lab", "slow.lab"] {
        let mut rounds: Vec<(f64, f64, f64, f64)> = Vec::new();
        for _ in 0..ROUNDS.min(if name == "slow.lab" { 5 } else { ROUNDS }) {
            rounds.push(round(&door, name).await);
        }
        rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ratio, wall, slowest, sum) = rounds.get(rounds.len() / 2).copied().unwrap();
        println!(
            "  {name:<10} {ratio:.2}   wall {wall:.1} ms, slowest read {slowest:.1} ms, sum of reads {sum:.1} ms{}",
            if ratio <= GOAL { "" } else { "   OVER" }
        );
    }
}

/// Ratio, wall time, slowest read and sum of reads, in milliseconds.
async fn round(door: &Door, name: &str) -> (f64, f64, f64, f64) {
    let catalogue = Catalogue::built_in().unwrap().filled_in("0", "https://svc.example");
    let plan = ScanPlan {
        domain: &Domain::parse(name, &door.policy().names).unwrap(),
        door,
        catalogue: &catalogue,
        clock: &SystemClock,
        observer: Observer { name: "bench".into(), version: "0".into(), vantage: "bench".into() },
        deadline: Duration::from_secs(20),
        token: "k7q2m9".into(),
        progress: &|_| {},
    };
    let begun = Instant::now();
    let read = plan.run().await;
    let wall = begun.elapsed().as_secs_f64() * 1000.0;
    // Whole milliseconds as they stand in the evidence, and at least one.
    let took = || read.evidence.reads.iter().map(|r| f64::from(r.exchange.took_ms.max(1)));
    let slowest = took().fold(0.0, f64::max);
    (wall / slowest, wall, slowest, took().sum())
}
