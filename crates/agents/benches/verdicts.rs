//! Verdicts (user agent and address) per second of CPU time: at least 2,000,000, and 1,000 times those of
//! the Python package `ai-crawler-verify` for the same visitors. `cargo bench -p agents --bench verdicts`.
//!
//! `WAYLEAVE_PYTHON` is a Python that has the package; without it only the first figure is measured. The
//! package uses the lists that it brings along, about a tenth of ours.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    unreachable_pub,
    reason = "a bench prints, measures time, and may panic"
)]

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::process::Command;
use std::sync::Arc;

use agents::ranges::PrefixSet;
use agents::verdict::{LoadedFeed, ReverseDns, SignatureEvidence, VisitorChecker, VisitorEvidence};
use agents::{KnownAgents, SearchableAgents};
use bench_table::{Goal, report_bare, report_ratio};
use contract::Timestamp;

const LIMIT: f64 = 2_000_000.0;
const PEER_LIMIT: f64 = 1_000.0;
const ROUNDS: usize = 40;
/// Prefixes of all lists together.
const PREFIXES: u32 = 40_000;

/// Half of what sites see: people, and agents of which half are genuine.
fn visitors(checker: &VisitorChecker) -> Vec<(String, IpAddr)> {
    let people = [
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/157.0.0.0 Safari/537.36",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/27.0 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (X11; Linux x86_64; rv:158.0) Gecko/20100101 Firefox/158.0",
    ];
    let known = checker.agents();
    let agents: Vec<_> =
        known.agent_indexes().filter(|(_, agent)| !agent.user_agents.is_empty()).collect();
    (0..1_000_u32)
        .map(|n| {
            let at = usize::try_from(n).unwrap_or_default();
            let anybody = IpAddr::V4(Ipv4Addr::from(
                0x5900_0000 + n.wrapping_mul(2_654_435_761) % 0x0100_0000,
            ));
            if n % 2 == 0 {
                return (people[at / 2 % people.len()].to_owned(), anybody);
            }
            let (index, agent) = agents[at / 2 % agents.len()];
            let genuine = checker.example_address(index).filter(|_| n % 4 == 1);
            (agent.user_agents[0].clone(), genuine.unwrap_or(anybody))
        })
        .collect()
}

fn main() {
    let known = KnownAgents::built_in().expect("the catalogue is valid");
    let agents = Arc::new(SearchableAgents::new(known));
    let now = Timestamp::from_millis(1_800_000_000_000);
    let feeds = u32::try_from(agents.feeds().len()).expect("few feeds");
    let per_feed = PREFIXES / feeds;
    let loaded: Vec<_> = agents
        .feed_indexes()
        .map(|(index, _)| {
            let base = 0x2c00_0000 + u32::from(index.0) * per_feed * 32;
            let lines: String =
                (0..per_feed).map(|n| format!("{}/28\n", Ipv4Addr::from(base + n * 32))).collect();
            let prefixes = PrefixSet::from_text(&lines).expect("prefixes");
            (index, LoadedFeed { prefixes, fetched_at: now })
        })
        .collect();
    let checker = VisitorChecker::new(agents, loaded);
    let visitors = visitors(&checker);
    let mut rates: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = cpu_seconds();
            for _ in 0..20 {
                for (user_agent, address) in &visitors {
                    black_box(checker.check(&VisitorEvidence {
                        user_agent: user_agent.as_bytes(),
                        address: Some(*address),
                        reverse_dns: &ReverseDns::NotLookedUp,
                        signature: &SignatureEvidence::NotGiven,
                        now,
                    }));
                }
            }
            20.0 * visitors.len() as f64 / (cpu_seconds() - started)
        })
        .collect();
    rates.sort_unstable_by(f64::total_cmp);
    let rate = rates[rates.len() / 2];
    println!("{rate:.0} verdicts per CPU-second, with {PREFIXES} prefixes");
    let goal = Goal::AtLeast(LIMIT);
    let mut is_met = report_bare("verdicts about visitors", rate, "per CPU-second", goal);
    match peer_rate(&visitors) {
        None => println!("ai-crawler-verify is not installed: not compared"),
        Some(peer) => {
            let times = rate / peer;
            println!("ai-crawler-verify: {peer:.0} per CPU-second");
            let goal = Goal::AtLeast(PEER_LIMIT);
            is_met &= report_ratio("verdicts about visitors", "ai-crawler-verify", times, goal);
        }
    }
    std::process::exit(i32::from(!is_met));
}

/// CPU seconds of this process.
fn cpu_seconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}

/// Checks visitors, one a line with its address first, for two seconds, and prints verdicts per CPU-second.
const PEER: &str = r#"
import sys, time
import ai_crawler_verify
visitors = [line.rstrip("\n").split("\t", 1) for line in sys.stdin]
count, started = 0, time.process_time()
while time.process_time() - started < 2:
    for ip, ua in visitors:
        ai_crawler_verify.verify(ip, ua=ua, allow_dns=False)
    count += len(visitors)
print(count / (time.process_time() - started))
"#;

fn peer_rate(visitors: &[(String, IpAddr)]) -> Option<f64> {
    let lines: String = visitors.iter().map(|(ua, ip)| format!("{ip}\t{ua}\n")).collect();
    let file = std::env::temp_dir().join(format!("visitors-{}", std::process::id()));
    std::fs::write(&file, lines).ok()?;
    let python = std::env::var("WAYLEAVE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let input = std::fs::File::open(&file).ok()?;
    let output = Command::new(python).args(["-c", PEER]).stdin(input).output().ok();
    let _ = std::fs::remove_file(&file);
    String::from_utf8(output?.stdout).ok()?.trim().parse().ok()
}
