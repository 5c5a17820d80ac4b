//! Daily seals: the lookup, the index, and the files of each day.

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
use service::{DayFile, DaySealError, ProofPage, SealAsk, Service};

use super::report;
use crate::{
    address::{self, PathText},
    documents::{Document, FOR_AN_HOUR, FOR_MINUTES, HTML, JSON},
    errors::ApiError,
    negotiation, pages,
    state::Site,
};

/// What does not change any more.
const SETTLED: &str = "public, max-age=86400, immutable";
/// Days on a page of the index when nobody says how many.
const PAGE: usize = 30;
const MAX_PAGE: usize = 100;

/// Look up a seal
///
/// Where a record is sealed, by its digest, its id or its day: the path to the day's root and how
/// far the anchoring has come. That something is not sealed is an answer too: it is signed, and
/// names the days that were searched. The digest of a record whose day is not sealed yet is not
/// found; by its id the record is `pending`.
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
        (status = 200, description = "What is known.", body = Seal,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "Not exactly one parameter, or not of its form: `bad_request`.",
            body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `cannot_answer`, `signing_unavailable`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn seal_lookup(
    State(service): State<Arc<Service>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ask = ask(&uri)?;
    let answer = service.seal_lookup(&ask).await.map_err(failed)?;
    let cache = cache(answer.settled);
    // Signed anew each time; what is signed keeps its name.
    let signed = answer.document;
    Ok(Document::named(signed.bytes, &signed.digest, JSON, cache).reply(&headers))
}

fn ask(uri: &Uri) -> Result<SealAsk, ApiError> {
    let mut asked = address::parameters(uri, &["sha256", "id", "day"])?.into_iter();
    let (Some((name, value)), None) = (asked.next(), asked.next()) else {
        return Err(ApiError::bad_request("Give exactly one of `sha256`, `id` and `day`."));
    };
    let bad = |sentence: &str| ApiError::bad_request(sentence).param(name);
    match name {
        "sha256" => value
            .parse()
            .map(SealAsk::Digest)
            .map_err(|_| bad("`sha256` must be 64 lower-case hex digits.")),
        "day" => value
            .parse()
            .map(SealAsk::Day)
            .map_err(|_| bad("`day` must be a day such as 2026-11-14.")),
        _ if report::is_id(&value) => Ok(SealAsk::Id(value)),
        _ => Err(bad("`id` must be the id of a report: letters and digits.")),
    }
}

/// Read about seals
///
/// A page for people; the index when `Accept` prefers `application/json`.
#[utoipa::path(
    get,
    path = "/proof",
    operation_id = "proof",
    tag = "seals",
    params(
        ("before" = Option<String>, Query, description = "Only days before this one."),
        ("limit" = Option<u32>, Query, description = "Days at most, 1 to 100.", example = 30),
    ),
    responses(
        (status = 200, description = "The sealed days, the newest first.", content(
            (String = "text/html"),
            (ProofIndex = "application/json"),
        )),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn proof(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let page = page(&service, &uri).await?;
    let mut response = if negotiation::prefers(&headers, "application/json", "text/html") {
        index(&service, page, &headers)?
    } else {
        let html = pages::proof::render(&site.base_url, &page);
        let mut response =
            ([(CONTENT_TYPE, HTML), (CACHE_CONTROL, FOR_AN_HOUR)], html).into_response();
        pages::add_headers(response.headers_mut());
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
/// Signed, the newest day first. `cursor` of an answer is `before` of the next.
#[utoipa::path(
    get,
    path = "/proof.json",
    operation_id = "proofIndex",
    tag = "seals",
    params(
        ("before" = Option<String>, Query, description = "Only days before this one."),
        ("limit" = Option<u32>, Query, description = "Days at most, 1 to 100.", example = 30),
    ),
    responses(
        (status = 200, description = "The index.", body = ProofIndex,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn proof_index(
    State(service): State<Arc<Service>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let page = page(&service, &uri).await?;
    index(&service, page, &headers)
}

fn index(service: &Service, page: ProofPage, headers: &HeaderMap) -> Result<Response, ApiError> {
    let signed = service.proof_index(page).map_err(failed)?;
    Ok(Document::named(signed.bytes, &signed.digest, JSON, FOR_MINUTES).reply(headers))
}

async fn page(service: &Service, uri: &Uri) -> Result<ProofPage, ApiError> {
    let asked = address::parameters(uri, &["before", "limit"])?;
    let before = asked.get("before").map(|text| text.parse::<Day>()).transpose();
    let before = before.map_err(|_| {
        ApiError::bad_request("`before` must be a day such as 2026-11-14.").param("before")
    })?;
    let limit = asked.get("limit").map(|text| text.parse::<usize>()).transpose();
    let limit = limit.ok().map(|limit| limit.unwrap_or(PAGE));
    let limit = limit.filter(|limit| (1..=MAX_PAGE).contains(limit)).ok_or_else(|| {
        ApiError::bad_request("`limit` must be a number from 1 to 100.").param("limit")
    })?;
    service.proof_page(before, limit).await.map_err(failed)
}

/// The framework cannot match what follows a parameter, so the forms part here.
pub(crate) async fn proof_file(
    State(service): State<Arc<Service>>,
    PathText(file): PathText,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    address::parameters(&uri, &[])?;
    let day = |name: &str| name.parse::<Day>().map_err(|_| no_such_day());
    if let Some(name) = file.strip_suffix(".json") {
        get_proof_day(&service, day(name)?, &headers).await
    } else if let Some(name) = file.strip_suffix(".ots") {
        get_proof_timestamps(&service, day(name)?, &headers).await
    } else {
        Err(no_such_day())
    }
}

/// Read a sealed day
///
/// The day's signed statement and the digests it was made over, in the order of their leaves.
#[utoipa::path(
    get,
    path = "/proof/{day}.json",
    operation_id = "proofDay",
    tag = "seals",
    params(("day" = String, Path, description = "A UTC day.", example = "2026-11-14")),
    responses(
        (status = 200, description = "The day.", body = ProofDay,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "This day is not sealed: `not_found`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_proof_day(
    service: &Service,
    day: Day,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let file = service.proof_day(day).await.map_err(failed)?.ok_or_else(no_such_day)?;
    Ok(Document::new(file.bytes, JSON, cache(file.settled)).reply(headers))
}

/// Read a day's timestamps
///
/// An OpenTimestamps file of the statement's `sha256`, with what every calendar has given so far.
#[utoipa::path(
    get,
    path = "/proof/{day}.ots",
    operation_id = "proofTimestamps",
    tag = "seals",
    params(("day" = String, Path, description = "A UTC day.", example = "2026-11-14")),
    responses(
        (status = 200, description = "The timestamp file.", body = Vec<u8>,
            content_type = "application/vnd.opentimestamps.ots"),
        (status = 304, description = "The copy you have is still right."),
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
    let DayFile { bytes, settled } =
        service.proof_timestamps(day).await.map_err(failed)?.ok_or_else(|| {
            let sentence = "This day is not sealed, or no calendar has answered yet.";
            ApiError::new(ErrorCode::NotFound, sentence)
        })?;
    let document = Document::new(bytes, proof::ots::MEDIA_TYPE, cache(settled));
    let mut response = document.reply(headers);
    let name = format!("attachment; filename=\"{day}.ots\"");
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

fn cache(settled: bool) -> &'static str {
    if settled { SETTLED } else { FOR_MINUTES }
}

fn no_such_day() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is no sealed day of this name.")
}

fn failed(error: DaySealError) -> ApiError {
    let said = error.to_string();
    match error {
        DaySealError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "The seals cannot be read now; try again.")
                .retry_after(5)
        }
        DaySealError::Signing(_) | DaySealError::Chance(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.")
                .retry_after(30)
        }
        DaySealError::Unreadable(_) => {
            ApiError::new(ErrorCode::CannotAnswer, "What is kept of this seal cannot be used.")
        }
    }
    .because(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_thing_is_looked_up() {
        let read = |query: &str| {
            ask(&format!("/x?{query}").parse().unwrap()).map_err(|e| e.sentence().to_owned())
        };
        let digest = proof::sha256(b"x");
        assert_eq!(read(&format!("sha256={digest}")), Ok(SealAsk::Digest(digest)));
        assert_eq!(read("id=abc123"), Ok(SealAsk::Id("abc123".to_owned())));
        assert_eq!(read("day=2026-11-14"), Ok(SealAsk::Day("2026-11-14".parse().unwrap())));
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
