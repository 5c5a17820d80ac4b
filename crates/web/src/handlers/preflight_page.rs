//! `/preflight`: the form for people, and the receipt that answers it.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::ErrorCode,
    records::{DecisionReceipt, PreflightChecks, PreflightRequest},
};
use service::Service;

use super::{
    page_forms::{PageForm, PageToken, page_response, page_with_error},
    preflight,
};
use crate::{
    off_worker::run_off_worker,
    pages::{self, preflight::PreflightForm},
    rate_limits::{DecisionLimit, LiveReadLimit, ReadLimit},
    response::ApiError,
    state::ServiceInfo,
};

pub(crate) async fn preflight_page(
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    PageToken(token): PageToken,
) -> Response {
    let base_url = &service_info.issuer.base_url;
    page_response(pages::preflight::render_form(base_url, &PreflightForm::default(), &token, None))
}

/// Answers the form with a receipt, as `POST /api/v1/preflight` does and within the same limits.
pub(crate) async fn preflight_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    limit: Result<DecisionLimit, ApiError>,
    live_reads: LiveReadLimit,
    PageToken(token): PageToken,
    sent: PageForm,
) -> Response {
    let ask = PreflightForm {
        url: sent.field("url").trim().to_owned(),
        action: sent.field("action").to_owned(),
        agent: sent.field("agent").trim().to_owned(),
    };
    let allowed = limit.and_then(|_| sent.use_token(&service));
    let receipt = match allowed {
        Ok(()) => decide(&service, &ask, live_reads).await,
        Err(refused) => Err(refused),
    };
    let base_url = service_info.issuer.base_url.clone();
    match receipt {
        Ok((record, json)) => {
            let page = run_off_worker(move || {
                pages::preflight::render_receipt(&base_url, &ask, &token, &record, &json)
            });
            page.await.map_or_else(IntoResponse::into_response, page_response)
        }
        Err(error) => {
            let page =
                pages::preflight::render_form(&base_url, &ask, &token, Some(error.message()));
            page_with_error(page, &error)
        }
    }
}

/// The receipt, and the same as JSON for people.
async fn decide(
    service: &Service,
    ask: &PreflightForm,
    live_reads: LiveReadLimit,
) -> Result<(Box<DecisionReceipt>, String), ApiError> {
    let bad = |sentence| ApiError::new(ErrorCode::BadRequest, sentence);
    let request: PreflightRequest = serde_json::from_value(ask.to_request()).map_err(|_| {
        bad("Enter an address, choose what the agent will do, and keep its name short.")
    })?;
    let check = match request.into_checks().map_err(preflight::refusal_to_api_error)? {
        PreflightChecks::Single(check) => check,
        PreflightChecks::Batch(_) => return Err(bad("The form asks one question at a time.")),
    };
    let receipt = service.answers.preflight(&check, Arc::new(live_reads)).await;
    let receipt = receipt.map_err(preflight::to_api_error)?;
    let internal = |error: serde_json::Error| ApiError::internal(error.to_string());
    let record = serde_json::from_slice(&receipt).map_err(internal)?;
    let value: serde_json::Value = serde_json::from_slice(&receipt).map_err(internal)?;
    Ok((Box::new(record), serde_json::to_string_pretty(&value).map_err(internal)?))
}
