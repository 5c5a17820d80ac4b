//! `/visitor`: the form for people, and the verdict that answers it. It is sent as a POST, so that the address
//! of the visitor is in no address of ours.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::ErrorCode,
    records::{VisitorAnswer, VisitorQuery},
};
use service::{Service, visitors::MethodCheck};

use super::{
    page_forms::{PageForm, page_response, page_with_error},
    visitor,
};
use crate::{
    off_worker::run_off_worker,
    pages::{self, visitor::VisitorForm},
    rate_limits::{ReadLimit, VisitorLimit},
    response::ApiError,
    state::ServiceInfo,
};

/// Longer user agents are not sent by anybody.
const MAX_USER_AGENT_CHARS: usize = 8_192;

pub(crate) async fn visitor_page(
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
) -> Response {
    let base_url = &service_info.issuer.base_url;
    page_response(pages::visitor::render_form(base_url, &VisitorForm::default(), None))
}

/// Answers the form, as `POST /api/v1/visitor` does and within the same limit. Nothing about the visitor is
/// stored.
pub(crate) async fn visitor_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    limit: Result<VisitorLimit, ApiError>,
    sent: PageForm,
) -> Response {
    let field = |name: &str| sent.field(name).trim().to_owned();
    let form = VisitorForm {
        user_agent: field("ua"),
        address: field("ip"),
        signature_agent: field("signature_agent"),
        signature_input: field("signature_input"),
        signature: field("signature"),
        host: field("host"),
    };
    let checked = match limit {
        Ok(_) => check(&service, &form).await,
        Err(refused) => Err(refused),
    };
    let base_url = service_info.issuer.base_url.clone();
    match checked {
        Ok((answer, json, methods)) => {
            let page = run_off_worker(move || {
                pages::visitor::render_verdict(&base_url, &form, &answer, &json, &methods)
            });
            page.await.map_or_else(IntoResponse::into_response, page_response)
        }
        Err(error) => {
            let page = pages::visitor::render_form(&base_url, &form, Some(error.message()));
            page_with_error(page, &error)
        }
    }
}

/// The verdict, the same as JSON for people, and what each method said.
async fn check(
    service: &Service,
    form: &VisitorForm,
) -> Result<(Box<VisitorAnswer>, String, Vec<MethodCheck>), ApiError> {
    let bad = |sentence| ApiError::new(ErrorCode::BadRequest, sentence);
    if form.user_agent.is_empty() {
        return Err(bad("Enter the visitor's user agent."));
    }
    if form.user_agent.chars().count() > MAX_USER_AGENT_CHARS {
        return Err(bad("The user agent is longer than 8,192 characters."));
    }
    let present = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let query = VisitorQuery {
        ip: present(&form.address),
        ua: form.user_agent.clone(),
        headers: Some(form.headers()).filter(|headers| !headers.is_empty()),
        authority: present(&form.host),
    };
    let checked = service.visitors.check_one_by_methods(&query).await;
    let (signed, methods) = checked.map_err(visitor::to_api_error)?;
    let internal = |error: serde_json::Error| ApiError::internal(error.to_string());
    let answer = serde_json::from_slice(&signed.bytes).map_err(internal)?;
    let value: serde_json::Value = serde_json::from_slice(&signed.bytes).map_err(internal)?;
    let json = serde_json::to_string_pretty(&value).map_err(internal)?;
    Ok((Box::new(answer), json, methods))
}
