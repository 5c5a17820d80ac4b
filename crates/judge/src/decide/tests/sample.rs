//! An answer in which everything is measured and at its best. The bench uses it too.

use contract::records::ResolveAnswer;
use serde_json::{Value, json};

const AT: &str = "2026-11-15T02:00:00Z";

pub(crate) fn answer() -> ResolveAnswer {
    serde_json::from_value(written()).expect("the sample is an answer")
}

pub(crate) fn written() -> Value {
    let allowed = json!({"value": "allowed", "conflicts": 0,
        "decided_by": {"signal": "content_signal", "url": "https://shop.lab/robots.txt", "evidence": "r01"}});
    let action = json!({"decision": "block", "minimum_assurance": "reachable", "assurance_found": [],
        "needs": "-", "why": "-", "doubts": [], "max_age_hours": 168});
    let cite = json!({"decision": "block", "minimum_assurance": "reachable", "assurance_found": [],
        "needs": "-", "why": "-", "doubts": [], "max_age_hours": 168,
        "scope": {"covers": [], "does_not_cover": "-"}});
    let served = |identity: &str| {
        json!({"identity": identity, "label": identity, "status": 200, "bytes": 1800, "html": true,
            "final_host": "shop.lab", "blocker": null, "sha256": null})
    };
    let file = |path: &str, status: u16| {
        json!({"path": path, "status": status, "content_type": "text/plain", "bytes": 9,
            "present": status == 200, "sha256": null})
    };
    let same = |identity: &str| {
        json!({"identity": identity, "verdict": "equivalent", "text_ratio": 1.0,
            "instruction_like_text": false})
    };
    let mut whole = json!({
        "kind": "svc-resolve", "v": 1, "schema": "https://svc.example/schema", "domain": "shop.lab",
        "answered_at": AT, "reading": "-", "status": "measured",
        "basis": {"kind": "scan", "id": "abc", "measured_at": AT, "scope": "all"},
        "subject": {"domain": "shop.lab", "host": "shop.lab"},
        "freshness": {"observed_at": AT, "age_hours": 0, "source": "scan", "last_verified_at": AT,
            "fresh_until": "2026-11-22T02:00:00Z", "stale": false, "fresh_policy": "-"},
        "observers": {"primary": {"version_tag": "1", "vantage": "lab"}, "independent_readings": 3,
            "by_field": "-", "directory": "-", "samples_by_network": {"networks": 2, "samples": 3,
            "groups": [], "window": {"from": AT, "to": AT}}},
        "crawl_policy": {"state": "declared", "observed_at": AT, "source": "https://shop.lab/robots.txt",
            "http_status": 200, "path_tested": "/", "content_signal": null, "note": "-",
            "agents": [{"agent": "*", "allowed_homepage": true}, {"agent": "GPTBot", "allowed_homepage": true},
                {"agent": "ClaudeBot", "allowed_homepage": true}]},
        "delivery": {"state": "observed", "observed_at": AT, "url": "https://shop.lab/", "identity_basis": "-",
            "identities": [served("browser"), served("gptbot"), served("claudebot")],
            "same_bytes_for_every_identity": true, "further_pages": [],
            "content": {"state": "text", "kind": "html", "words": 300, "cut": false, "paywall": false}},
        "machine_files": {"state": "observed", "observed_at": AT, "hashes": "-",
            "files": [file("/robots.txt", 200), file("/llms.txt", 200), file("/sitemap.xml", 404)]},
        "capabilities": {"state": "declared", "observed_at": AT, "declared": 1,
            "by_safety_class": {"read_only_public": 1}, "verified": 1, "mismatches": 0, "invocation_rule": "-",
            "certificate": null, "items": [], "declared_files": [], "note": "-"},
        "entity": {"state": "observed", "observed_at": AT, "untrusted_name": "North Quay Shop",
            "types": ["Organization"], "url": "https://shop.lab/", "same_as": ["https://social.example/shop"],
            "sources": ["https://shop.lab/"]},
        "findings": {"access": "public", "rule": "-", "items": [], "summary": null, "withheld": null, "note": "-"},
        "confidence": {"identities_answered": 3, "vantages": 2, "note": "-", "sample": 3, "sample_note": "-",
            "vantage_state": {"state": "cross_confirmed", "means": "-", "networks": 2, "readings": 3,
                "states": {}, "from": ["lab-1", "lab-2"]}},
        "contradictions": [],
        "evidence": {"report": null, "record": null, "rescan": {"method": "POST", "url": "-",
            "body": {"domain": "shop.lab"}}, "verifier": "-", "verify": "-"},
    });
    let rest = json!({
        "assurance": "full",
        "impersonation": {"state": "observed", "observed_at": AT, "verdict": "no_lookalike", "brand_frame": "-"},
        "dns": {"state": "observed", "observed_at": AT, "resolver": "-", "exists": true, "a": ["127.0.0.1"],
            "aaaa": [], "cname": [], "rcode": "NOERROR", "dnssec_validated": false, "note": "-"},
        "tls": {"state": "observed", "observed_at": AT, "https": true, "url": "https://shop.lab/",
            "final_host": "shop.lab", "http_status": 200, "hsts": null, "certificate": "valid", "certificate_holds": true, "note": "-"},
        "content_clock": {"homepage": {"url": "https://shop.lab/", "observed": false, "start": "-", "reading": "-"},
            "reading": "-"},
        "self_claims": {"observed": false, "start": "-", "reading": "-"},
        "read_equivalence": {"url": "https://shop.lab/", "observed": true, "verdict": "equivalent",
            "checked_at": AT, "first_observed": AT, "ai_identities_served": "2 of 2",
            "identities": [same("gptbot"), same("claudebot")], "api": "-", "reading": "-"},
        "rights": {"observed": true, "path": "/", "read_at": AT, "api": "-", "reading": "-",
            "train": allowed.clone(), "ground": allowed.clone(), "summarize": allowed.clone(),
            "cite": allowed.clone(), "transact": allowed},
        "actions": {"v": 1, "decisions": "-", "rule": "-", "read": action.clone(), "cite": cite,
            "connect": action.clone(), "transact": action.clone(), "administer": action},
        "absences": [],
        "control": {"state": "unproven", "proofs": [], "organization": null, "claim": "-", "why": "-", "note": "-"},
        "assurance_ladder": {"v": 1, "level": null, "order": [], "rungs": [], "rule": "-"},
        "code": {"version_id": "1", "script_sha16": null, "state": "attested",
            "deployed": {"at": null, "commit": null, "run": null}, "build_log_entry": null, "score_version": 1,
            "scoring_policy_sha256": "-", "decision_rules_sha256": "-", "check": "-"},
    });
    if let (Some(whole), Value::Object(rest)) = (whole.as_object_mut(), rest) {
        whole.extend(rest);
    }
    whole
}
