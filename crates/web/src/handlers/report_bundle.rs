//! `/r/{id}.zip`: everything behind a report in one file.

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::errors::{ErrorCode, ErrorV1};
use http::{
    HeaderValue,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE},
};
use service::{Report, Service, Visibility};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::error_mapping::stored_report_to_api_error;
use crate::response::{ApiError, PRIVATE_NO_STORE, ZIP};

/// Bundles that are in memory at a time. One has up to 24 MB.
const MAX_BUNDLES: usize = 8;
static BUNDLES: Semaphore = Semaphore::const_new(MAX_BUNDLES);

/// A bundle in memory. Its place is free when it was sent, or when the client is gone.
struct Bundle {
    bytes: Vec<u8>,
    _permit: SemaphorePermit<'static>,
}

impl AsRef<[u8]> for Bundle {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Download everything behind a report
///
/// A ZIP file with the signed record, the evidence, the bodies of the responses, the manifest, the
/// public keys and the daily seal. `wayleave replay FILE.zip` computes the record from it again, without
/// this service. Bodies that are no longer stored are missing. Counts against the rate of `feed`.
#[utoipa::path(
    get,
    path = "/r/{id}.zip",
    operation_id = "getReportBundle",
    tag = "scans",
    params(("id" = String, Path, description = "The record's id.")),
    responses(
        (status = 200, description = "The bundle.", body = inline(crate::openapi::BinaryBody), content_type = "application/zip"),
        (status = 404, description = "No such report: `not_found`.", body = ErrorV1),
        (status = 410, description = "The operator deleted it: `report_deleted`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `store_unreadable`, `cannot_answer`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn get_report_bundle(
    service: &Service,
    report: Report,
    id: &str,
) -> Result<Response, ApiError> {
    let visibility = report.visibility;
    let permit = BUNDLES.try_acquire().map_err(|_| {
        let sentence = "Too many bundles are being made. Try again in 5 s.";
        ApiError::new(ErrorCode::Overloaded, sentence).retry_after(5)
    })?;
    let bundle =
        service.scanning.report_bundle(report).await.map_err(stored_report_to_api_error)?;
    let cache = match visibility {
        // The seal in it changes from pending to sealed.
        Visibility::Public => "public, max-age=3600",
        Visibility::Unlisted | Visibility::Private => PRIVATE_NO_STORE,
    };
    let bundle = Bytes::from_owner(Bundle { bytes: bundle, _permit: permit });
    let mut response = ([(CONTENT_TYPE, ZIP), (CACHE_CONTROL, cache)], bundle).into_response();
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{id}.zip\"")) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    Ok(response)
}
