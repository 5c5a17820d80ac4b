//! The webhooks of one's own licence: adding, deleting, switching on, and what was sent.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use contract::errors::ErrorCode;
use service::{
    Service, SignedIn,
    webhooks::{EventName, WebhookError},
};

use super::{
    overview::unreadable,
    session_form::{ManageSession, SessionForm},
};
use crate::{
    handlers::page_forms::{page_response, page_with_error},
    pages::{
        self,
        manage_webhooks::{ShownWebhook, WebhookForm, WebhookPageParts},
    },
    response::{ApiError, to_sentence},
};

const PAGE: &str = "/manage/webhooks";
/// Deliveries of each webhook that the page shows.
const SHOWN_DELIVERIES: usize = 20;

pub(crate) async fn webhooks_page(
    State(service): State<Arc<Service>>,
    ManageSession(signed_in): ManageSession,
) -> Result<Response, ApiError> {
    let parts = collect(&service, &signed_in).await?;
    let form = WebhookForm::default();
    Ok(page_response(pages::manage_webhooks::render(&parts, &form, None)))
}

pub(crate) async fn add_webhook(
    State(service): State<Arc<Service>>,
    form: SessionForm,
) -> Response {
    let events: Vec<String> = EventName::ALL
        .iter()
        .map(|event| event.as_str())
        .filter(|event| !form.field(event).is_empty())
        .map(str::to_owned)
        .collect();
    let typed = WebhookForm { url: form.field("url").trim().to_owned(), events };
    let signed_in = &form.signed_in;
    let added = if service.access.plan_of(&signed_in.licence).has_webhooks {
        let added = service.webhooks.register(&signed_in.licence.id, &typed.url, &typed.events);
        added.await.map(|_| ()).map_err(to_api_error)
    } else {
        let sentence = "The plan of this licence has no webhooks.";
        Err(ApiError::new(ErrorCode::Forbidden, sentence))
    };
    finish(&service, signed_in, &typed, added).await
}

pub(crate) async fn delete_webhook(
    State(service): State<Arc<Service>>,
    form: SessionForm,
) -> Response {
    let signed_in = &form.signed_in;
    let deleted = service.webhooks.delete(&signed_in.licence.id, form.field("webhook")).await;
    finish(&service, signed_in, &WebhookForm::default(), deleted.map_err(to_api_error)).await
}

pub(crate) async fn switch_on_webhook(
    State(service): State<Arc<Service>>,
    form: SessionForm,
) -> Response {
    let signed_in = &form.signed_in;
    let on = service.webhooks.switch_on(&signed_in.licence.id, form.field("webhook")).await;
    let on = on.map(|_| ()).map_err(to_api_error);
    finish(&service, signed_in, &WebhookForm::default(), on).await
}

pub(crate) async fn retry_delivery(
    State(service): State<Arc<Service>>,
    form: SessionForm,
) -> Response {
    let (signed_in, webhook) = (&form.signed_in, form.field("webhook"));
    let again =
        service.webhooks.retry(&signed_in.licence.id, webhook, form.field("delivery")).await;
    finish(&service, signed_in, &WebhookForm::default(), again.map_err(to_api_error)).await
}

/// Back to the page, or the page with the error and the form as it was.
async fn finish(
    service: &Service,
    signed_in: &SignedIn,
    typed: &WebhookForm,
    done: Result<(), ApiError>,
) -> Response {
    let Err(error) = done else { return Redirect::to(PAGE).into_response() };
    match collect(service, signed_in).await {
        Ok(parts) => {
            let page = pages::manage_webhooks::render(&parts, typed, Some(error.message()));
            page_with_error(page, &error)
        }
        Err(_) => error.into_response(),
    }
}

async fn collect(service: &Service, signed_in: &SignedIn) -> Result<WebhookPageParts, ApiError> {
    let licence = &signed_in.licence;
    let mut webhooks = Vec::new();
    for webhook in service.webhooks.list(&licence.id).await.map_err(to_api_error)? {
        let deliveries = service
            .webhooks
            .deliveries_of(&licence.id, &webhook.id, None, SHOWN_DELIVERIES)
            .await
            .map_err(to_api_error)?;
        webhooks.push(ShownWebhook { webhook, deliveries });
    }
    Ok(WebhookPageParts {
        webhooks,
        is_in_plan: service.access.plan_of(licence).has_webhooks,
        form_secret: service.access.form_secret(signed_in),
    })
}

fn to_api_error(error: WebhookError) -> ApiError {
    let sentence = to_sentence(&error.to_string());
    match error {
        WebhookError::Address(_) => ApiError::new(ErrorCode::BadUrl, sentence),
        WebhookError::NoEvents | WebhookError::UnknownEvent => ApiError::bad_request(sentence),
        WebhookError::TooMany { .. }
        | WebhookError::TooManyWaiting { .. }
        | WebhookError::NotGivenUp => ApiError::new(ErrorCode::Conflict, sentence),
        WebhookError::NotFound | WebhookError::NoSuchDelivery => {
            ApiError::new(ErrorCode::NotFound, sentence)
        }
        WebhookError::UnknownLicence | WebhookError::LicenceEnded => {
            ApiError::new(ErrorCode::Forbidden, sentence)
        }
        WebhookError::Store(error) => unreadable(error),
        WebhookError::NoChance(error) => ApiError::internal(error.to_string()),
    }
}
