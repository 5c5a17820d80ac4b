//! `/r/{id}`: a kept report, as a page, as the record, or as the evidence under it.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use contract::{
    errors::{ErrorCode, ErrorV1},
    evidence::Evidence,
    records::{ScanRecord, Visibility},
};
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE, LINK, VARY},
};
use serde::Deserialize;
use service::{ReportError, Service};

use crate::{
    address::PathText,
    documents::{Document, HTML, JSON},
    errors::ApiError,
    negotiation, pages,
};

/// A record does not change; whoever has a copy may keep it. One that is reachable only by its
/// link is nobody's but the reader's.
const KEPT_PUBLIC: &str = "public, max-age=86400, immutable";
const KEPT_UNLISTED: &str = "private, max-age=86400, immutable";
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
/// No id is longer.
const LONGEST_ID: usize = 64;

/// The framework cannot match what follows a parameter, so the three forms part here.
pub(crate) async fn report_file(
    service: State<Arc<Service>>,
    PathText(file): PathText,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    if let Some(id) = file.strip_suffix(".raw.json") {
        get_report_evidence(service, id, &headers).await
    } else if let Some(id) = file.strip_suffix(".json") {
        get_report_record(service, id, &headers).await
    } else {
        get_report(service, &file, &headers).await
    }
}

/// Read a report
///
/// A page for people; the record itself when `Accept` prefers `application/json`. A private
/// report is answered as if it did not exist.
#[utoipa::path(
    get,
    path = "/r/{id}",
    operation_id = "getReport",
    tag = "scans",
    params(("id" = String, Path, description = "The record's id.")),
    responses(
        (status = 200, description = "The report.", content(
            (String = "text/html"),
            (ScanRecord = "application/json"),
        )),
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_report(
    State(service): State<Arc<Service>>,
    id: &str,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let record = kept_record(&service, id).await?;
    let mut response = if negotiation::prefers(headers, "application/json", "text/html") {
        record_reply(record, headers)
    } else {
        page_reply(id, &record)
    };
    let reply = response.headers_mut();
    reply.insert(VARY, HeaderValue::from_static("Accept"));
    let link = format!("</r/{id}.json>; rel=\"alternate\"; type=\"application/json\"");
    if let Ok(link) = HeaderValue::from_str(&link) {
        reply.insert(LINK, link);
    }
    Ok(response)
}

/// Read a report's record
///
/// The signed record, as the very bytes that were signed.
#[utoipa::path(
    get,
    path = "/r/{id}.json",
    operation_id = "getReportRecord",
    tag = "scans",
    params(("id" = String, Path, description = "The record's id.")),
    responses(
        (status = 200, description = "The record.", body = ScanRecord,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_report_record(
    State(service): State<Arc<Service>>,
    id: &str,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    Ok(record_reply(kept_record(&service, id).await?, headers))
}

/// Read a report's evidence
///
/// Everything that was received, or why it was not: what the record was judged from, and can be
/// judged from again.
#[utoipa::path(
    get,
    path = "/r/{id}.raw.json",
    operation_id = "getReportEvidence",
    tag = "scans",
    params(("id" = String, Path, description = "The record's id.")),
    responses(
        (status = 200, description = "The evidence.", body = Evidence,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_report_evidence(
    State(service): State<Arc<Service>>,
    id: &str,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    check_id(id)?;
    let evidence = service.raw_evidence(id).await.map_err(unreadable)?;
    let evidence = evidence.ok_or_else(no_such_report)?;
    // Whether its report is listed is not said in here; so it is treated as if it were not.
    let mut response = Document::new(evidence, JSON, KEPT_UNLISTED).reply(headers);
    response.headers_mut().insert(ROBOTS, HeaderValue::from_static("noindex"));
    Ok(response)
}

async fn kept_record(service: &Service, id: &str) -> Result<Bytes, ApiError> {
    check_id(id)?;
    let record = service.report(id).await.map_err(unreadable)?;
    record.ok_or_else(no_such_report)
}

/// Ids are letters and digits; anything else is not looked up.
fn check_id(id: &str) -> Result<(), ApiError> {
    let good =
        (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric());
    if good { Ok(()) } else { Err(no_such_report()) }
}

fn no_such_report() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is no report with this id.")
}

fn unreadable(error: ReportError) -> ApiError {
    ApiError::new(ErrorCode::StoreUnreadable, "The report cannot be read now; try again.")
        .retry_after(5)
        .because(error.to_string())
}

fn record_reply(record: Bytes, headers: &HeaderMap) -> Response {
    let listed = is_listed(&record);
    let cache = if listed { KEPT_PUBLIC } else { KEPT_UNLISTED };
    let mut response = Document::new(record, JSON, cache).reply(headers);
    keep_out_robots(&mut response, listed);
    response
}

fn page_reply(id: &str, record: &Bytes) -> Response {
    let page = match serde_json::from_slice::<ScanRecord>(record) {
        Ok(record) => pages::report::render(&record),
        // Written by a later version, perhaps: the bytes are still good.
        Err(error) => {
            tracing::warn!(%error, "a kept record could not be read for its page");
            pages::report::unreadable(id)
        }
    };
    let headers = [(CONTENT_TYPE, HTML), (CACHE_CONTROL, "private, max-age=300")];
    let mut response = (headers, page).into_response();
    pages::add_headers(response.headers_mut());
    keep_out_robots(&mut response, is_listed(record));
    response
}

fn keep_out_robots(response: &mut Response, listed: bool) {
    if !listed {
        response.headers_mut().insert(ROBOTS, HeaderValue::from_static("noindex"));
    }
}

/// Only a record that says so is listed.
fn is_listed(record: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Seen {
        visibility: Visibility,
    }
    serde_json::from_slice::<Seen>(record)
        .is_ok_and(|record| record.visibility == Visibility::Public)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unlisted_record_is_kept_from_robots_and_shared_caches() {
        let reply = |text: &'static str| record_reply(Bytes::from(text), &HeaderMap::new());
        let public = reply(r#"{"visibility":"public"}"#);
        assert_eq!(public.headers()[CACHE_CONTROL], KEPT_PUBLIC);
        assert!(!public.headers().contains_key(ROBOTS));
        for other in [r#"{"visibility":"unlisted"}"#, r#"{"visibility":"later"}"#, "{}", "x"] {
            let reply = reply(other);
            assert_eq!(reply.headers()[CACHE_CONTROL], KEPT_UNLISTED, "{other}");
            assert_eq!(reply.headers()[ROBOTS], "noindex", "{other}");
        }
    }

    #[test]
    fn only_ids_are_looked_up() {
        assert!(check_id("abc123").is_ok());
        for bad in ["", "../etc", "a b", "a/b", "é", "a.json", &"x".repeat(65)] {
            assert!(check_id(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_record_that_cannot_be_read_still_has_a_page() {
        let reply = page_reply("abc", &Bytes::from("{}"));
        assert_eq!(reply.status(), 200);
        assert!(reply.headers().contains_key(http::header::CONTENT_SECURITY_POLICY));
    }
}
