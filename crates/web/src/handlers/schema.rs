//! `GET /api/v1/schema`: the JSON Schema of every kind of record.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    Brand,
    errors::ErrorV1,
    schema::{self, KINDS, schema_for},
};
use http::{HeaderMap, Uri};
use serde_json::{Value, json};

use crate::{
    request::{PathParameter, query_parameters},
    response::{ApiError, CACHE_ONE_HOUR, HttpDocument, JSON},
    state::ServiceInfo,
};

const SCHEMA_JSON: &str = "application/schema+json";
/// The kind that is returned without a parameter.
const DEFAULT_KIND: &str = "report";

/// Read a JSON Schema
///
/// Without a parameter: the JSON Schema (2020-12) of PublicReportV1. With `kind`: the schema of another
/// record, such as `svc-scan`. With `list=1`: the list of all kinds and their addresses.
#[utoipa::path(
    get,
    path = "/api/v1/schema",
    operation_id = "getSchema",
    tag = "contract",
    params(
        ("kind" = Option<String>, Query, description = "The kind of record, including the brand.",
            example = "svc-scan"),
        ("list" = Option<String>, Query, description = "`1` for the list of kinds.",
            example = "1"),
    ),
    responses(
        (status = 200, description = "The schema.", body = Object,
            content_type = "application/schema+json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such kind: `not_found`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_schema(
    State(service_info): State<Arc<ServiceInfo>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["kind", "list"])?;
    let document = match (parameters.get("kind"), parameters.get("list")) {
        (Some(_), Some(_)) => {
            return Err(ApiError::bad_request("Use either `kind` or `list`, not both."));
        }
        (None, Some(list)) if list == "1" => HttpDocument::new(
            schema_index(&service_info.issuer.brand, &service_info.issuer.base_url).to_string(),
            JSON,
            CACHE_ONE_HOUR,
        ),
        (None, Some(_)) => {
            return Err(ApiError::bad_request("`list` must be 1.").param("list"));
        }
        (kind, None) => {
            let kind =
                kind.cloned().unwrap_or_else(|| service_info.issuer.brand.kind(DEFAULT_KIND));
            schema_document(&kind, &service_info)?
        }
    };
    Ok(document.reply(&headers))
}

/// Read a JSON Schema by path
///
/// The same as `/api/v1/schema?kind={kind}`.
#[utoipa::path(
    get,
    path = "/api/v1/schema/{kind}",
    operation_id = "getSchemaByKind",
    tag = "contract",
    params(("kind" = String, Path, description = "The kind of record, including the brand.",
        example = "svc-scan")),
    responses(
        (status = 200, description = "The schema.", body = Object,
            content_type = "application/schema+json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such kind: `not_found`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_schema_by_kind(
    State(service_info): State<Arc<ServiceInfo>>,
    PathParameter(kind): PathParameter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    Ok(schema_document(&kind, &service_info)?.reply(&headers))
}

fn schema_document(kind: &str, service_info: &ServiceInfo) -> Result<HttpDocument, ApiError> {
    let word = kind
        .strip_prefix(service_info.issuer.brand.as_str())
        .and_then(|rest| rest.strip_prefix('-'));
    let schema = word.and_then(|word| {
        schema_for(word, &service_info.issuer.brand, &service_info.issuer.base_url)
    });
    let schema = schema.ok_or_else(|| {
        let sentence = "There is no record of this kind. /api/v1/schema?list=1 lists all kinds.";
        ApiError::new(contract::errors::ErrorCode::NotFound, sentence).param("kind")
    })?;
    Ok(HttpDocument::new(schema.to_string(), SCHEMA_JSON, CACHE_ONE_HOUR))
}

/// The list of all kinds, each with its address and the digest of its schema.
fn schema_index(brand: &Brand, base_url: &str) -> Value {
    let schemas: Vec<Value> = KINDS
        .iter()
        .filter_map(|kind| {
            let schema = schema_for(kind.word, brand, base_url)?;
            Some(json!({
                "kind": brand.kind(kind.word),
                "v": 1,
                "title": kind.title,
                "section": kind.section,
                "address": schema::schema_url(kind.word, brand, base_url),
                "schema_sha256": proof::sha256(schema.to_string().as_bytes()).to_hex(),
            }))
        })
        .collect();
    json!({ "kind": brand.kind("schema-index"), "v": 1, "schemas": schemas })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_listed_and_is_a_schema() {
        let brand = Brand::default();
        let index = schema_index(&brand, "https://svc.example");
        let schemas = index["schemas"].as_array().unwrap();
        assert_eq!(schemas.len(), KINDS.len());
        for entry in schemas {
            let word = entry["kind"].as_str().unwrap().strip_prefix("svc-").unwrap();
            let schema = schema_for(word, &brand, "https://svc.example").unwrap();
            assert_eq!(schema["$id"], entry["address"]);
            jsonschema::draft202012::meta::validate(&schema).unwrap();
            jsonschema::draft202012::new(&schema).unwrap();
        }
        assert!(
            schemas.iter().any(|entry| entry["address"] == "https://svc.example/api/v1/schema")
        );
    }
}
