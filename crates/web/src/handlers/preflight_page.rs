//! `/preflight`: the form for people, and the receipt that answers it.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use contract::{
    errors::ErrorCode,
    records::{DecisionReceipt, PreflightChecks, PreflightRequest},
};
use service::{AddressBlock, Service};

use super::{
    page_forms::{expired_form, field, page_response, read_form, refuse_cross_site},
    preflight,
};
use crate::{
    off_worker::run_off_worker,
    pages::{self, preflight::PreflightForm},
    rate_limits::{DecisionLimit, LiveReadLimit},
    request::ClientAddress,
    response::ApiError,
    state::ServiceInfo,
};

pub(crate) async fn preflight_page(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    ClientAddress(address): ClientAddress,
) -> Response {
    let token = service.access.page_token(AddressBlock::from_address(address));
    let base_url = &service_info.issuer.base_url;
    page_response(pages::preflight::render_form(base_url, &PreflightForm::default(), &token, None))
}

/// Answers the form with a receipt, as `POST /api/v1/preflight` does and within the same limits.
pub(crate) async fn preflight_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    ClientAddress(address): ClientAddress,
    limit: Result<DecisionLimit, ApiError>,
    live_reads: LiveReadLimit,
    request: Request,
) -> Response {
    let block = AddressBlock::from_address(address);
    if let Err(error) = refuse_cross_site(request.headers()) {
        return error.into_response();
    }
    let fields = match read_form(request).await {
        Ok(fields) => fields,
        Err(error) => return error.into_response(),
    };
    let ask = PreflightForm {
        url: field(&fields, "url").trim().to_owned(),
        action: field(&fields, "action").to_owned(),
        agent: field(&fields, "agent").trim().to_owned(),
    };
    let token_fits = service.access.use_page_token(field(&fields, "token"), block);
    let receipt = match limit {
        Ok(_) if token_fits => decide(&service, &ask, live_reads).await,
        Ok(_) => Err(expired_form()),
        Err(refused) => Err(refused),
    };
    let token = service.access.page_token(block);
    let base_url = service_info.issuer.base_url.clone();
    match receipt {
        Ok((record, json)) => {
            let page = run_off_worker(move || {
                pages::preflight::render_receipt(&base_url, &ask, &token, &record, &json)
            });
            page.await.map_or_else(IntoResponse::into_response, page_response)
        }
        Err(error) => {
            if let Some(cause) = error.internal_message() {
                tracing::warn!(cause, "a preflight by the form failed");
            }
            let page =
                pages::preflight::render_form(&base_url, &ask, &token, Some(error.message()));
            error.apply_to_page(page_response(page))
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
