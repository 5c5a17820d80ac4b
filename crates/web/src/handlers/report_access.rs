//! Which stored reports a request may read, and who may keep copies of the responses.

use std::{convert::Infallible, sync::Arc};

use axum::{extract::FromRequestParts, response::Response};
use bytes::Bytes;
use contract::{Day, errors::ErrorCode};
use http::{HeaderMap, HeaderName, HeaderValue, request::Parts};
use service::{DeletedScan, Report, Service, Visibility};

use super::error_mapping::stored_report_to_api_error;
use crate::{
    principal::Principal,
    response::{
        ApiError, CACHE_ONE_DAY_IMMUTABLE, CACHE_PRIVATE_ONE_DAY_IMMUTABLE, HttpDocument,
        PRIVATE_NO_STORE,
    },
    state::AppState,
};

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");
/// The length of the longest id.
const MAX_ID_LENGTH: usize = 64;

/// Loads the reports that this request may read. Who sends it matters only for private reports.
#[derive(Debug)]
pub(crate) struct ReportLoader {
    service: Arc<Service>,
    principal: Principal,
}

impl FromRequestParts<AppState> for ReportLoader {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let Ok(principal) = Principal::from_request_parts(parts, state).await;
        Ok(Self { service: Arc::clone(&state.service), principal })
    }
}

impl ReportLoader {
    pub(super) async fn load(&self, id: &str) -> Result<Report, ApiError> {
        check_id(id)?;
        let scanning = &self.service.scanning;
        let report = scanning.report(id, self.principal.report_reader()).await;
        if let Some(report) = report.map_err(stored_report_to_api_error)? {
            return Ok(report);
        }
        let deleted = scanning.deleted_report(id).await.map_err(stored_report_to_api_error)?;
        Err(deleted.map_or_else(report_not_found, |deleted| report_deleted(&deleted)))
    }
}

fn report_deleted(deleted: &DeletedScan) -> ApiError {
    let digest = deleted.record_sha256.map_or(String::new(), |digest| {
        format!(" Its digest stays in the daily seal of its day: {digest}.")
    });
    let reason = deleted
        .reason
        .as_deref()
        .map_or(String::new(), |reason| format!(" The operator gave this reason: \"{reason}\""));
    let day = Day::of(deleted.deleted_at);
    let message =
        format!("The operator of this service deleted this report on {day}.{digest}{reason}");
    ApiError::new(ErrorCode::ReportDeleted, message)
}

/// Only ids of letters and digits are looked up.
fn check_id(id: &str) -> Result<(), ApiError> {
    if is_id(id) { Ok(()) } else { Err(report_not_found()) }
}

pub(super) fn is_id(text: &str) -> bool {
    (1..=MAX_ID_LENGTH).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

pub(super) fn report_not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is no report with this id.")
}

/// A document about a report.
pub(super) fn report_document(
    bytes: Bytes,
    media_type: &'static str,
    visibility: Visibility,
    headers: &HeaderMap,
) -> Response {
    let document = HttpDocument::new(bytes, media_type, cache_control_for(visibility));
    add_noindex(document.reply(headers), visibility)
}

/// `Cache-Control` by visibility. A record never changes, so copies may be cached. An unlisted one may be
/// cached only by the reader, a private one by nobody.
pub(super) fn cache_control_for(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Public => CACHE_ONE_DAY_IMMUTABLE,
        Visibility::Unlisted => CACHE_PRIVATE_ONE_DAY_IMMUTABLE,
        Visibility::Private => PRIVATE_NO_STORE,
    }
}

pub(super) fn add_noindex(mut response: Response, visibility: Visibility) -> Response {
    if !visibility.is_listed() {
        response.headers_mut().insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    }
    response
}

#[cfg(test)]
mod tests {
    use http::header::CACHE_CONTROL;

    use super::*;
    use crate::response::JSON;

    #[test]
    fn unlisted_and_private_reports_are_kept_out_of_indexes_and_shared_caches() {
        for (visibility, cache, robots) in [
            (Visibility::Public, CACHE_ONE_DAY_IMMUTABLE, None),
            (Visibility::Unlisted, CACHE_PRIVATE_ONE_DAY_IMMUTABLE, Some("noindex")),
            (Visibility::Private, PRIVATE_NO_STORE, Some("noindex")),
        ] {
            let reply = report_document(Bytes::from("{}"), JSON, visibility, &HeaderMap::new());
            assert_eq!(reply.headers()[CACHE_CONTROL], cache);
            let shown = reply.headers().get(X_ROBOTS_TAG).map(|value| value.to_str().unwrap());
            assert_eq!(shown, robots, "{visibility}");
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
