//! Examples of a scan's graph and manifest.

use contract::records::{
    Graph, GraphCounts, GraphEdge, GraphNode, GraphNodeState, GraphNodeType, GraphRelation,
    ScanManifest,
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
