//! Sample answers with the size and structure of real ones, before they are sealed.

use contract::{Domain, NamePolicy};
use serde_json::{Map, Value, json};

pub(crate) fn domain(number: u64) -> Domain {
    Domain::parse(&format!("site{number}.com"), &NamePolicy::default()).unwrap()
}

/// About 20 KB, with a different decision for each number.
pub(crate) fn answer(number: u64) -> Map<String, Value> {
    let name = domain(number).to_string();
    let at = "2026-11-15T09:00:00Z";
    let hex = |n: u64| proof::sha256(&(number * 1_000 + n).to_be_bytes()).to_hex();
    let decision = |decision: &str, doubts: &[&str]| {
        json!({
            "decision": decision, "minimum_assurance": "reachable", "assurance_found": ["declared", "reachable"],
            "needs": "A policy that lets AI agents read the path, and the page served to one of them.",
            "why": format!("The policy of {name} was read and {number} identities were answered."),
            "doubts": doubts, "max_age_hours": 168,
        })
    };
    let identities: Vec<Value> = (0..13)
        .map(|n| {
            json!({
                "identity": format!("identity-{n}"), "label": format!("Crawler {n} of an operator"),
                "status": 200, "bytes": 30_000 + n, "html": true, "final_host": name, "sha256": hex(n),
            })
        })
        .collect();
    let files: Vec<Value> = (0..21)
        .map(|n| {
            json!({
                "path": format!("/.well-known/file-{n}.json"), "status": 404, "content_type": "text/html",
                "bytes": 1_200, "present": false, "sha256": hex(100 + n),
            })
        })
        .collect();
    let absences: Vec<Value> = (0..21)
        .map(|n| {
            json!({
                "what": format!("A file that agents look for, number {n}"), "result": "absent", "at": at,
                "path": format!("/.well-known/file-{n}.json"),
                "from": { "observer": "svc", "network": "unnamed", "directory": "https://svc.example/o" },
                "checked": [{ "method": "GET", "url": format!("https://{name}/.well-known/file-{n}.json"),
                    "status": 404, "redirects": 0 }],
                "scope": "This path at this time, and nothing else.",
            })
        })
        .collect();
    let answer = json!({
        "kind": "svc-resolve", "v": 1, "schema": "https://svc.example/api/v1/schema?kind=svc-resolve",
        "domain": name, "answered_at": at, "status": "partial",
        "reading": "What the site declares, what it served, and what was not measured.",
        "freshness": { "observed_at": at, "age_hours": 0, "source": "just_in_time", "stale": false },
        "evidence": { "report": null, "rescan": "https://svc.example/api/scan" },
        "impersonation": { "state": "observed", "verdict": "no_lookalike" },
        "delivery": { "state": "observed", "observed_at": at, "identities": identities },
        "machine_files": { "state": "observed", "observed_at": at, "files": files },
        "absences": absences,
        "read_equivalence": { "observed": true, "identities": [{ "identity": "gptbot", "text_ratio": 0.9876 }] },
        "actions": {
            "v": 1, "decisions": "allow, warn, require_confirmation, block, unsupported",
            "rule": "The decision is taken from the answer's own sections.",
            "read": decision("warn", &["no_policy", "agent_specific_robots"]),
            "cite": decision("warn", &["entity_unobserved"]),
            "connect": decision("unsupported", &[]),
            "transact": decision("require_confirmation", &[]),
            "administer": decision("block", &[]),
        },
    });
    let Value::Object(answer) = answer else { unreachable!() };
    answer
}

#[test]
fn are_of_real_size() {
    let size = serde_json::to_vec(&answer(7)).unwrap().len();
    assert!((12_000..40_000).contains(&size), "{size}");
}
