//! The evidence graph of a scan: which readings support which findings, scores and decisions.
//!
//! The graph is built from the record and its evidence only. The most important nodes are added
//! first, so that a graph cut at the size limit still connects every decision to an observation.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use contract::evidence::{Evidence, ExchangeOutcome, Reading};
use contract::records::{
    Graph, GraphCounts, GraphEdge, GraphNode, GraphNodeState, GraphNodeType, GraphRelation,
    LedgerState, ScanRecord,
};
use contract::{Issuer, Timestamp};

/// Builds the graph. None for a record that was not stored, since it has no URL.
#[must_use]
pub fn build_graph(record: &ScanRecord, evidence: &Evidence, issuer: &Issuer) -> Option<Graph> {
    let id = record.id.clone()?;
    let mut drawing = GraphBuilder::new(record, &id, issuer);
    drawing.add_subjects(record, evidence);
    drawing.add_observations(evidence);
    drawing.add_grade(record);
    drawing.add_rights(record);
    drawing.add_findings(record);
    drawing.add_checks(record);
    let GraphBuilder { nodes, edges, truncated, .. } = drawing;
    let (nodes, edges, cut) = drop_unsupported_decisions(nodes, edges);
    Some(Graph {
        kind: issuer.kind("graph"),
        v: 1,
        schema: issuer.schema_url("graph"),
        id,
        domain: record.domain.clone(),
        generated_at: record.provenance.stored_at.unwrap_or(record.scanned_at),
        counts: GraphCounts { nodes: count(nodes.len()), edges: count(edges.len()) },
        nodes,
        edges,
        truncated: truncated || cut,
        context: issuer.url(Graph::CONTEXT_PATH),
        sha256: None,
        signature: None,
    })
}

struct GraphBuilder {
    nodes: Vec<GraphNode>,
    node_ids: BTreeSet<String>,
    edges: Vec<GraphEdge>,
    truncated: bool,
    /// The URLs of the record and of its evidence. A JSON pointer follows after `#`.
    record_url: String,
    evidence_url: String,
    scanned_at: Timestamp,
}

impl GraphBuilder {
    fn new(record: &ScanRecord, id: &str, issuer: &Issuer) -> Self {
        Self {
            nodes: Vec::new(),
            node_ids: BTreeSet::new(),
            edges: Vec::new(),
            truncated: false,
            record_url: issuer.url(&format!("/r/{id}.json")),
            evidence_url: issuer.url(&format!("/r/{id}.raw.json")),
            scanned_at: record.scanned_at,
        }
    }

    /// Adds the domain, its host, the observer and the report.
    fn add_subjects(&mut self, record: &ScanRecord, evidence: &Evidence) {
        let observer = &evidence.observer;
        self.add_observed_node(GraphNodeType::Domain, "domain", record.domain.as_str(), "/domain");
        self.add_observed_node(GraphNodeType::Host, "host", &record.scanned_host, "/scanned_host");
        let observer = format!("{} {} at {}", observer.name, observer.version, observer.vantage);
        self.add_observed_node(GraphNodeType::Observer, "observer", &observer, "/provenance");
        self.add_observed_node(GraphNodeType::Report, "report", "the signed record", "");
        self.add_edge("domain", "host", GraphRelation::ServedBy, "/scanned_host");
    }

    fn add_observations(&mut self, evidence: &Evidence) {
        for (at, reading) in evidence.reads.iter().enumerate() {
            let id = observation_node_id(&reading.id);
            let (state, digest) = match &reading.exchange.outcome {
                ExchangeOutcome::Response(response) => {
                    (GraphNodeState::Observed, Some(response.body.sha256.clone()))
                }
                ExchangeOutcome::Failed(_) => (GraphNodeState::NotMeasured, None),
            };
            let added = self.add_node(GraphNode {
                id: id.clone(),
                kind: GraphNodeType::Observation,
                label: reading_label(reading),
                state,
                observed_at: Some(reading.exchange.started_at),
                reference: Some(format!("{}#/reads/{at}", self.evidence_url)),
                digest,
            });
            if added {
                self.add_edge(&id, "observer", GraphRelation::ObservedBy, "/provenance/observer");
            }
        }
    }

    /// Adds the grade and the ledger rows that it is computed from.
    fn add_grade(&mut self, record: &ScanRecord) {
        if let (Some(grade), Some(overall)) = (&record.grade, record.overall) {
            let label = format!("grade: {grade} ({overall} of 100)");
            self.add_observed_node(GraphNodeType::Decision, GRADE_NODE_ID, &label, "/grade");
            self.add_edge("report", GRADE_NODE_ID, GraphRelation::Says, "/grade");
        }
        for (at, row) in record.score_ledger.rows.iter().enumerate() {
            let (id, place) = (rule_node_id(&row.rule), format!("/score_ledger/rows/{at}"));
            let label = match row.points {
                Some(points) => format!("{}: {} ({points} of {})", row.title, row.state, row.of),
                None => format!("{}: {}", row.title, row.state),
            };
            let applied =
                !matches!(row.state, LedgerState::NotApplicable | LedgerState::NotAssessed);
            let state =
                if applied { GraphNodeState::Observed } else { GraphNodeState::NotMeasured };
            self.add_record_node(GraphNodeType::LedgerRow, &id, &label, &place, state);
            self.add_support_edges(&id, &row.evidence, &place);
            if applied {
                self.add_edge(GRADE_NODE_ID, &id, GraphRelation::DerivedFrom, &place);
            }
        }
    }

    /// Adds a decision for each use that a rights signal decides.
    fn add_rights(&mut self, record: &ScanRecord) {
        for (usage, decision) in &record.policy.rights {
            let signal = decision
                .decided_by
                .and_then(|at| record.policy.signals.get(usize::try_from(at).ok()?));
            let Some(signal) = signal.filter(|signal| !signal.evidence.is_empty()) else {
                continue;
            };
            let (id, place) =
                (format!("decision:rights/{usage}"), format!("/policy/rights/{usage}"));
            let label = format!("{usage}: {} by {}", decision.value, signal.mechanism);
            self.add_record_node(
                GraphNodeType::Decision,
                &id,
                &label,
                &place,
                GraphNodeState::Declared,
            );
            self.add_support_edges(&id, &signal.evidence, &place);
        }
    }

    fn add_findings(&mut self, record: &ScanRecord) {
        for (at, finding) in record.findings.iter().enumerate() {
            let (id, place) = (format!("finding:{at}/{}", finding.id), format!("/findings/{at}"));
            let label = format!("{} ({})", finding.title, finding.severity);
            self.add_observed_node(GraphNodeType::Finding, &id, &label, &place);
            self.add_support_edges(&id, &finding.evidence, &place);
            if let Some(rule) = &finding.rule {
                self.add_edge(&id, &rule_node_id(rule), GraphRelation::DerivedFrom, &place);
            }
        }
    }

    fn add_checks(&mut self, record: &ScanRecord) {
        for (at, check) in record.checks.iter().enumerate() {
            let (id, place) = (format!("check:{at}"), format!("/checks/{at}"));
            let state = match &check.reading {
                Some(_) => GraphNodeState::Observed,
                None => GraphNodeState::NotMeasured,
            };
            let label = format!("{} as {}: {}", check.file, check.identity, check.verdict);
            self.add_record_node(GraphNodeType::Check, &id, &label, &place, state);
            self.add_support_edges(&id, check.reading.as_slice(), &place);
        }
    }

    fn add_observed_node(&mut self, kind: GraphNodeType, id: &str, label: &str, place: &str) {
        self.add_record_node(kind, id, label, place, GraphNodeState::Observed);
    }

    fn add_record_node(
        &mut self,
        kind: GraphNodeType,
        id: &str,
        label: &str,
        place: &str,
        state: GraphNodeState,
    ) {
        let reference = if place.is_empty() {
            self.record_url.clone()
        } else {
            format!("{}#{place}", self.record_url)
        };
        self.add_node(GraphNode {
            id: id.to_owned(),
            kind,
            label: label.chars().take(MAX_LABEL_CHARS).collect(),
            state,
            observed_at: Some(self.scanned_at),
            reference: Some(reference),
            digest: None,
        });
    }

    /// Adds an edge from each reading that supports a node.
    fn add_support_edges(&mut self, id: &str, readings: &[String], place: &str) {
        for reading in readings {
            self.add_edge(&observation_node_id(reading), id, GraphRelation::Supports, place);
        }
    }

    fn add_node(&mut self, node: GraphNode) -> bool {
        if self.nodes.len() >= Graph::MAX_NODES {
            self.truncated = true;
            return false;
        }
        // A rule or reading that occurs twice is one node.
        if !self.node_ids.insert(node.id.clone()) {
            return false;
        }
        self.nodes.push(node);
        true
    }

    /// Adds an edge, if both nodes exist.
    fn add_edge(&mut self, from: &str, to: &str, rel: GraphRelation, place: &str) {
        if !self.node_ids.contains(from) || !self.node_ids.contains(to) {
            return;
        }
        if self.edges.len() >= Graph::MAX_EDGES {
            self.truncated = true;
            return;
        }
        self.edges.push(GraphEdge {
            from: from.to_owned(),
            to: to.to_owned(),
            rel,
            at: self.scanned_at,
            evidence: Some(place.to_owned()),
        });
    }
}

const GRADE_NODE_ID: &str = "decision:grade";
const MAX_LABEL_CHARS: usize = 200;

fn observation_node_id(reading: &str) -> String {
    format!("reading:{reading}")
}

fn rule_node_id(rule: &str) -> String {
    format!("rule:{rule}")
}

fn reading_label(reading: &Reading) -> String {
    let outcome = match &reading.exchange.outcome {
        ExchangeOutcome::Response(response) => response.status.to_string(),
        ExchangeOutcome::Failed(failure) => failure.reason.clone(),
    };
    let text = format!("{} as {}: {outcome}", reading.target, reading.identity);
    text.chars().take(MAX_LABEL_CHARS).collect()
}

/// The ids of all nodes that follow from an observation along `supports` and `derived_from` edges.
fn ids_with_evidence(nodes: &[GraphNode], edges: &[GraphEdge]) -> BTreeSet<String> {
    let mut derived: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        match edge.rel {
            GraphRelation::Supports => derived.entry(&edge.from).or_default().push(&edge.to),
            GraphRelation::DerivedFrom => derived.entry(&edge.to).or_default().push(&edge.from),
            _ => {}
        }
    }
    let mut queue: VecDeque<&str> = nodes
        .iter()
        .filter(|node| node.kind == GraphNodeType::Observation)
        .map(|node| node.id.as_str())
        .collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = queue.pop_front() {
        if reached.insert(id.to_owned()) {
            queue.extend(derived.get(id).into_iter().flatten().copied());
        }
    }
    reached
}

/// Removes decisions that no observation supports.
fn drop_unsupported_decisions(
    mut nodes: Vec<GraphNode>,
    mut edges: Vec<GraphEdge>,
) -> (Vec<GraphNode>, Vec<GraphEdge>, bool) {
    let reached = ids_with_evidence(&nodes, &edges);
    let unsupported: BTreeSet<String> = nodes
        .iter()
        .filter(|node| node.kind == GraphNodeType::Decision && !reached.contains(&node.id))
        .map(|node| node.id.clone())
        .collect();
    nodes.retain(|node| !unsupported.contains(&node.id));
    edges.retain(|edge| !unsupported.contains(&edge.from) && !unsupported.contains(&edge.to));
    (nodes, edges, !unsupported.is_empty())
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
