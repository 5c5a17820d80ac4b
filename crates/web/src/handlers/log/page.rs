//! `/log`: the page about the log.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::records::{LogRecord, LogWitnessedHead};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use service::{Service, log::LogRecordQuery};

use crate::{
    handlers::error_mapping::log_to_api_error,
    pages,
    rate_limits::ReadLimit,
    response::{ApiError, CACHE_THIRTY_SECONDS, HTML},
    state::ServiceInfo,
};

/// Number of batches on the page.
const BATCHES_SHOWN: usize = 20;

pub(crate) async fn log_page(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
) -> Result<Response, ApiError> {
    let ask = LogRecordQuery::List { from: None, limit: BATCHES_SHOWN };
    let record = service.log.signed_record(ask).await.map_err(log_to_api_error)?;
    let record: LogRecord = serde_json::from_value(record.document)
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let witnessed: Option<LogWitnessedHead> =
        service.log.witnessed_head().await.map_err(log_to_api_error)?;
    let page = pages::log::render(&record, witnessed.as_ref(), &service_info.issuer.base_url);
    let headers = [(CONTENT_TYPE, HTML), (CACHE_CONTROL, CACHE_THIRTY_SECONDS)];
    let mut response = (headers, page).into_response();
    pages::add_page_headers(response.headers_mut());
    Ok(response)
}
