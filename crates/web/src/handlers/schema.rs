//! `GET /api/v1/schema`: the JSON Schema of every kind of record.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, records::SchemaIndex};
use http::{HeaderMap, Uri};

use crate::{
    rate_limits::ReadLimit,
    request::{PathParameter, query_parameters},
    response::ApiError,
    state::ServiceInfo,
};

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
        (None, Some("1")) => schemas.index(),
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
