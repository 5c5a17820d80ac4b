//! `GET /api/graph/{id}`: how a report's findings and decisions follow from its observations.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::ErrorV1,
    records::{Graph, GraphNodeType, GraphRelation},
};
use http::{HeaderMap, Uri};
use serde_json::{Map, Value, json};
use service::Service;

use super::{
    error_mapping,
    report_access::{ReportLoader, add_noindex, cache_control_for},
};
use crate::{
    rate_limits::ReadLimit,
    request::{PathParameter, query_parameters},
    response::{ApiError, CACHE_ONE_HOUR, HttpDocument, JSON},
    state::ServiceInfo,
};

/// Read a report's graph
///
/// The observations, checks, rules, findings and decisions of one scan, and how each follows from the
/// others. From every decision, `supports` and `derived_from` edges lead back to an observation. At most
/// 500 nodes and 2000 edges. The graph of a private report needs a licence key for its domain, as the
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
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 410, description = "The operator deleted it: `report_deleted`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `cannot_answer`, `signing_unavailable`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn get_graph(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    reports: ReportLoader,
    PathParameter(id): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let report = reports.load(&id).await?;
    let visibility = report.visibility;
    let graph = service
        .scanning
        .report_graph(report)
        .await
        .map_err(error_mapping::stored_report_to_api_error)?;
    // The ETag is the digest of the signed content, which stays the same when it is signed anew.
    let document = HttpDocument::with_etag_and_digest(
        graph.bytes.clone(),
        &graph.bytes_sha256,
        &graph.content_sha256,
        JSON,
        cache_control_for(visibility),
    );
    Ok(add_noindex(document.reply(&headers), visibility))
}

/// The JSON-LD context: maps the graph's types and relations to PROV.
#[utoipa::path(
    get,
    path = "/spec/graph-context.jsonld",
    operation_id = "graphContext",
    tag = "contract",
    description = "Maps the types and relations of graphs to W3C PROV terms.",
    summary = "Read the graph's JSON-LD context",
    responses((status = 200, description = "The context.",
        content_type = "application/ld+json", body = Object))
)]
pub(crate) async fn graph_context(
    State(service_info): State<Arc<ServiceInfo>>,
    headers: HeaderMap,
) -> Response {
    service_info.graph_context.reply(&headers)
}

/// The context, built once at the start.
pub(crate) fn build_graph_context() -> HttpDocument {
    HttpDocument::constant(
        graph_context_document().to_string(),
        "application/ld+json",
        CACHE_ONE_HOUR,
    )
}

fn graph_context_document() -> Value {
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
