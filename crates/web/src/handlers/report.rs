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
    records::{ScanManifest, ScanRecord},
};
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE, LINK, VARY},
};
use service::{Presented, Report, ReportError, Service, Visibility};

use crate::{
    address::PathText,
    credential,
    documents::{Document, HTML, JSON},
    errors::ApiError,
    negotiation, pages,
    state::Site,
};

/// A record does not change; whoever has a copy may keep it. One that is reachable only by its
/// link is nobody's but the reader's, and a private one is not kept by anybody on the way.
const KEPT_PUBLIC: &str = "public, max-age=86400, immutable";
const KEPT_UNLISTED: &str = "private, max-age=86400, immutable";
const KEPT_PRIVATE: &str = "private, no-store";
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
/// No id is longer.
const LONGEST_ID: usize = 64;

/// The framework cannot match what follows a parameter, so the forms part here.
pub(crate) async fn report_file(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
    PathText(file): PathText,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let forms = [".raw.json", ".manifest.json", ".json", ""];
    let form = forms.into_iter().find(|form| file.ends_with(form)).unwrap_or_default();
    let id = file.strip_suffix(form).unwrap_or(&file);
    let report = kept(&service, &site, id, &headers).await?;
    match form {
        ".raw.json" => Ok(get_report_evidence(report, &headers)),
        ".manifest.json" => get_report_manifest(&service, &report, &headers),
        ".json" => Ok(get_report_record(report, &headers)),
        _ => Ok(get_report(report, id, &headers)),
    }
}

/// Read a report
///
/// A page for people; the record itself when `Accept` prefers `application/json`. A private
/// report opens with a key for its domain, and is answered as if it did not exist without one.
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
pub(crate) fn get_report(report: Report, id: &str, headers: &HeaderMap) -> Response {
    let mut response = if negotiation::prefers(headers, "application/json", "text/html") {
        get_report_record(report, headers)
    } else {
        page_reply(id, &report)
    };
    let reply = response.headers_mut();
    reply.insert(VARY, HeaderValue::from_static("Accept"));
    let link = format!(
        "</r/{id}.json>; rel=\"alternate\"; type=\"application/json\", \
         </api/graph/{id}>; rel=\"related\"; type=\"application/json\""
    );
    if let Ok(link) = HeaderValue::from_str(&link) {
        reply.insert(LINK, link);
    }
    response
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
pub(crate) fn get_report_record(report: Report, headers: &HeaderMap) -> Response {
    reply(report.record, report.visibility, headers)
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
pub(crate) fn get_report_evidence(report: Report, headers: &HeaderMap) -> Response {
    reply(report.evidence, report.visibility, headers)
}

/// Read a report's manifest
///
/// The digests of everything the record rests on, signed. The record names the manifest in
/// `provenance.artifacts`.
#[utoipa::path(
    get,
    path = "/r/{id}.manifest.json",
    operation_id = "getReportManifest",
    tag = "scans",
    params(("id" = String, Path, description = "The record's id.")),
    responses(
        (status = 200, description = "The signed manifest.", body = ScanManifest,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 404, description = "No such report, or one without a manifest: `not_found`.",
            body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `cannot_answer`.", body = ErrorV1),
    )
)]
pub(crate) fn get_report_manifest(
    service: &Service,
    report: &Report,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let manifest = service.report_manifest(report).map_err(failed)?.ok_or_else(no_such_report)?;
    Ok(reply(manifest, report.visibility, headers))
}

/// The report of this id, for whoever asks with these headers. A key is only read where one is
/// needed, and two keys open nothing.
pub(super) async fn kept(
    service: &Service,
    site: &Site,
    id: &str,
    headers: &HeaderMap,
) -> Result<Report, ApiError> {
    check_id(id)?;
    let presented = credential::presented(headers, &site.brand).unwrap_or(Presented::NoKeyOfOurs);
    let report = service.report(id, &presented).await.map_err(failed)?;
    report.ok_or_else(no_such_report)
}

/// Ids are letters and digits; anything else is not looked up.
fn check_id(id: &str) -> Result<(), ApiError> {
    if is_id(id) { Ok(()) } else { Err(no_such_report()) }
}

pub(super) fn is_id(text: &str) -> bool {
    (1..=LONGEST_ID).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn no_such_report() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is no report with this id.")
}

pub(super) fn failed(error: ReportError) -> ApiError {
    let said = error.to_string();
    match error {
        ReportError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "The report cannot be read now; try again.")
                .retry_after(5)
        }
        ReportError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.")
                .retry_after(30)
        }
        ReportError::Unreadable(_) => ApiError::new(
            ErrorCode::CannotAnswer,
            "This report was written by another version; its record is still served.",
        ),
    }
    .because(said)
}

fn reply(bytes: Bytes, visibility: Visibility, headers: &HeaderMap) -> Response {
    let document = Document::new(bytes, JSON, cache_of(visibility));
    kept_from_robots(document.reply(headers), visibility)
}

pub(super) fn cache_of(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Public => KEPT_PUBLIC,
        Visibility::Unlisted => KEPT_UNLISTED,
        Visibility::Private => KEPT_PRIVATE,
    }
}

fn page_reply(id: &str, report: &Report) -> Response {
    let page = match serde_json::from_slice::<ScanRecord>(&report.record) {
        Ok(record) => pages::report::render(&record),
        // Written by a later version, perhaps: the bytes are still good.
        Err(error) => {
            tracing::warn!(%error, "a kept record could not be read for its page");
            pages::report::unreadable(id)
        }
    };
    let cache = match report.visibility {
        Visibility::Private => KEPT_PRIVATE,
        Visibility::Public | Visibility::Unlisted => "private, max-age=300",
    };
    let mut response = ([(CONTENT_TYPE, HTML), (CACHE_CONTROL, cache)], page).into_response();
    pages::add_headers(response.headers_mut());
    kept_from_robots(response, report.visibility)
}

pub(super) fn kept_from_robots(mut response: Response, visibility: Visibility) -> Response {
    if !visibility.is_listed() {
        response.headers_mut().insert(ROBOTS, HeaderValue::from_static("noindex"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_kept_from_robots_and_shared_caches() {
        for (visibility, cache, robots) in [
            (Visibility::Public, KEPT_PUBLIC, None),
            (Visibility::Unlisted, KEPT_UNLISTED, Some("noindex")),
            (Visibility::Private, KEPT_PRIVATE, Some("noindex")),
        ] {
            let reply = reply(Bytes::from("{}"), visibility, &HeaderMap::new());
            assert_eq!(reply.headers()[CACHE_CONTROL], cache);
            let told = reply.headers().get(ROBOTS).map(|value| value.to_str().unwrap());
            assert_eq!(told, robots, "{visibility}");
        }
    }

    #[test]
    fn only_ids_are_looked_up() {
        assert!(check_id("abc123").is_ok());
        for bad in ["", "../etc", "a b", "a/b", "é", "a.json", &"x".repeat(65)] {
            assert!(check_id(bad).is_err(), "{bad}");
        }
    }
}
