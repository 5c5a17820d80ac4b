//! Canonical JSON against plain `serde_json::to_vec` and against the public crates, in one run.
//!
//! The implementations run alternately in short rounds, so that other load affects all of them; the
//! result is the median of the rounds. Only the ratios are meaningful.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a program for the terminal"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_ratio};
use contract::{Brand, Timestamp};
use proof::{KeyPurpose, SigningKey, canonical, sha256, sign_document};
use serde_json::{Value, json};

const FLOOR: &str = "serde_json::to_vec (not canonical)";
const OURS: &str = "proof::canonical::value_to_vec";
const PUBLIC: [&str; 3] = ["serde_json_canonicalizer", "serde_jcs", "json-canon"];

type Contender<'a> = (&'static str, Box<dyn Fn() -> usize + 'a>);

fn main() {
    // `cargo test --all-targets` runs this too; one round is enough then.
    let measured = std::env::args().any(|arg| arg == "--bench");
    let (rounds, round) =
        if measured { (31, Duration::from_millis(60)) } else { (1, Duration::from_millis(1)) };
    let record = record();
    let contenders: Vec<Contender<'_>> = vec![
        (FLOOR, Box::new(|| serde_json::to_vec(&record).unwrap().len())),
        (OURS, Box::new(|| canonical::value_to_vec(&record).unwrap().len())),
        (
            "proof::canonical::to_vec (through serde)",
            Box::new(|| canonical::to_vec(&record).unwrap().len()),
        ),
        (PUBLIC[0], Box::new(|| serde_json_canonicalizer::to_vec(&record).unwrap().len())),
        (PUBLIC[1], Box::new(|| serde_jcs::to_vec(&record).unwrap().len())),
        (PUBLIC[2], Box::new(|| json_canon::to_vec(&record).unwrap().len())),
    ];
    let lengths: Vec<usize> = contenders.iter().map(|(_, run)| run()).collect();
    assert!(
        lengths[1..].iter().all(|length| *length == lengths[1]),
        "all write the same: {lengths:?}"
    );
    println!("a resolve-like record of {} bytes, {rounds} rounds", lengths[1]);

    let rates = median_rates(&contenders, rounds, round);
    let rate = |name: &str| {
        let at = contenders.iter().position(|(other, _)| *other == name).unwrap();
        rates[at]
    };
    for (name, _) in &contenders {
        println!(
            "  {name:<42} {:>9.0} /s  {:>6.3} of the floor",
            rate(name),
            rate(name) / rate(FLOOR)
        );
    }
    let best = PUBLIC.into_iter().max_by(|a, b| rate(a).total_cmp(&rate(b))).unwrap();
    let path = "canonical JSON of a record";
    report_ratio(path, "serde_json::to_vec", rate(OURS) / rate(FLOOR), Goal::AtLeast(0.7));
    let limit = format!("the best public crate, {best}");
    report_ratio(path, &limit, rate(OURS) / rate(best), Goal::AtLeast(5.0));

    seal(&record, rounds, round);
}

/// Signing a document (canonicalise, hash, sign) compared with its three parts run separately.
fn seal(record: &Value, rounds: usize, round: Duration) {
    let at = Timestamp::from_millis(0);
    let key = SigningKey::from_seed(&[1; 32], KeyPurpose::Documents, at).unwrap();
    let brand = Brand::default();
    let bytes = canonical::value_to_vec(record).unwrap();
    let contenders: Vec<Contender<'_>> = vec![
        (
            "sign_document",
            Box::new(|| sign_document(record.clone(), &key, "d", &brand, at).unwrap().bytes.len()),
        ),
        ("of that: copying the record", Box::new(|| record.clone().as_object().unwrap().len())),
        ("of that: sha256", Box::new(|| sha256(&bytes).as_bytes().len())),
        ("of that: Ed25519", Box::new(|| key.sign(&bytes[..76]).unwrap().len())),
    ];
    println!("sealing the same record");
    for ((name, _), rate) in contenders.iter().zip(median_rates(&contenders, rounds, round)) {
        println!("  {name:<42} {rate:>9.0} /s  {:>6.1} us", 1e6 / rate);
    }
}

fn median_rates(contenders: &[Contender<'_>], rounds: usize, round: Duration) -> Vec<f64> {
    let mut rates = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for ((_, run), rates) in contenders.iter().zip(&mut rates) {
            let start = Instant::now();
            let mut runs = 0_u32;
            while start.elapsed() < round {
                for _ in 0..8 {
                    black_box(run());
                }
                runs += 8;
            }
            rates.push(f64::from(runs) / start.elapsed().as_secs_f64());
        }
    }
    rates
        .into_iter()
        .map(|mut rates| {
            rates.sort_by(f64::total_cmp);
            rates[rates.len() / 2]
        })
        .collect()
}

/// What a resolve answer looks like: sections, lists of readings, digests, addresses, sentences.
fn record() -> Value {
    let digest = |n: usize| sha256(&n.to_be_bytes()).to_hex();
    let identities: Vec<Value> = (0..14)
        .map(|n| {
            json!({
                "identity": format!("identity-{n}"), "label": format!("Crawler number {n} of its operator"),
                "status": 200, "bytes": 48_213 + n, "html": n % 3 != 0, "final_host": "www.example.com",
                "sha256": digest(n),
            })
        })
        .collect();
    let files: Vec<Value> = (0..8)
        .map(|n| {
            json!({
                "path": format!("/.well-known/file-{n}.json"), "status": if n % 2 == 0 { 200 } else { 404 },
                "content_type": "application/json; charset=utf-8", "bytes": 1024 * n, "present": n % 2 == 0,
                "sha256": digest(100 + n),
            })
        })
        .collect();
    let absences: Vec<Value> = (0..10)
        .map(|n| {
            json!({
                "what": format!("machine file {n}"), "path": format!("/.well-known/absent-{n}"), "result": "absent",
                "at": "2026-11-15T02:56:20Z",
                "from": { "observer": "svc", "network": "AS64500", "directory": "https://svc.example/.well-known/observers.json" },
                "checked": [{ "method": "GET", "url": format!("https://www.example.com/.well-known/absent-{n}"), "status": 404, "redirects": 0 }],
                "scope": "This path, at this time, from this network; it says nothing of any other path.",
            })
        })
        .collect();
    let readings: Vec<Value> = (0..8)
        .map(|n| {
            json!({
                "identity": format!("identity-{n}"), "verdict": "same", "text_ratio": 0.9871 - n as f64 / 1000.0,
                "instruction_like_text": false,
            })
        })
        .collect();
    let action = |decision: &str| {
        json!({
            "decision": decision, "minimum_assurance": "reachable", "assurance_found": ["declared", "discovered", "reachable"],
            "needs": "A policy that lets agents read the path, and the page served to at least one of them.",
            "why": "The policy allows the path to every agent that was tested,\nand \"the page\" was served to all.",
            "doubts": ["agent_specific_robots", "read_equivalence_unmeasured"], "max_age_hours": 168,
        })
    };
    json!({
        "kind": "svc-resolve", "v": 1, "schema": "https://svc.example/api/v1/schema#resolve", "domain": "example.com",
        "answered_at": "2026-11-15T02:56:20.123Z", "status": "partial", "assurance": "partial",
        "reading": "Each section says whether it was declared by the site, observed by us, or not measured. Größe: 20 KB.",
        "basis": { "kind": "just_in_time", "measured_at": "2026-11-15T02:56:20Z", "budget_ms": 1000, "took_ms": 412, "not_read_in_budget": [], "scope": "home page and machine files" },
        "freshness": { "observed_at": "2026-11-15T02:56:20Z", "age_hours": 0, "source": "just_in_time", "stale": false },
        "delivery": { "state": "observed", "observed_at": "2026-11-15T02:56:20Z", "identities": identities, "same_bytes_for_every_identity": false },
        "machine_files": { "state": "observed", "observed_at": "2026-11-15T02:56:20Z", "files": files },
        "read_equivalence": { "observed": true, "verdict": "same", "identities": readings },
        "absences": absences,
        "contradictions": null,
        "actions": {
            "v": 1, "decisions": "allow, warn, require_confirmation, block, unsupported", "rule": "taken from the answer's own sections",
            "read": action("allow"), "cite": action("warn"), "connect": action("unsupported"),
            "transact": action("require_confirmation"), "administer": action("block"),
        },
        "transparency": {
            "state": "included", "leaf_hash": digest(200), "batch": 1_234, "index": 17, "batch_size": 64,
            "path": (0..6).map(|n| digest(300 + n)).collect::<Vec<_>>(),
            "sth": {
                "kind": "svc-log-sth", "v": 1, "batch": 1_234, "first_index": 78_912, "batch_size": 64, "tree_size": 78_976,
                "batch_root": digest(400), "prev_sth_sha256": digest(401), "created_at": "2026-11-15T02:56:20Z", "sha256": digest(402),
            },
        },
        "samples": (0..220).map(|n| n * 7919 % 10_007).collect::<Vec<_>>(),
        "notes": (0..64).map(|n| format!("Note {n}: what was read here is what was served to us, no more and no less than that.")).collect::<Vec<_>>(),
    })
}
