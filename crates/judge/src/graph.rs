//! The graph of a scan: from every reading to what was made of it.
//!
//! Drawn from the record and its evidence alone, so that it says nothing they do not. Nodes go in
//! by their weight: what was observed and what decisions rest on comes first, so that a graph that
//! has to be cut still leads from every decision back to an observation.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use contract::evidence::{Evidence, Outcome, Reading};
use contract::records::{
    Graph, GraphCounts, GraphEdge, GraphNode, GraphNodeState, GraphNodeType, GraphRelation,
    LedgerState, ScanRecord,
};
use contract::{Brand, Timestamp};

/// Draws the graph. Nothing for a record that was not kept: it has no address to be asked for.
#[must_use]
pub fn graph(
    record: &ScanRecord,
    evidence: &Evidence,
    brand: &Brand,
    base_url: &str,
) -> Option<Graph> {
    let id = record.id.clone()?;
    let mut drawing = Drawing::new(record, &id, base_url);
    drawing.places(record, evidence);
    drawing.observations(evidence);
    drawing.grade(record);
    drawing.rights(record);
    drawing.findings(record);
    drawing.checks(record);
    let Drawing { nodes, edges, truncated, .. } = drawing;
    let (nodes, edges, cut) = without_baseless_decisions(nodes, edges);
    Some(Graph {
        kind: brand.kind("graph"),
        v: 1,
        schema: contract::schema::address("graph", brand, base_url),
        id,
        domain: record.domain.clone(),
        generated_at: record.provenance.stored_at.unwrap_or(record.scanned_at),
        counts: GraphCounts { nodes: count(nodes.len()), edges: count(edges.len()) },
        nodes,
        edges,
        truncated: truncated || cut,
        context: format!("{base_url}{}", Graph::CONTEXT_PATH),
        sha256: None,
        signature: None,
    })
}

struct Drawing {
    nodes: Vec<GraphNode>,
    ids: BTreeSet<String>,
    edges: Vec<GraphEdge>,
    truncated: bool,
    /// Addresses of the record and of its evidence; a pointer goes behind the `#`.
    record_at: String,
    evidence_at: String,
    at: Timestamp,
}

impl Drawing {
    fn new(record: &ScanRecord, id: &str, base_url: &str) -> Self {
        Self {
            nodes: Vec::new(),
            ids: BTreeSet::new(),
            edges: Vec::new(),
            truncated: false,
            record_at: format!("{base_url}/r/{id}.json"),
            evidence_at: format!("{base_url}/r/{id}.raw.json"),
            at: record.scanned_at,
        }
    }

    /// The domain, where it answered, who looked, and the report.
    fn places(&mut self, record: &ScanRecord, evidence: &Evidence) {
        let observer = &evidence.observer;
        self.plain(GraphNodeType::Domain, "domain", record.domain.as_str(), "/domain");
        self.plain(GraphNodeType::Host, "host", &record.scanned_host, "/scanned_host");
        let observer = format!("{} {} at {}", observer.name, observer.version, observer.vantage);
        self.plain(GraphNodeType::Observer, "observer", &observer, "/provenance");
        self.plain(GraphNodeType::Report, "report", "the signed record", "");
        self.edge("domain", "host", GraphRelation::ServedBy, "/scanned_host");
    }

    fn observations(&mut self, evidence: &Evidence) {
        for (at, reading) in evidence.reads.iter().enumerate() {
            let id = observation(&reading.id);
            let (state, digest) = match &reading.exchange.outcome {
                Outcome::Response(response) => {
                    (GraphNodeState::Observed, Some(response.body.sha256.clone()))
                }
                Outcome::Failed(_) => (GraphNodeState::NotMeasured, None),
            };
            let added = self.node(GraphNode {
                id: id.clone(),
                kind: GraphNodeType::Observation,
                label: label(reading),
                state,
                observed_at: Some(reading.exchange.started_at),
                reference: Some(format!("{}#/reads/{at}", self.evidence_at)),
                digest,
            });
            if added {
                self.edge(&id, "observer", GraphRelation::ObservedBy, "/provenance/observer");
            }
        }
    }

    /// The grade and the rows of the ledger it is the sum of.
    fn grade(&mut self, record: &ScanRecord) {
        if let (Some(grade), Some(overall)) = (&record.grade, record.overall) {
            let label = format!("grade: {grade} ({overall} of 100)");
            self.plain(GraphNodeType::Decision, GRADE, &label, "/grade");
            self.edge("report", GRADE, GraphRelation::Says, "/grade");
        }
        for (at, row) in record.score_ledger.rows.iter().enumerate() {
            let (id, place) = (ledger_row(&row.rule), format!("/score_ledger/rows/{at}"));
            let label = match row.points {
                Some(points) => format!("{}: {} ({points} of {})", row.title, row.state, row.of),
                None => format!("{}: {}", row.title, row.state),
            };
            let applied =
                !matches!(row.state, LedgerState::NotApplicable | LedgerState::NotAssessed);
            let state =
                if applied { GraphNodeState::Observed } else { GraphNodeState::NotMeasured };
            self.stated(GraphNodeType::LedgerRow, &id, &label, &place, state);
            self.supported(&id, &row.evidence, &place);
            if applied {
                self.edge(GRADE, &id, GraphRelation::DerivedFrom, &place);
            }
        }
    }

    /// What the site's signals come to, for each use that one of them decides.
    fn rights(&mut self, record: &ScanRecord) {
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
            self.stated(GraphNodeType::Decision, &id, &label, &place, GraphNodeState::Declared);
            self.supported(&id, &signal.evidence, &place);
        }
    }

    fn findings(&mut self, record: &ScanRecord) {
        for (at, finding) in record.findings.iter().enumerate() {
            let (id, place) = (format!("finding:{at}/{}", finding.id), format!("/findings/{at}"));
            let label = format!("{} ({})", finding.title, finding.severity);
            self.plain(GraphNodeType::Finding, &id, &label, &place);
            self.supported(&id, &finding.evidence, &place);
            if let Some(rule) = &finding.rule {
                self.edge(&id, &ledger_row(rule), GraphRelation::DerivedFrom, &place);
            }
        }
    }

    fn checks(&mut self, record: &ScanRecord) {
        for (at, check) in record.checks.iter().enumerate() {
            let (id, place) = (format!("check:{at}"), format!("/checks/{at}"));
            let state = match &check.reading {
                Some(_) => GraphNodeState::Observed,
                None => GraphNodeState::NotMeasured,
            };
            let label = format!("{} as {}: {}", check.file, check.identity, check.verdict);
            self.stated(GraphNodeType::Check, &id, &label, &place, state);
            self.supported(&id, check.reading.as_slice(), &place);
        }
    }

    fn plain(&mut self, kind: GraphNodeType, id: &str, label: &str, place: &str) {
        self.stated(kind, id, label, place, GraphNodeState::Observed);
    }

    fn stated(
        &mut self,
        kind: GraphNodeType,
        id: &str,
        label: &str,
        place: &str,
        state: GraphNodeState,
    ) {
        let reference = if place.is_empty() {
            self.record_at.clone()
        } else {
            format!("{}#{place}", self.record_at)
        };
        self.node(GraphNode {
            id: id.to_owned(),
            kind,
            label: label.chars().take(LONGEST_LABEL).collect(),
            state,
            observed_at: Some(self.at),
            reference: Some(reference),
            digest: None,
        });
    }

    /// The readings that a statement names, as what it rests on.
    fn supported(&mut self, id: &str, readings: &[String], place: &str) {
        for reading in readings {
            self.edge(&observation(reading), id, GraphRelation::Supports, place);
        }
    }

    fn node(&mut self, node: GraphNode) -> bool {
        if self.nodes.len() >= Graph::MAX_NODES {
            self.truncated = true;
            return false;
        }
        // A rule or reading that is named twice is one node.
        if !self.ids.insert(node.id.clone()) {
            return false;
        }
        self.nodes.push(node);
        true
    }

    /// Only between nodes that are there.
    fn edge(&mut self, from: &str, to: &str, rel: GraphRelation, place: &str) {
        if !self.ids.contains(from) || !self.ids.contains(to) {
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
            at: self.at,
            evidence: Some(place.to_owned()),
        });
    }
}

const GRADE: &str = "decision:grade";
const LONGEST_LABEL: usize = 200;

fn observation(reading: &str) -> String {
    format!("reading:{reading}")
}

fn ledger_row(rule: &str) -> String {
    format!("rule:{rule}")
}

fn label(reading: &Reading) -> String {
    let became = match &reading.exchange.outcome {
        Outcome::Response(response) => response.status.to_string(),
        Outcome::Failed(failure) => failure.reason.clone(),
    };
    let text = format!("{} as {}: {became}", reading.target, reading.identity);
    text.chars().take(LONGEST_LABEL).collect()
}

/// The ids of everything that leads back to an observation: over `supports` from the one that
/// supports, over `derived_from` from what it was derived from.
fn grounded(nodes: &[GraphNode], edges: &[GraphEdge]) -> BTreeSet<String> {
    let mut onwards: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        match edge.rel {
            GraphRelation::Supports => onwards.entry(&edge.from).or_default().push(&edge.to),
            GraphRelation::DerivedFrom => onwards.entry(&edge.to).or_default().push(&edge.from),
            _ => {}
        }
    }
    let mut waiting: VecDeque<&str> = nodes
        .iter()
        .filter(|node| node.kind == GraphNodeType::Observation)
        .map(|node| node.id.as_str())
        .collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = waiting.pop_front() {
        if reached.insert(id.to_owned()) {
            waiting.extend(onwards.get(id).into_iter().flatten().copied());
        }
    }
    reached
}

/// A decision that rests on nothing we can show is not shown as one.
fn without_baseless_decisions(
    mut nodes: Vec<GraphNode>,
    mut edges: Vec<GraphEdge>,
) -> (Vec<GraphNode>, Vec<GraphEdge>, bool) {
    let reached = grounded(&nodes, &edges);
    let baseless: BTreeSet<String> = nodes
        .iter()
        .filter(|node| node.kind == GraphNodeType::Decision && !reached.contains(&node.id))
        .map(|node| node.id.clone())
        .collect();
    nodes.retain(|node| !baseless.contains(&node.id));
    edges.retain(|edge| !baseless.contains(&edge.from) && !baseless.contains(&edge.to));
    (nodes, edges, !baseless.is_empty())
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
