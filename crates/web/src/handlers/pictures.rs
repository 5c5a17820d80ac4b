//! `/badge/{domain}.svg` and `/og/{id}.png`: pictures of a report for other sites.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{extract::State, response::Response};
use bytes::Bytes;
use contract::records::ScanRecord;
use http::HeaderMap;
use service::Service;

use super::{
    error_mapping::stored_report_to_api_error,
    report_access::{ReportLoader, report_document},
};
use crate::{
    off_worker::run_off_worker,
    pages,
    rate_limits::{FeedLimiter, ReadLimit},
    request::PathParameter,
    response::{ApiError, HttpDocument},
    state::ServiceInfo,
};

/// The most link pictures that are kept. One has about 40 KB.
const MAX_LINK_PICTURES: usize = 64;

/// The link pictures that were drawn last, by the id of their report, which never changes. Whoever gets one
/// may read the report. The mutex is held for one operation only.
#[derive(Debug, Default)]
pub(crate) struct LinkPictures(Mutex<VecDeque<(String, Bytes)>>);

impl LinkPictures {
    fn find(&self, id: &str) -> Option<Bytes> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == id).map(|(_, picture)| picture.clone())
    }

    fn keep(&self, id: &str, picture: &Bytes) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((id.to_owned(), picture.clone()));
        if kept.len() > MAX_LINK_PICTURES {
            kept.pop_front();
        }
    }
}

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
    let history =
        service.scanning.public_history(&domain).await.map_err(stored_report_to_api_error)?;
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
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    feed: FeedLimiter,
    reports: ReportLoader,
    PathParameter(file): PathParameter,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = file.strip_suffix(".png").ok_or_else(ApiError::not_found)?;
    let report = reports.load(id).await?;
    let visibility = report.visibility;
    let picture = match service_info.page_files.link_pictures.find(id) {
        Some(known) => known,
        None => {
            // Takes tens of milliseconds.
            feed.acquire()?;
            let drawing = run_off_worker(move || {
                let record: ScanRecord = serde_json::from_slice(&report.record).ok()?;
                pages::pictures::to_png(&pages::report::link_picture(&record))
            });
            let picture = Bytes::from(drawing.await?.ok_or_else(ApiError::not_found)?);
            service_info.page_files.link_pictures.keep(id, &picture);
            picture
        }
    };
    Ok(report_document(picture, "image/png", visibility, &headers))
}
