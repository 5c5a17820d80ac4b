//! `/log`: the log for people.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::records::{LogRecord, LogWitnessed};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use service::{Service, log::RecordAsk};

use super::failed;
use crate::{
    documents::{FOR_HALF_A_MINUTE, HTML},
    errors::ApiError,
    pages,
    state::Site,
};

/// Batches on the page.
const SHOWN: usize = 20;

pub(crate) async fn log_page(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
) -> Result<Response, ApiError> {
    let ask = RecordAsk::List { from: None, limit: SHOWN };
    let record = service.log_record(ask).await.map_err(failed)?;
    let record: LogRecord = serde_json::from_value(record.document)
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let witnessed: Option<LogWitnessed> = service.log_witnessed().await.map_err(failed)?;
    let page = pages::log::render(&record, witnessed.as_ref(), &site.base_url);
    let headers = [(CONTENT_TYPE, HTML), (CACHE_CONTROL, FOR_HALF_A_MINUTE)];
    let mut response = (headers, page).into_response();
    pages::add_headers(response.headers_mut());
    Ok(response)
}
