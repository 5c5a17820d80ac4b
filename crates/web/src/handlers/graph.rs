//! `GET /api/graph/{id}`: how a report's statements rest on its readings.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::ErrorV1,
    records::{Graph, GraphNodeType, GraphRelation},
};
use http::{HeaderMap, Uri};
use serde_json::{Map, Value, json};
use service::Service;

use super::report;
use crate::{
    address::{self, PathText},
    documents::{Document, FOR_AN_HOUR, JSON},
    errors::ApiError,
    state::Site,
};

/// Read a report's graph
///
/// Observations, checks, rules, findings and decisions of one scan, and how each follows from the
/// others. Every decision leads back to an observation over `supports` and `derived_from`.
/// At most 500 nodes and 2000 edges. A private report's graph needs a key for its domain, as the
/// report does.
#[utoipa::path(
    get,
    path = "/api/graph/{id}",
    operation_id = "getGraph",
    tag = "scans",
    params(("id" = String, Path, description = "The record's id.")),
    responses(
        (status = 200, description = "The signed graph.", body = Graph,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `cannot_answer`, `signing_unavailable`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn get_graph(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
    PathText(id): PathText,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    let kept = report::kept(&service, &site, &id, &headers).await?;
    let visibility = kept.visibility;
    let graph = service.report_graph(kept).await.map_err(report::failed)?;
    // The signature is made anew each time; what is signed stays, and so does its name.
    let document = Document::named(graph.bytes, &graph.digest, JSON, report::cache_of(visibility));
    Ok(report::kept_from_robots(document.reply(&headers), visibility))
}

/// What types and relations of the graph mean, in the words of PROV.
#[utoipa::path(
    get,
    path = "/spec/graph-context.jsonld",
    operation_id = "graphContext",
    tag = "contract",
    description = "The JSON-LD context of graphs.",
    summary = "Read the graph's JSON-LD context",
    responses((status = 200, description = "The context.",
        content_type = "application/ld+json", body = String))
)]
pub(crate) async fn graph_context(headers: HeaderMap) -> Response {
    const JSON_LD: &str = "application/ld+json";
    Document::new(context().to_string(), JSON_LD, FOR_AN_HOUR).reply(&headers)
}

fn context() -> Value {
    let mut members = Map::new();
    members.insert("prov".to_owned(), json!("http://www.w3.org/ns/prov#"));
    for (name, term) in [
        ("id", "@id"),
        ("type", "@type"),
        ("observed_at", "prov:generatedAtTime"),
        ("ref", "prov:atLocation"),
    ] {
        members.insert(name.to_owned(), json!(term));
    }
    for word in GraphNodeType::WORDS {
        let class = match *word {
            "observation" => "prov:Activity",
            "observer" | "build" => "prov:Agent",
            _ => "prov:Entity",
        };
        members.insert((*word).to_owned(), json!(class));
    }
    for word in GraphRelation::WORDS {
        let relation = match *word {
            "used" => "prov:used",
            "generated" => "prov:generated",
            "derived_from" => "prov:wasDerivedFrom",
            "observed_by" => "prov:wasAssociatedWith",
            "signed_by" => "prov:wasAttributedTo",
            _ => "prov:wasInfluencedBy",
        };
        members.insert((*word).to_owned(), json!(relation));
    }
    json!({ "@context": members })
}
