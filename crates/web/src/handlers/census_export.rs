//! `GET /api/v1/census/export`: a whole census as a file, for holders of a licence.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use contract::errors::{ErrorCode, ErrorV1};
use http::{
    Uri,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE},
};
use service::{Service, scanning::census::CensusFileFormat};

use super::census::{parse_run, to_api_error};
use crate::{
    principal::CountedPrincipal,
    rate_limits::{FeedLimiter, GatedReadLimit},
    request::query_parameters,
    response::{ApiError, CSV, JSON_LINES, PRIVATE_NO_STORE},
};

const PARAMETERS: [&str; 2] = ["run", "format"];

/// Download a census
///
/// All records of a run in one file, for holders of a licence: as JSON lines, whose last line is signed and
/// has the digest of all others, or as CSV. The records are those of `/api/census/records`. A file that
/// breaks off ends without the last chunk of HTTP, and JSON lines without the signed line.
///
/// Send a licence key in `x-svc-key` or as a bearer token. Without a valid one there is no such address
/// (404).
#[utoipa::path(
    get,
    path = "/api/v1/census/export",
    operation_id = "getCensusExport",
    tag = "resolve",
    params(
        ("run" = Option<String>, Query, description = "The number of a run, or `latest`."),
        ("format" = Option<String>, Query, description = "`ndjson` (the default) or `csv`."),
    ),
    responses(
        (status = 200, description = "The file.", content(
            (String = "application/jsonl"),
            (String = "text/csv"),
        )),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 403, description = "The plan of the licence has no census files: `forbidden`.",
            body = ErrorV1),
        (status = 404, description = "No valid licence key, or no such run: `not_found`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_census_export(
    State(service): State<Arc<Service>>,
    GatedReadLimit(holder): GatedReadLimit,
    _: CountedPrincipal,
    limiter: FeedLimiter,
    uri: Uri,
) -> Result<Response, ApiError> {
    if !service.access.plan_of(&holder.licence).has_census_export {
        let sentence = "The plan of this licence has no census files.";
        return Err(ApiError::new(ErrorCode::Forbidden, sentence));
    }
    limiter.acquire()?;
    let parameters = query_parameters(&uri, &PARAMETERS)?;
    let run = parse_run(&parameters)?;
    let (format, media_type, ending) = match parameters.get("format").map(String::as_str) {
        None | Some("ndjson") => (CensusFileFormat::Lines, JSON_LINES, "ndjson"),
        Some("csv") => (CensusFileFormat::Csv, CSV, "csv"),
        Some(_) => {
            return Err(ApiError::bad_request("`format` must be ndjson or csv.").param("format"));
        }
    };
    let file = service.census.census_file(run, format).await.map_err(to_api_error)?;
    let name = format!("attachment; filename=\"census-{}.{ending}\"", file.run);
    let headers = [
        (CONTENT_TYPE, media_type.to_owned()),
        (CONTENT_DISPOSITION, name),
        (CACHE_CONTROL, PRIVATE_NO_STORE.to_owned()),
    ];
    Ok((headers, Body::from_stream(file.parts)).into_response())
}
