//! Examples of a scan's graph, manifest and machine record.

use contract::records::{
    FormatNotMade, Graph, GraphCounts, GraphEdge, GraphNode, GraphNodeState, GraphNodeType,
    GraphRelation, MachineRecord, MachineRecordFile, MachineRecordFormat, ScanManifest,
    ValueNotTaken, ValueSource,
};

use super::{at, digest, domain, kind, replaced_signature, schema, signature, some, url};

pub(super) fn graph() -> Graph {
    let node = |id: &str, kind, label: &str, reference: &str| GraphNode {
        id: id.to_owned(),
        kind,
        label: label.to_owned(),
        state: GraphNodeState::Observed,
        observed_at: Some(at("02:56:20")),
        reference: Some(url(reference)),
        digest: None,
    };
    Graph {
        kind: kind("graph"),
        v: 1,
        schema: schema("graph"),
        id: "abc123".to_owned(),
        domain: domain(),
        generated_at: at("02:56:21"),
        nodes: vec![
            GraphNode {
                digest: some(&digest('b')),
                ..node(
                    "reading:home/browser",
                    GraphNodeType::Observation,
                    "home / as browser",
                    "/r/abc123.raw.json#/reads/1",
                )
            },
            node("decision:grade", GraphNodeType::Decision, "grade: A", "/r/abc123.json#/grade"),
        ],
        edges: vec![GraphEdge {
            from: "reading:home/browser".to_owned(),
            to: "decision:grade".to_owned(),
            rel: GraphRelation::Supports,
            at: at("02:56:21"),
            evidence: some("/agentview/evidence"),
        }],
        counts: GraphCounts { nodes: 2, edges: 1 },
        truncated: false,
        context: url(Graph::CONTEXT_PATH),
        sha256: some(&digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn manifest() -> ScanManifest {
    ScanManifest {
        kind: kind("manifest"),
        v: 1,
        schema: schema("manifest"),
        id: "abc123".to_owned(),
        domain: domain(),
        observed_at: at("02:56:20"),
        evidence_sha256: digest('e'),
        bodies: vec![digest('b'), digest('c')],
        replaced_signature: Some(replaced_signature()),
        sha256: some(&digest('a')),
        signature: Some(signature()),
    }
}

pub(super) fn machine_record() -> MachineRecord {
    let text = "{\n  \"@context\": \"https://schema.org\",\n  \"@type\": \"Store\",\n  \
                \"name\": \"The Lab Shop\"\n}\n";
    MachineRecord {
        kind: kind("machine-record"),
        v: 1,
        schema: schema("machine-record"),
        id: "abc123".to_owned(),
        domain: domain(),
        read_at: at("02:56:20"),
        files: vec![MachineRecordFile {
            format: MachineRecordFormat::JsonLd,
            path: "/".to_owned(),
            media_type: "application/ld+json".to_owned(),
            download: url("/api/v1/machine-record?id=abc123&format=jsonld"),
            untrusted_text: text.to_owned(),
            sources: vec![ValueSource {
                at: "/name".to_owned(),
                carrier: "json_ld".to_owned(),
                url: "https://shop.lab/".to_owned(),
                pointer: some("/json_ld/0/name"),
            }],
            not_taken: vec![ValueNotTaken {
                what: "telephone".to_owned(),
                why: "The site contradicts itself: its sources state different values.".to_owned(),
                untrusted_values: vec!["+49 30 1234".to_owned(), "+49 30 4321".to_owned()],
            }],
            missing: vec!["skills".to_owned()],
            reading: "Made from the facts that the home page states about its owner.".to_owned(),
        }],
        not_made: vec![FormatNotMade {
            format: MachineRecordFormat::AgentCard,
            why: "The site publishes no address of an agent.".to_owned(),
        }],
        reading: "Check each file before you publish it.".to_owned(),
        sha256: some(&digest('a')),
        signature: Some(signature()),
    }
}
