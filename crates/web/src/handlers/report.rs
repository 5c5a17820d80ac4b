//! `/r/{id}`: a stored report, as a page, as its record, its evidence or its manifest.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use contract::{
    errors::ErrorV1,
    evidence::Evidence,
    records::{ScanManifest, ScanRecord},
};
use http::{
    HeaderMap, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE, LINK, VARY},
};
use service::{AddressBlock, Report, Service, Visibility};

use super::{
    error_mapping::stored_report_to_api_error,
    report_access::{ReportLoader, add_noindex, report_document, report_not_found},
    report_bundle,
};
use crate::{
    off_worker::run_off_worker,
    pages,
    rate_limits::{FeedLimiter, ReadLimit},
    request::{PathParameter, content_negotiation},
    response::{ApiError, HTML, JSON, PRIVATE_NO_STORE},
    state::ServiceInfo,
};

/// The router cannot match a suffix after a parameter, so the forms are told apart here.
pub(crate) async fn report_file(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    feed: FeedLimiter,
    reports: ReportLoader,
    PathParameter(file): PathParameter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let forms = [".raw.json", ".manifest.json", ".json", ".zip", ""];
    let form = forms.into_iter().find(|form| file.ends_with(form)).unwrap_or_default();
    let id = file.strip_suffix(form).unwrap_or(&file);
    if form == ".zip" {
        // All bodies of a scan are read from the disk.
        feed.acquire()?;
    }
    let report = reports.load(id).await?;
    let page = PageContext { service: &service, service_info: &service_info, block: feed.block() };
    match form {
        ".raw.json" => Ok(get_report_evidence(report, &headers)),
        ".manifest.json" => get_report_manifest(&service, report, &headers).await,
        ".json" => Ok(get_report_record(report, &headers)),
        ".zip" => {
            let visibility = report.visibility;
            let bundle = report_bundle::get_report_bundle(&service, report, id).await?;
            Ok(add_noindex(bundle, visibility))
        }
        _ => get_report(&page, report, id, &headers).await,
    }
}

/// Read a report
///
/// An HTML page, or the record itself if `Accept` prefers `application/json`. A private report needs a
/// licence key for its domain; without one the response is 404, as if it did not exist.
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
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 410, description = "The operator deleted it: `report_deleted`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_report(
    page: &PageContext<'_>,
    report: Report,
    id: &str,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let mut response = if content_negotiation::prefers(headers, "application/json", "text/html") {
        get_report_record(report, headers)
    } else {
        page_response(page, id, report).await?
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
    Ok(response)
}

/// Read a report's record
///
/// The signed record, as exactly the bytes that were signed.
#[utoipa::path(
    get,
    path = "/r/{id}.json",
    operation_id = "getReportRecord",
    tag = "scans",
    params(("id" = String, Path, description = "The record's id.")),
    responses(
        (status = 200, description = "The record.", body = ScanRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 410, description = "The operator deleted it: `report_deleted`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) fn get_report_record(report: Report, headers: &HeaderMap) -> Response {
    json_response(report.record, report.visibility, headers)
}

/// Read a report's evidence
///
/// Everything that was received, and why anything was not received. The record was computed from it and
/// can be computed from it again.
#[utoipa::path(
    get,
    path = "/r/{id}.raw.json",
    operation_id = "getReportEvidence",
    tag = "scans",
    params(("id" = String, Path, description = "The record's id.")),
    responses(
        (status = 200, description = "The evidence.", body = Evidence,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 410, description = "The operator deleted it: `report_deleted`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) fn get_report_evidence(report: Report, headers: &HeaderMap) -> Response {
    json_response(report.evidence, report.visibility, headers)
}

/// Read a report's manifest
///
/// The signed digests of everything that the record is based on. The record names the manifest in
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
        (status = 304, description = "Not modified: your copy is current."),
        (status = 404, description = "No such report, or one without a manifest: `not_found`.",
            body = ErrorV1),
        (status = 410, description = "The operator deleted it: `report_deleted`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `cannot_answer`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_report_manifest(
    service: &Service,
    report: Report,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let visibility = report.visibility;
    let manifest =
        service.scanning.report_manifest(report).await.map_err(stored_report_to_api_error)?;
    let manifest = manifest.ok_or_else(report_not_found)?;
    Ok(json_response(manifest, visibility, headers))
}

fn json_response(bytes: Bytes, visibility: Visibility, headers: &HeaderMap) -> Response {
    report_document(bytes, JSON, visibility, headers)
}

/// What the page of a report needs besides the report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageContext<'a> {
    service: &'a Service,
    service_info: &'a ServiceInfo,
    block: AddressBlock,
}

async fn page_response(
    page: &PageContext<'_>,
    id: &str,
    report: Report,
) -> Result<Response, ApiError> {
    let (record, evidence) = (report.record.clone(), report.evidence.clone());
    let parsed = run_off_worker(move || {
        let record = serde_json::from_slice::<ScanRecord>(&record)?;
        let refused = pages::report::refused_bodies(&record);
        Ok::<_, serde_json::Error>((record, serde_json::from_slice(&evidence).ok(), refused))
    });
    let html = match parsed.await? {
        Ok((record, evidence, refused)) => {
            let context = page.service.scanning.report_context(&report, &record, &refused);
            let context = context.await.map_err(stored_report_to_api_error)?;
            let parts = pages::report::ReportParts {
                record,
                evidence,
                context,
                base_url: page.service_info.issuer.base_url.clone(),
                token: page.service.access.page_token(page.block),
            };
            run_off_worker(move || pages::report::render(&parts)).await?
        }
        Err(error) => {
            // Perhaps written by a later version. The record is still served as it is.
            tracing::warn!(%error, "a stored record could not be parsed for its page");
            pages::report::render_unreadable(id)
        }
    };
    // The page has a form for this client, and its history and decisions change.
    let cache = match report.visibility {
        Visibility::Private => PRIVATE_NO_STORE,
        Visibility::Public | Visibility::Unlisted => "private, max-age=15",
    };
    let mut response = ([(CONTENT_TYPE, HTML), (CACHE_CONTROL, cache)], html).into_response();
    pages::add_page_headers(response.headers_mut());
    Ok(add_noindex(response, report.visibility))
}
