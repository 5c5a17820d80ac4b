//! The way from what was read to what was said of it, as a graph (`/api/graph/{id}`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Signature;
use crate::{Domain, Timestamp, open_enum};

/// Nodes and edges of one scan. Every decision leads back to an observation, over `supports` and
/// `derived_from` alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Graph {
    /// `{brand}-graph`.
    pub kind: String,
    pub v: u32,
    pub schema: String,
    /// The record's id.
    pub id: String,
    pub domain: Domain,
    /// When the record was made that this is drawn from; a record does not change.
    pub generated_at: Timestamp,
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    pub counts: GraphCounts,
    /// True when there was more than a graph takes; what is shown still holds together.
    pub truncated: bool,
    /// The address of the JSON-LD context that gives types and relations their meaning.
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
    /// Where the context is served, below the base address.
    pub const CONTEXT_PATH: &str = "/spec/graph-context.jsonld";
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraphNode {
    /// Unique in this graph, and the same whenever it is drawn.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: GraphNodeType,
    /// In our words.
    pub label: String,
    pub state: GraphNodeState,
    #[schema(required)]
    pub observed_at: Option<Timestamp>,
    /// Where it stands: an address, with a JSON pointer as its fragment; null for what has none.
    #[serde(rename = "ref")]
    #[schema(required)]
    pub reference: Option<String>,
    /// SHA-256 of the bytes behind it, where there are some.
    #[schema(required)]
    pub digest: Option<String>,
}

open_enum! {
    /// What a node stands for.
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
    /// A JSON pointer into the record that says so.
    #[schema(required)]
    pub evidence: Option<String>,
}

open_enum! {
    /// How one node stands to another.
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
