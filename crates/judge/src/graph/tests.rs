//! Every graph is consistent, whatever the record contains.

use std::collections::BTreeMap;

use agents::Catalogue;
use contract::evidence::{BodyFacts, Exchange, HeaderLine, Observer, ReadTarget, Response};
use contract::records::{LedgerRow, Visibility};
use contract::{Brand, Domain, NamePolicy};

use super::*;
use crate::rulepack::Rulepack;
use crate::scan::{RecordMetadata, StorageMetadata, judge};

const BASE: &str = "https://svc.example";

fn evidence() -> (Evidence, BTreeMap<String, Vec<u8>>) {
    let names = NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] };
    let at: Timestamp = "2026-11-15T10:00:00.250Z".parse().unwrap();
    let page = b"<!doctype html><title>Ferry</title><p>Boats leave at seven and at nine.</p>";
    let mut bodies = BTreeMap::new();
    let mut reads = Vec::new();
    let robots = b"User-agent: GPTBot\nDisallow: /\n".as_slice();
    for (number, (target, path, identity, body)) in [
        (ReadTarget::Robots, "/robots.txt", "wayleave", robots),
        (ReadTarget::Home, "/", "browser", page),
        (ReadTarget::Home, "/", "control", page),
        (ReadTarget::Home, "/", "gptbot", page),
        (ReadTarget::Home, "/", "claudebot", page),
    ]
    .into_iter()
    .enumerate()
    {
        let sha256 = proof::sha256(body).to_string();
        bodies.insert(sha256.clone(), body.to_vec());
        let url = format!("https://ferry.lab{path}");
        let kind = if path == "/" { "text/html" } else { "text/plain" };
        let response = Response {
            url: url.clone(),
            status: 200,
            http: "2".into(),
            headers: vec![HeaderLine { name: "content-type".into(), value: kind.into() }],
            body: BodyFacts {
                sha256,
                bytes: body.len() as u64,
                wire_bytes: body.len() as u64,
                encoding: None,
                cut: None,
            },
            tls: None,
        };
        reads.push(Reading {
            chosen_from: None,
            id: format!("r{number}"),
            target,
            path: path.into(),
            identity: identity.into(),
            exchange: Exchange {
                method: "GET".into(),
                url,
                request_headers: vec![],
                started_at: at,
                took_ms: 5,
                hops: vec![],
                outcome: ExchangeOutcome::Response(Box::new(response)),
            },
        });
    }
    let evidence = Evidence {
        v: 1,
        domain: Domain::parse("ferry.lab", &names).unwrap(),
        host: "ferry.lab".into(),
        started_at: at,
        finished_at: at.plus_millis(40),
        observer: Observer {
            name: "wayleave".into(),
            version: "0.0.0".into(),
            vantage: "test".into(),
        },
        dns: vec![],
        reads,
        not_read: vec![],
    };
    (evidence, bodies)
}

fn judged_scan() -> (ScanRecord, Evidence) {
    let (evidence, bodies) = evidence();
    let issuer = Issuer::new(Brand::default(), BASE);
    let metadata = RecordMetadata {
        issuer: &issuer,
        id: "abc",
        visibility: Visibility::Public,
        evidence_sha256: None,
        storage: StorageMetadata::default(),
    };
    let catalogue = Catalogue::built_in().unwrap();
    let record = judge(&evidence, &bodies, &catalogue, &Rulepack::current(), &metadata);
    (record, evidence)
}

fn checked_graph(record: &ScanRecord, evidence: &Evidence) -> Graph {
    let graph = build_graph(record, evidence, &Issuer::new(Brand::default(), BASE)).unwrap();
    assert_consistent(&graph);
    assert_eq!(
        graph,
        super::build_graph(record, evidence, &Issuer::new(Brand::default(), BASE)).unwrap()
    );
    graph
}

/// Checks the invariants of every graph.
fn assert_consistent(graph: &Graph) {
    assert!(graph.nodes.len() <= Graph::MAX_NODES && graph.edges.len() <= Graph::MAX_EDGES);
    assert_eq!(graph.counts.nodes as usize, graph.nodes.len());
    assert_eq!(graph.counts.edges as usize, graph.edges.len());
    let ids: BTreeSet<&str> = graph.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids.len(), graph.nodes.len(), "every id once");
    for edge in &graph.edges {
        assert!(ids.contains(edge.from.as_str()) && ids.contains(edge.to.as_str()), "{edge:?}");
    }
    // Walks back from the decision, in the opposite direction to the builder.
    for decision in graph.nodes.iter().filter(|node| node.kind == GraphNodeType::Decision) {
        let mut waiting = vec![decision.id.as_str()];
        let mut seen = BTreeSet::new();
        let mut found = false;
        while let Some(here) = waiting.pop() {
            if !seen.insert(here) {
                continue;
            }
            let node = graph.nodes.iter().find(|node| node.id == here).unwrap();
            found |= node.kind == GraphNodeType::Observation;
            for edge in &graph.edges {
                match edge.rel {
                    GraphRelation::Supports if edge.to == here => waiting.push(&edge.from),
                    GraphRelation::DerivedFrom if edge.from == here => waiting.push(&edge.to),
                    _ => {}
                }
            }
        }
        assert!(found, "no observation supports {}", decision.id);
    }
}

fn nodes_of_kind(graph: &Graph, kind: GraphNodeType) -> Vec<&GraphNode> {
    graph.nodes.iter().filter(|node| node.kind == kind).collect()
}

#[test]
fn a_grade_leads_back_to_what_was_read() {
    let (record, evidence) = judged_scan();
    assert!(record.grade.is_some(), "{:?}", record.grade_detail);
    let graph = checked_graph(&record, &evidence);
    assert_eq!((graph.kind.as_str(), graph.id.as_str()), ("svc-graph", "abc"));
    assert!(!graph.truncated);
    assert_eq!(nodes_of_kind(&graph, GraphNodeType::Observation).len(), evidence.reads.len());
    assert!(
        nodes_of_kind(&graph, GraphNodeType::Decision).iter().any(|node| node.id == GRADE_NODE_ID)
    );
    assert_eq!(
        nodes_of_kind(&graph, GraphNodeType::LedgerRow).len(),
        record.score_ledger.rows.len()
    );
    assert_eq!(nodes_of_kind(&graph, GraphNodeType::Finding).len(), record.findings.len());
    assert_eq!(nodes_of_kind(&graph, GraphNodeType::Check).len(), record.checks.len());
    let home = nodes_of_kind(&graph, GraphNodeType::Observation)[1];
    assert_eq!(home.reference.as_deref(), Some("https://svc.example/r/abc.raw.json#/reads/1"));
    assert_eq!(home.digest.as_deref().map(str::len), Some(64));
}

#[test]
fn an_unsupported_grade_is_removed() {
    let (mut record, evidence) = judged_scan();
    for row in &mut record.score_ledger.rows {
        row.evidence = vec!["no such reading".to_owned()];
    }
    record.policy.rights.clear();
    let graph = checked_graph(&record, &evidence);
    assert!(graph.truncated && nodes_of_kind(&graph, GraphNodeType::Decision).is_empty());
}

#[test]
fn a_huge_record_is_cut_and_stays_consistent() {
    let (mut record, mut evidence) = judged_scan();
    let reading = evidence.reads[1].clone();
    for number in 0..450 {
        evidence.reads.push(Reading { id: format!("x{number}"), ..reading.clone() });
    }
    let all: Vec<String> = evidence.reads.iter().map(|reading| reading.id.clone()).collect();
    let row = record.score_ledger.rows[0].clone();
    for number in 0..300 {
        let rule = format!("extra_{number}");
        record.score_ledger.rows.push(LedgerRow { rule, evidence: all.clone(), ..row.clone() });
    }
    let graph = checked_graph(&record, &evidence);
    assert!(graph.truncated);
    assert_eq!(graph.nodes.len(), Graph::MAX_NODES);
    assert_eq!(graph.edges.len(), Graph::MAX_EDGES);
    assert!(
        nodes_of_kind(&graph, GraphNodeType::Decision).iter().any(|node| node.id == GRADE_NODE_ID)
    );
}

#[test]
fn a_record_that_was_not_stored_has_no_graph() {
    let (record, evidence) = judged_scan();
    let not_stored = ScanRecord { id: None, ..record };
    assert_eq!(build_graph(&not_stored, &evidence, &Issuer::new(Brand::default(), BASE)), None);
}
