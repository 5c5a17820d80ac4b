//! How the statements of a scan follow from its observations, as a graph (`/api/graph/{id}`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// Nodes and edges of one scan. From every decision a path of `supports` and `derived_from` edges
/// leads to an observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Graph {
    /// `{brand}-graph`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// The record's id.
    pub id: String,
    pub domain: Domain,
    /// When the underlying record was created; records do not change.
    pub generated_at: Timestamp,
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    pub counts: GraphCounts,
    /// True when nodes or edges were left out because of the limits. Every edge shown still has
    /// both its nodes.
    pub truncated: bool,
    /// The address of the JSON-LD context that defines types and relations.
    pub context: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

impl Graph {
    pub const MAX_NODES: usize = 500;
    pub const MAX_EDGES: usize = 2_000;
    /// The path of the context, below the base address.
    pub const CONTEXT_PATH: &str = "/spec/graph-context.jsonld";
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraphNode {
    /// Unique in this graph, and the same every time the graph is built.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: GraphNodeType,
    /// Written by this service, not by the site.
    pub label: String,
    pub state: GraphNodeState,
    #[schema(required)]
    pub observed_at: Option<Timestamp>,
    /// The address of the content, with a JSON pointer as fragment; null when there is none.
    #[serde(rename = "ref")]
    #[schema(required)]
    pub reference: Option<String>,
    /// SHA-256 of the underlying bytes, if there are any.
    #[schema(required)]
    pub digest: Option<String>,
}

open_enum! {
    /// What a node represents.
    pub enum GraphNodeType {
        Domain = "domain",
        Host = "host",
        Page = "page",
        PolicyFile = "policy_file",
        Capability = "capability",
        Organization = "organization",
        Claim = "claim",
        Observation = "observation",
        Observer = "observer",
        Check = "check",
        LedgerRow = "ledger_row",
        Finding = "finding",
        Decision = "decision",
        Build = "build",
        Report = "report",
    }
}

open_enum! {
    /// Where a node's content comes from.
    pub enum GraphNodeState {
        Declared = "declared",
        Observed = "observed",
        NotMeasured = "not_measured",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraphEdge {
    pub from: String,
    pub to: String,
    pub rel: GraphRelation,
    pub at: Timestamp,
    /// A JSON pointer to the part of the record that supports the edge.
    #[schema(required)]
    pub evidence: Option<String>,
}

open_enum! {
    /// How one node relates to another.
    pub enum GraphRelation {
        ServedBy = "served_by",
        Declares = "declares",
        ObservedBy = "observed_by",
        Used = "used",
        Generated = "generated",
        DerivedFrom = "derived_from",
        Says = "says",
        Contradicts = "contradicts",
        Supports = "supports",
        Decides = "decides",
        SignedBy = "signed_by",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraphCounts {
    pub nodes: u32,
    pub edges: u32,
}
