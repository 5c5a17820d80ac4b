//! `GET /api/v1/schema`: the JSON Schema of every kind of record.

use std::{collections::BTreeMap, sync::Arc};

use axum::{extract::State, response::Response};
use contract::{
    Issuer,
    errors::{ErrorCode, ErrorV1},
    records::{SchemaIndex, SchemaIndexEntry},
    schema::{self, KINDS, schema_for},
};
use http::{HeaderMap, Uri};

use crate::{
    rate_limits::ReadLimit,
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
        (status = 200, description = "The schema, or the list of kinds.", content(
            (Object = "application/schema+json"),
            (SchemaIndex = "application/json"),
        )),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such kind: `not_found`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_schema(
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["kind", "list"])?;
    let schemas = &service_info.schemas;
    let document = match (parameters.get("kind"), parameters.get("list").map(String::as_str)) {
        (Some(_), Some(_)) => {
            return Err(ApiError::bad_request("Use either `kind` or `list`, not both."));
        }
        (None, Some("1")) => &schemas.index,
        (None, Some(_)) => {
            return Err(ApiError::bad_request("`list` must be 1.").param("list"));
        }
        (None, None) => schemas.find(&service_info.issuer.brand.kind(DEFAULT_KIND))?,
        (Some(kind), None) => schemas.find(kind)?,
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
    _: ReadLimit,
    PathParameter(kind): PathParameter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    Ok(service_info.schemas.find(&kind)?.reply(&headers))
}

/// Every schema and their list, built once at the start: they depend only on the issuer.
#[derive(Debug)]
pub(crate) struct SchemaDocuments {
    /// By kind, including the brand.
    by_kind: BTreeMap<String, HttpDocument>,
    index: HttpDocument,
}

impl SchemaDocuments {
    pub(crate) fn new(Issuer { brand, base_url }: &Issuer) -> Self {
        let (mut by_kind, mut listed) = (BTreeMap::new(), Vec::new());
        for kind in KINDS {
            let Some(schema) = schema_for(kind.word, brand, base_url) else { continue };
            let text = schema.to_string();
            listed.push(SchemaIndexEntry {
                kind: brand.kind(kind.word),
                v: 1,
                title: kind.title.to_owned(),
                section: kind.section.to_owned(),
                address: schema::schema_url(kind.word, brand, base_url),
                schema_sha256: proof::sha256(text.as_bytes()).to_hex(),
            });
            let document = HttpDocument::new(text, SCHEMA_JSON, CACHE_ONE_HOUR);
            by_kind.insert(brand.kind(kind.word), document);
        }
        let index = SchemaIndex { kind: brand.kind("schema-index"), v: 1, schemas: listed };
        // Only texts and numbers: serializing cannot fail.
        let index = serde_json::to_string(&index).unwrap_or_default();
        Self { by_kind, index: HttpDocument::new(index, JSON, CACHE_ONE_HOUR) }
    }

    fn find(&self, kind: &str) -> Result<&HttpDocument, ApiError> {
        self.by_kind.get(kind).ok_or_else(|| {
            let sentence =
                "There is no record of this kind. /api/v1/schema?list=1 lists all kinds.";
            ApiError::new(ErrorCode::NotFound, sentence).param("kind")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Brand;
    use http_body_util::BodyExt;
    use serde_json::Value;

    async fn body(document: &HttpDocument) -> Value {
        let body = document.reply(&HeaderMap::new()).into_body();
        serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap()
    }

    #[tokio::test]
    async fn every_kind_is_listed_and_is_a_schema() {
        let issuer = Issuer::new(Brand::default(), "https://svc.example");
        let schemas = SchemaDocuments::new(&issuer);
        let index = body(&schemas.index).await;
        let listed = index["schemas"].as_array().unwrap();
        assert_eq!(listed.len(), KINDS.len());
        for entry in listed {
            let schema = body(schemas.find(entry["kind"].as_str().unwrap()).unwrap()).await;
            assert_eq!(schema["$id"], entry["address"]);
            jsonschema::draft202012::meta::validate(&schema).unwrap();
            jsonschema::draft202012::new(&schema).unwrap();
        }
        assert!(listed.iter().any(|entry| entry["address"] == "https://svc.example/api/v1/schema"));
        assert_eq!(schemas.find("scan").unwrap_err().status(), 404);
    }
}
