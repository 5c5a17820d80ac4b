//! Daily seals: the lookup, the index of days, and the files of each day.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    Day,
    errors::{ErrorCode, ErrorV1},
    records::{ProofDay, ProofIndex, Seal},
};
use http::{
    HeaderMap, HeaderValue, Uri,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, LINK, VARY},
};
use service::{DaySealError, DaySealFile, SealIndexPage, SealQuery, Service};

use super::report_access::is_id;
use crate::{
    pages,
    rate_limits::ReadLimit,
    request::{PathParameter, content_negotiation, query_parameters},
    response::{
        ApiError, CACHE_FIVE_MINUTES, CACHE_ONE_DAY_IMMUTABLE, CACHE_ONE_HOUR, HTML, HttpDocument,
        JSON,
    },
    state::ServiceInfo,
};

/// Default and maximum number of days on a page of the index.
const DEFAULT_PAGE_SIZE: usize = 30;
pub(crate) const MAX_PAGE_SIZE: usize = 100;

/// Look up a seal
///
/// Finds the seal of a record by its digest or id, or the seal of a day: the inclusion path to the
/// day's root, and the state of the timestamps. If nothing is found, the response is also signed and
/// lists the days that were searched. A report whose day is not sealed yet is `pending`.
#[utoipa::path(
    get,
    path = "/api/seal/lookup",
    operation_id = "sealLookup",
    tag = "seals",
    params(
        ("sha256" = Option<String>, Query, description = "The digest of a record, in lower-case hex."),
        ("id" = Option<String>, Query, description = "The id of a report."),
        ("day" = Option<String>, Query, description = "A UTC day.", example = "2026-11-14"),
    ),
    responses(
        (status = 200, description = "The result of the lookup.", body = Seal,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "Not exactly one parameter, or an invalid one: `bad_request`.",
            body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `cannot_answer`, `signing_unavailable`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn seal_lookup(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ask = parse_lookup(&uri)?;
    let answer = service.seals.look_up(&ask).await.map_err(to_api_error)?;
    let cache = cache_control(answer.settled);
    // Signed anew each time; the ETag is the digest of the signed content.
    let signed = answer.document;
    Ok(HttpDocument::with_etag(signed.bytes, &signed.digest, JSON, cache).reply(&headers))
}

fn parse_lookup(uri: &Uri) -> Result<SealQuery, ApiError> {
    let mut parameters = query_parameters(uri, &["sha256", "id", "day"])?.into_iter();
    let (Some((name, value)), None) = (parameters.next(), parameters.next()) else {
        return Err(ApiError::bad_request("Use exactly one of `sha256`, `id` and `day`."));
    };
    let bad = |sentence: &str| ApiError::bad_request(sentence).param(name);
    match name {
        "sha256" => value
            .parse()
            .map(SealQuery::Digest)
            .map_err(|_| bad("`sha256` must be 64 lower-case hex digits.")),
        "day" => value
            .parse()
            .map(SealQuery::Day)
            .map_err(|_| bad("`day` must be a day such as 2026-11-14.")),
        _ if is_id(&value) => Ok(SealQuery::Id(value)),
        _ => Err(bad("`id` must be the id of a report: letters and digits.")),
    }
}

/// Read the page about seals
///
/// An HTML page, or the index if `Accept` prefers `application/json`.
#[utoipa::path(
    get,
    path = "/proof",
    operation_id = "proof",
    tag = "seals",
    params(
        ("before" = Option<String>, Query, description = "Only days before this one."),
        ("limit" = Option<u32>, Query, description = "Maximum number of days, 1 to 100.", example = 30),
    ),
    responses(
        (status = 200, description = "The sealed days, newest first.", content(
            (String = "text/html"),
            (ProofIndex = "application/json"),
        )),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn proof(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let page = load_index_page(&service, &uri).await?;
    let mut response = if content_negotiation::prefers(&headers, "application/json", "text/html") {
        index_response(&service, page, &headers)?
    } else {
        let html = pages::daily_seals::render(&service_info.issuer.base_url, &page);
        let mut response =
            ([(CONTENT_TYPE, HTML), (CACHE_CONTROL, CACHE_ONE_HOUR)], html).into_response();
        pages::add_page_headers(response.headers_mut());
        response
    };
    let reply = response.headers_mut();
    reply.insert(VARY, HeaderValue::from_static("Accept"));
    let link = "</proof.json>; rel=\"alternate\"; type=\"application/json\"";
    reply.insert(LINK, HeaderValue::from_static(link));
    Ok(response)
}

/// Read the index of sealed days
///
/// Signed, newest day first. Use the `cursor` of a response as `before` of the next request.
#[utoipa::path(
    get,
    path = "/proof.json",
    operation_id = "proofIndex",
    tag = "seals",
    params(
        ("before" = Option<String>, Query, description = "Only days before this one."),
        ("limit" = Option<u32>, Query, description = "Maximum number of days, 1 to 100.", example = 30),
    ),
    responses(
        (status = 200, description = "The index.", body = ProofIndex,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn proof_index(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let page = load_index_page(&service, &uri).await?;
    index_response(&service, page, &headers)
}

fn index_response(
    service: &Service,
    page: SealIndexPage,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let signed = service.seals.sign_index_page(page).map_err(to_api_error)?;
    Ok(HttpDocument::with_etag(signed.bytes, &signed.digest, JSON, CACHE_FIVE_MINUTES)
        .reply(headers))
}

async fn load_index_page(service: &Service, uri: &Uri) -> Result<SealIndexPage, ApiError> {
    let parameters = query_parameters(uri, &["before", "limit"])?;
    let before = parameters.get("before").map(|text| text.parse::<Day>()).transpose();
    let before = before.map_err(|_| {
        ApiError::bad_request("`before` must be a day such as 2026-11-14.").param("before")
    })?;
    let limit = parameters.get("limit").map(|text| text.parse::<usize>()).transpose();
    let limit = limit.ok().map(|limit| limit.unwrap_or(DEFAULT_PAGE_SIZE));
    let limit = limit.filter(|limit| (1..=MAX_PAGE_SIZE).contains(limit)).ok_or_else(|| {
        ApiError::bad_request("`limit` must be a number from 1 to 100.").param("limit")
    })?;
    service.seals.index_page(before, limit).await.map_err(to_api_error)
}

/// The router cannot match a suffix after a parameter, so the forms are told apart here.
pub(crate) async fn proof_file(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    PathParameter(file): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    query_parameters(&uri, &[])?;
    let day = |name: &str| name.parse::<Day>().map_err(|_| day_not_sealed());
    if let Some(name) = file.strip_suffix(".json") {
        get_proof_day(&service, day(name)?, &headers).await
    } else if let Some(name) = file.strip_suffix(".ots") {
        get_proof_timestamps(&service, day(name)?, &headers).await
    } else {
        Err(day_not_sealed())
    }
}

/// Read a sealed day
///
/// The day's signed statement, and the digests in its tree, in the order of the leaves.
#[utoipa::path(
    get,
    path = "/proof/{day}.json",
    operation_id = "proofDay",
    tag = "seals",
    params(("day" = String, Path, description = "A UTC day.", example = "2026-11-14")),
    responses(
        (status = 200, description = "The day.", body = ProofDay,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "This day is not sealed: `not_found`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_proof_day(
    service: &Service,
    day: Day,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let file = service
        .seals
        .statement_file(day)
        .await
        .map_err(to_api_error)?
        .ok_or_else(day_not_sealed)?;
    Ok(HttpDocument::new(file.bytes, JSON, cache_control(file.settled)).reply(headers))
}

/// Read a day's timestamps
///
/// An OpenTimestamps file for the statement's `sha256`, with the attestations of all calendars so far.
#[utoipa::path(
    get,
    path = "/proof/{day}.ots",
    operation_id = "proofTimestamps",
    tag = "seals",
    params(("day" = String, Path, description = "A UTC day.", example = "2026-11-14")),
    responses(
        (status = 200, description = "The timestamp file.", body = inline(crate::openapi::BinaryBody),
            content_type = "application/vnd.opentimestamps.ots"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "This day is not sealed, or no calendar has answered yet: \
            `not_found`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_proof_timestamps(
    service: &Service,
    day: Day,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let DaySealFile { bytes, settled } =
        service.seals.timestamps_file(day).await.map_err(to_api_error)?.ok_or_else(|| {
            let sentence = "This day is not sealed, or no calendar has answered yet.";
            ApiError::new(ErrorCode::NotFound, sentence)
        })?;
    let document =
        HttpDocument::new(bytes, proof::opentimestamps::MEDIA_TYPE, cache_control(settled));
    let mut response = document.reply(headers);
    let name = format!("attachment; filename=\"{day}.ots\"");
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

fn cache_control(settled: bool) -> &'static str {
    if settled { CACHE_ONE_DAY_IMMUTABLE } else { CACHE_FIVE_MINUTES }
}

fn day_not_sealed() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "This day is not sealed.")
}

fn to_api_error(error: DaySealError) -> ApiError {
    let message = error.to_string();
    match error {
        DaySealError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The seals cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5),
        DaySealError::Signing(_) | DaySealError::Randomness(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be signed. Try again in 30 s.",
        )
        .retry_after(30),
        DaySealError::Unreadable(_) => {
            ApiError::new(ErrorCode::CannotAnswer, "The stored seal cannot be parsed.")
        }
    }
    .with_internal_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_parameter_is_accepted() {
        let read = |query: &str| {
            parse_lookup(&format!("/x?{query}").parse().unwrap())
                .map_err(|e| e.message().to_owned())
        };
        let digest = proof::sha256(b"x");
        assert_eq!(read(&format!("sha256={digest}")), Ok(SealQuery::Digest(digest)));
        assert_eq!(read("id=abc123"), Ok(SealQuery::Id("abc123".to_owned())));
        assert_eq!(read("day=2026-11-14"), Ok(SealQuery::Day("2026-11-14".parse().unwrap())));
        for bad in [
            "",
            "id=a&day=2026-11-14",
            "sha256=ABC",
            "sha256=",
            "id=",
            "id=..%2Fx",
            "day=today",
            "day=2026-02-30",
            "what=1",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
