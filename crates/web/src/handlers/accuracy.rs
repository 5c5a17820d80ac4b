//! `GET /api/v1/accuracy`: what an AI engine says about a business, compared with what the business publishes.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    Day,
    errors::{ErrorCode, ErrorV1},
    limits::ACCURACY_DAYS_MAX,
    records::{AccuracyHistory, AccuracyRecord},
};
use http::{HeaderMap, Uri};
use service::{AccuracyError, AccuracyQuery, Service, StoreError};

use super::error_mapping::{self, bad_domain_error};
use crate::{
    rate_limits::ReadLimit,
    request::{
        QueryParameters,
        parameters::{count_parameter, required},
        query_parameters,
    },
    response::{ApiError, CACHE_FIVE_MINUTES, HttpDocument, JSON},
};

const MAX_ENGINE_BYTES: usize = 40;

/// Read what an AI engine says about a business
///
/// For a domain whose owner has proven control: telephone, address, website and opening hours as an AI engine
/// stated them today, next to what the site publishes, with a verdict on each (`correct`, `wrong`, `recorded`).
/// Measured once a day and engine, signed and part of the daily seal. Without `engine` it is the newest record of
/// any engine. With `days` the response is a list of the verdicts of so many days (`svc-ai-accuracy-history`).
#[utoipa::path(
    get,
    path = "/api/v1/accuracy",
    operation_id = "getAccuracy",
    tag = "domains",
    params(
        ("domain" = String, Query, description = "The domain.", example = "example.com"),
        ("engine" = Option<String>, Query, description = "The name of an engine.", example = "engine-1"),
        ("day" = Option<String>, Query, description = "The record of this UTC day, such as 2026-11-15."),
        ("days" = Option<u32>, Query, description = "The verdicts of so many days."),
    ),
    responses(
        (status = 200, description = "The signed record, or the signed list of verdicts.",
            body = AccuracyAnswer, content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "Nobody has proven control of the domain, or it was not measured: \
            `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_accuracy(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain", "engine", "day", "days"])?;
    let domain = service
        .parse_domain(required(parameters.get("domain"), "domain")?)
        .map_err(bad_domain_error)?;
    let engine = engine_parameter(&parameters)?;
    let day = day_parameter(&parameters)?;
    let (bytes, digest) = match days_parameter(&parameters)? {
        Some(_) if day.is_some() => {
            let sentence = "Send `day` for one record or `days` for a list, not both.";
            return Err(ApiError::bad_request(sentence).param("days"));
        }
        Some(days) => {
            let history = service.accuracy.history(&domain, engine, days).await;
            let history = history.map_err(to_api_error)?;
            (history.bytes.into(), history.digest)
        }
        None => {
            let query = AccuracyQuery { engine, day };
            service.accuracy.record(&domain, &query).await.map_err(to_api_error)?
        }
    };
    Ok(HttpDocument::with_etag(bytes, &digest, JSON, CACHE_FIVE_MINUTES).reply(&headers))
}

/// One of both.
#[derive(utoipa::ToSchema, serde::Serialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the response in the OpenAPI document")]
pub(crate) enum AccuracyAnswer {
    Record(Box<AccuracyRecord>),
    History(Box<AccuracyHistory>),
}

fn engine_parameter(parameters: &QueryParameters) -> Result<Option<String>, ApiError> {
    let Some(engine) = parameters.get("engine") else { return Ok(None) };
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_name = engine.len() <= MAX_ENGINE_BYTES
        && engine.bytes().next().is_some_and(is_letter)
        && engine.bytes().all(|byte| is_letter(byte) || b"._-".contains(&byte));
    if !is_name {
        let sentence =
            "`engine` must be the name of an engine: at most 40 of a-z, 0-9, `.`, `_` and `-`.";
        return Err(ApiError::bad_request(sentence).param("engine"));
    }
    Ok(Some(engine.clone()))
}

fn day_parameter(parameters: &QueryParameters) -> Result<Option<Day>, ApiError> {
    let sentence = "`day` must be a UTC day such as 2026-11-15.";
    let read =
        |text: &String| text.parse().map_err(|_| ApiError::bad_request(sentence).param("day"));
    parameters.get("day").map(read).transpose()
}

pub(crate) fn to_api_error(error: AccuracyError) -> ApiError {
    match error {
        AccuracyError::NotMeasured => ApiError::new(
            ErrorCode::NotFound,
            "Nothing was measured about this domain. It is measured once its owner has proven control of it: see \
             /registry/{domain}/claim.",
        ),
        AccuracyError::Store(StoreError::Damaged { .. }) => error_mapping::store_damaged(),
        AccuracyError::Store(error) => {
            tracing::error!(%error, "an accuracy record could not be read");
            error_mapping::store_unreadable()
        }
        AccuracyError::Signing(error) => {
            ApiError::new(ErrorCode::SigningUnavailable, error.to_string())
        }
    }
}

fn days_parameter(parameters: &QueryParameters) -> Result<Option<u32>, ApiError> {
    let most = usize::try_from(ACCURACY_DAYS_MAX).unwrap_or(usize::MAX);
    let days = count_parameter(parameters, "days", most)?;
    Ok(days.and_then(|days| u32::try_from(days).ok()))
}
