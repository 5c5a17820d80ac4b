//! Reading records of a later version: unknown members are ignored, unknown words are kept.

use contract::core_contract::{CORE_OPERATIONS, CoreContract};
use contract::evidence::Evidence;
use contract::records::{
    AccuracyHistory, AccuracyRecord, Actions, AssuranceLadder, Build, CensusEnd, CensusPage,
    Changes, ClaimChallenge, ClaimCheckRequest, ClaimOffer, ClaimRequest, ClaimsRecord,
    ConductDayRecord, ConductRecord, ContentClockRecord, ControlRecord, Corroboration, DaySeal,
    Decision, DecisionCheck, DecisionReceipt, DisputeRecord, DisputeRequest, DomainRecord,
    FieldCheck, FreeKeyAccepted, FreeKeyRequest, GossipAnswer, GossipRequest, Graph, IdentitySplit,
    IncidentRecord, IncidentRequest, KnownAgentsRecord, LogAbsence, LogConsistency, LogInclusion,
    LogLeaves, LogRecord, LogSth, LogSths, LogWitnessedHead, MachineRecord, McpDomainScans,
    McpLock, McpLockCheck, McpScan, ObserverDirectory, OutcomeAccepted, OutcomeDayRecord,
    OutcomeReport, OutcomeSummary, PrefixBucket, PreflightBatch, PreflightRequest, ProofDay,
    ProofIndex, PublicReportV1, ReadEquivalenceRecord, ResolveAnswer, ResolveBatch,
    ResolveBatchRequest, RevocationList, RightsRecord, ScanManifest, ScanRecord, ScanRequest,
    ScanRequestV1, Seal, Signature, StapleRecord, Transparency, TreeHead, VisitorAnswer,
    VisitorBatch, VisitorBatchAnswer, VisitorSpec,
};
use contract::{Brand, ErrorV1};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::examples::{BASE, all, resolve_answer, scan_record, unreachable_scan};

fn example(word: &str) -> Value {
    all().into_iter().find(|(kind, _)| *kind == word).unwrap().1
}

/// Reads a kind as its own type and writes it again.
fn through(word: &str, written: &Value) -> Value {
    fn pass<T: DeserializeOwned + Serialize>(written: &Value) -> Value {
        // Through text, as a reader meets it.
        let text = serde_json::to_string(written).unwrap();
        serde_json::to_value(serde_json::from_str::<T>(&text).unwrap()).unwrap()
    }
    match word {
        "core" => pass::<CoreContract>(written),
        "scan-request" => pass::<ScanRequest>(written),
        "scan-request-v1" => pass::<ScanRequestV1>(written),
        "free-key-request" => pass::<FreeKeyRequest>(written),
        "free-key-accepted" => pass::<FreeKeyAccepted>(written),
        "scan" => pass::<ScanRecord>(written),
        "evidence" => pass::<Evidence>(written),
        "report" => pass::<PublicReportV1>(written),
        "graph" => pass::<Graph>(written),
        "manifest" => pass::<ScanManifest>(written),
        "outcome-report" => pass::<OutcomeReport>(written),
        "outcome-accepted" => pass::<OutcomeAccepted>(written),
        "agent-outcomes" => pass::<OutcomeSummary>(written),
        "agent-outcomes-day" => pass::<OutcomeDayRecord>(written),
        "ai-accuracy" => pass::<AccuracyRecord>(written),
        "ai-accuracy-history" => pass::<AccuracyHistory>(written),
        "domain-control" => pass::<ControlRecord>(written),
        "claim-offer" => pass::<ClaimOffer>(written),
        "claim-request" => pass::<ClaimRequest>(written),
        "claim-challenge" => pass::<ClaimChallenge>(written),
        "claim-check-request" => pass::<ClaimCheckRequest>(written),
        "incident-request" => pass::<IncidentRequest>(written),
        "incident" => pass::<IncidentRecord>(written),
        "dispute-request" => pass::<DisputeRequest>(written),
        "dispute" => pass::<DisputeRecord>(written),
        "domain" => pass::<DomainRecord>(written),
        "visitor-request" => pass::<VisitorBatch>(written),
        "visitor" => pass::<VisitorAnswer>(written),
        "visitor-batch" => pass::<VisitorBatchAnswer>(written),
        "agents" => pass::<KnownAgentsRecord>(written),
        "spec" => pass::<VisitorSpec>(written),
        "conduct" => pass::<ConductRecord>(written),
        "conduct-day" => pass::<ConductDayRecord>(written),
        "resolve" => pass::<ResolveAnswer>(written),
        "resolve-request" => pass::<ResolveBatchRequest>(written),
        "resolve-batch" => pass::<ResolveBatch>(written),
        "resolve-prefix" => pass::<PrefixBucket>(written),
        "changes" => pass::<Changes>(written),
        "corroboration" => pass::<Corroboration>(written),
        "observers" => pass::<ObserverDirectory>(written),
        "census-page" => pass::<CensusPage>(written),
        "census-end" => pass::<CensusEnd>(written),
        "content-clock" => pass::<ContentClockRecord>(written),
        "claims" => pass::<ClaimsRecord>(written),
        "field-check" => pass::<FieldCheck>(written),
        "read-equivalence" => pass::<ReadEquivalenceRecord>(written),
        "rights" => pass::<RightsRecord>(written),
        "actions" => pass::<Actions>(written),
        "preflight-request" => pass::<PreflightRequest>(written),
        "decision" => pass::<DecisionReceipt>(written),
        "preflight-batch" => pass::<PreflightBatch>(written),
        "decision-check" => pass::<DecisionCheck>(written),
        "revocations" => pass::<RevocationList>(written),
        "mcp-scan" => pass::<McpScan>(written),
        "mcp-domain-scans" => pass::<McpDomainScans>(written),
        "mcp-lock" => pass::<McpLock>(written),
        "mcp-lock-check" => pass::<McpLockCheck>(written),
        "staple" => pass::<StapleRecord>(written),
        "machine-record" => pass::<MachineRecord>(written),
        "transparency" => pass::<Transparency>(written),
        "log-sth" => pass::<TreeHead>(written),
        "log" => pass::<LogRecord>(written),
        "log-batch" => pass::<LogSth>(written),
        "log-sths" => pass::<LogSths>(written),
        "log-leaves" => pass::<LogLeaves>(written),
        "log-inclusion" => pass::<LogInclusion>(written),
        "log-consistency" => pass::<LogConsistency>(written),
        "log-absence" => pass::<LogAbsence>(written),
        "log-witness" => pass::<LogWitnessedHead>(written),
        "log-gossip-request" => pass::<GossipRequest>(written),
        "log-gossip" => pass::<GossipAnswer>(written),
        "signature" => pass::<Signature>(written),
        "build" => pass::<Build>(written),
        "day-seal" => pass::<DaySeal>(written),
        "proof-day" => pass::<ProofDay>(written),
        "seal" => pass::<Seal>(written),
        "proof-index" => pass::<ProofIndex>(written),
        "assurance-ladder" => pass::<AssuranceLadder>(written),
        "error" => pass::<ErrorV1>(written),
        other => panic!("{other} has no reader here"),
    }
}

#[test]
fn every_record_is_read_back_as_it_was_written() {
    for (word, written) in all() {
        assert_eq!(through(word, &written), written, "{word}");
    }
    let unreachable = serde_json::to_value(unreachable_scan()).unwrap();
    assert_eq!(through("scan", &unreachable), unreachable);
}

#[test]
fn unknown_members_are_ignored_at_every_depth() {
    fn add_everywhere(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.values_mut().for_each(add_everywhere);
                members.insert("a_later_member".to_owned(), json!({"deep": [1, null]}));
            }
            Value::Array(items) => items.iter_mut().for_each(add_everywhere),
            _ => {}
        }
    }
    for (word, written) in all() {
        if word.contains("request") || word == "outcome-report" {
            continue;
        }
        let mut later = written.clone();
        add_everywhere(&mut later);
        // Maps have values of one type; a stranger in them is not a member but an entry.
        for map in [
            "/by_action",
            "/by_agent",
            "/signals/0/effects",
            "/by_status",
            "/nap/conflicts",
            "/nap/lineage",
            "/capabilities/by_safety_class",
            "/confidence/vantage_state/states",
            "/vantage_state/states",
            "/crawl_policy/content_signal",
            "/policy/robots/crawl_delay",
            "/policy/rights",
            "/policy/signals/0/uses",
            "/streams",
            "/statement/streams",
            "/server/capabilities",
            "/server/capabilities/tools",
            "/endpoints/0/scan/server/capabilities",
            "/endpoints/0/scan/server/capabilities/tools",
            "/endpoints/0/scan/conditions/client_capabilities",
            "/endpoints/0/scan/lock/conditions/client_capabilities",
            "/agents/0/disallowed_rules",
            "/conditions/client_capabilities",
            "/basis/conditions/client_capabilities",
            "/lock/conditions/client_capabilities",
            "/next_lock/conditions/client_capabilities",
            // Returned unchanged, whatever it contains.
            "/operation",
            "/results/0/result/operation",
        ] {
            if let Some(Value::Object(entries)) = later.pointer_mut(map) {
                entries.remove("a_later_member");
            }
        }
        // An embedded tree head keeps all its members, because its digest covers them.
        if word.starts_with("log") {
            for head in ["/head", "/sth", "/sths/0", "/lookup/sth"] {
                let whole = written.pointer(head).filter(|head| head["kind"] == "svc-log-sth");
                if let (Some(whole), Some(place)) = (whole, later.pointer_mut(head)) {
                    assert_eq!(through("log-sth", place), *whole);
                    *place = whole.clone();
                }
            }
        }
        // A receipt is carried whole for the same reason, and the actions of a check are a map.
        if word == "decision-check" {
            later["receipt"] = written["receipt"].clone();
            later["actions"].as_object_mut().unwrap().remove("a_later_member");
        }
        // So is an answer among others.
        if word == "resolve-batch" {
            later["answers"] = written["answers"].clone();
        }
        if word == "resolve-prefix" {
            later["answers"][0]["answer"] = written["answers"][0]["answer"].clone();
        }
        // An externally tagged outcome has exactly one member.
        for reading in later["reads"].as_array_mut().into_iter().flatten() {
            reading["exchange"]["outcome"].as_object_mut().unwrap().remove("a_later_member");
        }
        assert_eq!(through(word, &later), written, "{word}");
    }
}

#[test]
fn unknown_words_are_kept_and_are_no_known_word() {
    let mut later = serde_json::to_value(scan_record()).unwrap();
    later["agentview"]["split"] = json!("partly");
    later["grade"] = json!("S");
    later["findings"][0]["severity"] = json!("apocalyptic");
    later["checks"][0]["verdict"] = json!("haunted");
    assert_eq!(through("scan", &later), later);
    let read: ScanRecord = serde_json::from_value(later).unwrap();
    assert!(
        matches!(&read.agentview.split, IdentitySplit::Unrecognised(word) if word.as_str() == "partly")
    );

    let mut later = serde_json::to_value(resolve_answer()).unwrap();
    later["actions"]["read"]["decision"] = json!("allow_on_tuesdays");
    later["actions"]["read"]["doubts"] = json!(["moon_phase"]);
    later["dns"]["state"] = json!("inferred");
    later["basis"] = json!({"kind": "hearsay", "who": "a friend"});
    later["assurance_ladder"]["level"] = json!("beyond_doubt");
    assert_eq!(through("resolve", &later), later);
    let read: ResolveAnswer = serde_json::from_value(later).unwrap();
    assert!(matches!(read.actions.read.decision, Decision::Unrecognised(_)));
    assert!(read.dns.body().is_none());
}

#[test]
fn a_null_member_is_written_and_a_missing_one_is_read_as_null() {
    let written = serde_json::to_value(unreachable_scan()).unwrap();
    for member in ["id", "grade", "overall", "proof_overall", "evidence_sha256"] {
        assert_eq!(written.get(member), Some(&Value::Null), "{member}");
    }
    for member in ["cached", "sha256", "signature"] {
        assert_eq!(written.get(member), None, "{member}");
    }
    assert_eq!(written["unreachable"], true);
    let mut shorter = written.clone();
    shorter.as_object_mut().unwrap().remove("grade").unwrap();
    assert_eq!(through("scan", &shorter), written);
}

#[test]
fn the_core_contract_lists_the_nine_operations() {
    let core =
        serde_json::to_value(CoreContract::current(&Brand::default(), BASE, &|_| true)).unwrap();
    let listed: Vec<String> = core["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| format!("{} {} {}", entry["method"], entry["path"], entry["operationId"]))
        .map(|line| line.replace('"', ""))
        .collect();
    assert_eq!(
        listed,
        [
            "GET /api/v1/resolve resolveDomainV1",
            "POST /api/v1/resolve resolveBatchV1",
            "POST /api/v1/preflight preflightV1",
            "GET /api/v1/decisions/{sha256} decisionCheckV1",
            "GET /api/v1/revocations revocations",
            "GET /api/v1/visitor visitorResolveV1",
            "POST /api/v1/visitor visitorResolveBatchV1",
            "GET /api/v1/mcp/scan mcpScanUrl",
            "POST /api/v1/mcp/lock/check mcpLockCheck",
        ]
    );
    assert_eq!(CORE_OPERATIONS.len(), 9);
    assert_eq!(core["promise"]["min_days_after_successor"], 180);
}

#[test]
fn every_kind_carries_the_brand() {
    for (word, written) in all() {
        if let Some(kind) = written["kind"].as_str() {
            assert!(kind.starts_with("svc-"), "{word}: {kind}");
        }
    }
    assert_eq!(example("resolve")["kind"], "svc-resolve");
    assert_eq!(example("log-sth")["kind"], "svc-log-sth");
    assert_eq!(example("agent-outcomes")["kind"], "svc-agent-outcomes");
}

/// Heads and signatures created by an independent implementation, when its test vectors are
/// available.
#[test]
fn reads_the_heads_of_the_reference_vectors() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors/reference");
    for brand in ["svc", "crawlcheck"] {
        let Ok(text) = std::fs::read_to_string(format!("{folder}/gold-{brand}.json")) else {
            continue;
        };
        let gold: Value = serde_json::from_str(&text).unwrap();
        let heads = gold["heads"].as_array().unwrap();
        assert!(!heads.is_empty());
        for head in heads {
            assert_eq!(through("log-sth", head), *head);
        }
        for answer in gold["answers"].as_array().unwrap() {
            let transparency = &answer["transparency"];
            assert_eq!(through("transparency", transparency), *transparency);
        }
    }
}
