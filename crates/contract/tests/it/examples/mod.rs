//! One made-up instance of every kind that has a schema.

mod accuracy;
mod addresses;
mod agents;
mod build;
mod changes;
mod decisions;
mod graph;
mod log;
mod mcp;
mod owners;
mod preflight;
mod readings;
mod resolve;
mod resolve_batch;
mod scan;
mod seal;
mod small;

use contract::core_contract::CoreContract;
use contract::records::{
    CodeObject, CodeState, Deployment, Jwk, LogRules, LogState, ReplacedSignature, Signature,
    SignatureKey, Transparency, TreeHead,
};
use contract::{Brand, Domain, NamePolicy, Timestamp};
use serde::Serialize;
use serde_json::Value;

pub(crate) use resolve::resolve_answer;
pub(crate) use scan::{public_report, scan_record, unreachable_scan};

pub(crate) const BASE: &str = "https://svc.example";

/// Every kind by its word, with a serialised example.
pub(crate) fn all() -> Vec<(&'static str, Value)> {
    fn json(record: impl Serialize) -> Value {
        serde_json::to_value(record).unwrap()
    }
    vec![
        ("core", json(CoreContract::current(&Brand::default(), BASE, &|_| false))),
        ("scan-request", json(small::scan_request())),
        ("scan-request-v1", json(small::scan_request_v1())),
        ("free-key-request", json(small::free_key_request())),
        ("free-key-accepted", json(small::free_key_accepted())),
        ("scan", json(scan_record())),
        ("evidence", json(scan::evidence())),
        ("report", json(public_report())),
        ("graph", json(graph::graph())),
        ("manifest", json(graph::manifest())),
        ("machine-record", json(graph::machine_record())),
        ("outcome-report", json(small::outcome_report())),
        ("outcome-accepted", json(small::outcome_accepted())),
        ("agent-outcomes", json(small::outcome_summary())),
        ("agent-outcomes-day", json(small::outcome_day())),
        ("ai-accuracy", json(accuracy::accuracy())),
        ("ai-accuracy-history", json(accuracy::history())),
        ("domain-control", json(small::control())),
        ("claim-offer", json(owners::claim_offer())),
        ("claim-request", json(owners::claim_request())),
        ("claim-challenge", json(owners::claim_challenge())),
        ("claim-check-request", json(owners::claim_check_request())),
        ("incident-request", json(owners::incident_request())),
        ("incident", json(owners::incident())),
        ("dispute-request", json(owners::dispute_request())),
        ("dispute", json(owners::dispute())),
        ("domain", json(small::domain_record())),
        ("visitor-request", json(small::visitor_batch())),
        ("visitor", json(small::visitor_answer())),
        ("visitor-batch", json(small::visitor_batch_answer())),
        ("agents", json(agents::known_agents())),
        ("spec", json(agents::visitor_spec())),
        ("conduct", json(small::conduct())),
        ("conduct-day", json(small::conduct_day())),
        ("resolve", json(resolve_answer())),
        ("changes", json(changes::changes())),
        ("corroboration", json(changes::corroboration())),
        ("resolve-request", json(resolve_batch::request())),
        ("resolve-batch", json(resolve_batch::batch())),
        ("resolve-prefix", json(resolve_batch::bucket())),
        ("observers", json(addresses::observers())),
        ("census-page", json(addresses::census_page())),
        ("census-end", json(addresses::census_end())),
        ("content-clock", json(addresses::content_clock())),
        ("claims", json(addresses::claims())),
        ("field-check", json(accuracy::field_check())),
        ("read-equivalence", json(addresses::read_equivalence())),
        ("rights", json(addresses::rights())),
        ("actions", json(resolve::actions())),
        ("preflight-request", json(preflight::request())),
        ("decision", json(preflight::receipt())),
        ("preflight-batch", json(preflight::batch())),
        ("decision-check", json(decisions::check())),
        ("revocations", json(decisions::revocations())),
        ("mcp-scan", json(mcp::scan())),
        ("mcp-domain-scans", json(mcp::domain_scans())),
        ("mcp-lock", json(mcp::lock())),
        ("mcp-lock-check", json(mcp::lock_check())),
        ("staple", json(decisions::staple())),
        ("transparency", json(transparency())),
        ("log-sth", json(tree_head())),
        ("log", json(log::record())),
        ("log-batch", json(log::batch())),
        ("log-sths", json(log::heads())),
        ("log-leaves", json(log::leaves())),
        ("log-inclusion", json(log::inclusion())),
        ("log-consistency", json(log::consistency())),
        ("log-absence", json(log::absence())),
        ("log-witness", json(log::witnessed())),
        ("log-gossip-request", json(log::gossip_request())),
        ("log-gossip", json(log::gossip_answer())),
        ("signature", json(signature())),
        ("build", json(build::build())),
        ("day-seal", json(seal::day_seal())),
        ("proof-day", json(seal::proof_day())),
        ("seal", json(seal::seal())),
        ("proof-index", json(seal::proof_index())),
        ("assurance-ladder", json(resolve::ladder())),
        ("error", json(small::error())),
    ]
}

fn at(time: &str) -> Timestamp {
    format!("2026-11-15T{time}Z").parse().unwrap()
}

fn domain() -> Domain {
    Domain::parse(
        "shop.lab",
        &NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() },
    )
    .unwrap()
}

fn kind(word: &str) -> String {
    Brand::default().kind(word)
}

fn schema(word: &str) -> String {
    contract::schema::schema_url(word, &Brand::default(), BASE)
}

fn url(path: &str) -> String {
    format!("{BASE}{path}")
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

/// A made-up digest.
fn digest(letter: char) -> String {
    letter.to_string().repeat(64)
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn signature() -> Signature {
    Signature {
        v: Signature::V,
        alg: Signature::ALG.to_owned(),
        kid: "KxLtwxnR0_Xgq1K-stRuMyf4I_O5X3CPLJphe-jQSsQ".to_owned(),
        over: Signature::OVER.to_owned(),
        message: format!("{}{}", Brand::default().message_prefix(), digest('a')),
        sig: "c2lnbmF0dXJl".to_owned(),
        signed_at: at("03:00:01"),
        key: SignatureKey {
            kid: "KxLtwxnR0_Xgq1K-stRuMyf4I_O5X3CPLJphe-jQSsQ".to_owned(),
            jwk: Jwk {
                kty: Jwk::KTY.to_owned(),
                crv: Jwk::CRV.to_owned(),
                x: "2quLJYwzo_Ulpne2YcuPtDq0s113_pz7X_CvAkguy3w".to_owned(),
            },
            published_in: url("/.well-known/http-message-signatures-directory"),
        },
        canonical: "sha256 is taken over the RFC 8785 canonical JSON of every member except sha256 and signature".to_owned(),
    }
}

fn replaced_signature() -> ReplacedSignature {
    ReplacedSignature {
        why: ReplacedSignature::KEY_COMPROMISED.to_owned(),
        kid: signature().kid,
        compromised_since: at("02:00:00"),
        at: at("04:00:00"),
        sha256: digest('b'),
        signature: signature(),
    }
}

fn code() -> CodeObject {
    CodeObject {
        version_id: "0.1.0".to_owned(),
        script_sha16: some("0123456789abcdef"),
        state: CodeState::Attested,
        deployed: Deployment {
            at: Some(at("00:00:00")),
            commit: some("abc1234"),
            run: some("881"),
        },
        build_log_entry: Some(31),
        score_version: 1,
        scoring_policy_sha256: digest('b'),
        decision_rules_sha256: digest('c'),
        check: url("/api/v1/builds/0.1.0"),
    }
}

fn tree_head() -> TreeHead {
    TreeHead {
        kind: kind("log-sth"),
        v: 1,
        log_id: Brand::default().log_id(),
        batch: 0,
        first_index: 0,
        batch_size: 2,
        tree_size: 2,
        batch_root: digest('d'),
        tree_root: None,
        prev_sth_sha256: None,
        created_at: at("03:00:00"),
        rules: LogRules {
            leaf: "SHA-256 of a zero byte followed by the RFC 8785 form of the decision content"
                .to_owned(),
            tree: "RFC 9162 Merkle tree over the batch's leaf hashes".to_owned(),
            chain: "Batches are numbered from 0 without a gap".to_owned(),
        },
        code: Some(code()),
        sha256: Some(digest('a')),
        signature: Some(signature()),
    }
}

fn transparency() -> Transparency {
    Transparency {
        state: LogState::Included,
        log_id: Brand::default().log_id(),
        leaf_hash: digest('e'),
        batch: 0,
        index: 1,
        log_index: Some(1),
        batch_size: 2,
        path: vec![digest('f')],
        sth: tree_head(),
        witnesses: url("/api/v1/log/witness/latest"),
        content_rule: "The content is an object with nine members.".to_owned(),
    }
}
