//! `/badge/{domain}.svg` and `/og/{id}.png`: pictures of a report for other sites.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::records::ScanRecord;
use http::{
    HeaderMap,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::Service;

use super::report::{add_noindex, cache_control_for, load_report, to_api_error};
use crate::{
    off_worker::run_off_worker,
    pages,
    rate_limits::{ReadLimit, WrongKeyLimit},
    request::PathParameter,
    response::{ApiError, HttpDocument},
    state::ServiceInfo,
};

/// Sites that embed a badge see a new scan after this time.
const CACHE_BADGE: &str = "public, max-age=300";

/// The badge of a domain's latest public scan. A domain that was not scanned has one too, so that a page that
/// embeds it is never broken.
pub(crate) async fn badge(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    PathParameter(file): PathParameter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let name = file.strip_suffix(".svg").ok_or_else(ApiError::not_found)?;
    let domain = service.scanning.parse_domain(name).ok_or_else(ApiError::not_found)?;
    let history = service.scanning.public_history(&domain).await.map_err(to_api_error)?;
    let latest = history.first();
    let svg = pages::pictures::badge(
        latest.and_then(|scan| scan.grade.as_deref()),
        latest.and_then(|scan| scan.overall),
    );
    let mut response = HttpDocument::new(svg, "image/svg+xml", CACHE_BADGE).reply(&headers);
    pages::add_picture_headers(response.headers_mut());
    Ok(response)
}

/// The picture that other sites show for a link to a report.
pub(crate) async fn link_picture(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    keys: WrongKeyLimit,
    PathParameter(file): PathParameter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = file.strip_suffix(".png").ok_or_else(ApiError::not_found)?;
    let report = load_report(&service, &service_info, &keys, id, &headers).await?;
    let visibility = report.visibility;
    let picture = run_off_worker(move || {
        let record: ScanRecord = serde_json::from_slice(&report.record).ok()?;
        pages::pictures::to_png(&pages::report::link_picture(&record))
    });
    let picture = picture.await?.ok_or_else(ApiError::not_found)?;
    let headers = [(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, cache_control_for(visibility))];
    Ok(add_noindex((headers, picture).into_response(), visibility))
}
