//! `/registry/{domain}/owner`: what the owner of a domain sees and does, in a browser.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, FromRequestParts, Request, State},
    response::{IntoResponse, Redirect, Response},
};
use contract::{errors::ErrorCode, records::Visibility};
use service::{AccuracyError, Caller, Owner, ScanCommand, Service, SessionToken};

use super::{DomainPath, incident::parse_since, to_api_error};
use crate::{
    handlers::{
        accuracy,
        page_forms::{PageForm, page_response, page_with_error},
        running_scan,
        scan::to_api_error as scan_to_api_error,
    },
    pages::{
        accuracy::engine_charts,
        owner::{self as page, OwnerPageParts},
    },
    principal::session_cookie,
    rate_limits::ScanLimit,
    response::ApiError,
    state::{AppState, ServiceInfo},
};

const SHOWN_SCANS: usize = 20;
const SHOWN_DISPUTES: usize = 20;
const MAX_TEXT_CHARS: usize = 2_000;
/// The days of reports of agents that the page sums up.
const OUTCOME_DAYS: u32 = 30;
/// The days of the charts of AI engines.
const ACCURACY_DAYS: u32 = 30;

/// The page. Whoever is not signed in is led to the claim.
pub(crate) async fn owner_page(
    State(service): State<Arc<Service>>,
    path: DomainPath,
) -> Result<Response, ApiError> {
    let Some(owner) = path.owner() else {
        return Ok(Redirect::to(&format!("/registry/{}/claim", path.domain)).into_response());
    };
    Ok(page_response(page::render(&collect(&service, owner).await?, None)))
}

async fn collect(service: &Service, owner: &Owner) -> Result<OwnerPageParts, ApiError> {
    let (control, domain) = (&service.control, &owner.domain);
    let outcomes = service.outcomes.unsigned_summary(domain, OUTCOME_DAYS).await;
    let engines = match service.accuracy.recent(domain, ACCURACY_DAYS).await {
        Ok(recent) => engine_charts(&recent.history, &recent.newest, recent.today),
        Err(AccuracyError::NotMeasured) => Vec::new(),
        Err(error) => return Err(accuracy::to_api_error(error)),
    };
    Ok(OwnerPageParts {
        record: control.unsigned_record(domain).await.map_err(to_api_error)?,
        form_secret: control.form_secret(owner),
        private_scans: control.private_scans(domain, SHOWN_SCANS).await.map_err(to_api_error)?,
        public_scans: control.public_scans(domain, SHOWN_SCANS).await.map_err(to_api_error)?,
        outcomes: outcomes
            .inspect_err(|error| tracing::warn!(%error, "the reports of agents could not be read"))
            .ok(),
        incident: control.open_incident(domain).await.map_err(to_api_error)?,
        disputes: control.disputes_of(domain, SHOWN_DISPUTES).await.map_err(to_api_error)?,
        engines,
    })
}

/// Extractor: a form that the owner of the domain sent from one of our pages.
#[derive(Debug)]
pub(crate) struct OwnerForm {
    path: DomainPath,
    owner: Owner,
    form: PageForm,
}

impl FromRequest<AppState> for OwnerForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let path = DomainPath::from_request_parts(&mut parts, state).await?;
        let owner = path.require_owner()?.clone();
        let form = PageForm::from_request(Request::from_parts(parts, body), state).await?;
        if !state.service.control.is_form_secret(&owner, form.field("form_secret")) {
            let sentence =
                "This form belongs to another session. Load the page again and send it once more.";
            return Err(ApiError::new(ErrorCode::Forbidden, sentence));
        }
        Ok(Self { path, owner, form })
    }
}

impl OwnerForm {
    /// A text that must be there.
    fn text(&self, name: &'static str) -> Result<&str, ApiError> {
        let text = self.form.field(name).trim();
        match text.chars().count() {
            1..=MAX_TEXT_CHARS => Ok(text),
            _ => {
                let sentence = format!("Write 1 to {MAX_TEXT_CHARS} characters.");
                Err(ApiError::bad_request(sentence).param(name))
            }
        }
    }

    /// Back to the page, or the page with the error.
    async fn finish(&self, service: &Service, done: Result<(), ApiError>) -> Response {
        let Err(error) = done else {
            return Redirect::to(&format!("/registry/{}/owner", self.path.domain)).into_response();
        };
        match collect(service, &self.owner).await {
            Ok(parts) => page_with_error(page::render(&parts, Some(error.message())), &error),
            Err(unreadable) => unreadable.into_response(),
        }
    }
}

pub(crate) async fn report_incident_form(
    State(service): State<Arc<Service>>,
    form: OwnerForm,
) -> Response {
    let report = async {
        let what = form.text("what")?;
        let since = Some(form.form.field("since").trim()).filter(|since| !since.is_empty());
        let since = parse_since(since)?;
        let reported = service.control.report_incident(&form.owner, what, since).await;
        reported.map(|_| ()).map_err(to_api_error)
    };
    let done = report.await;
    form.finish(&service, done).await
}

pub(crate) async fn end_incident_form(
    State(service): State<Arc<Service>>,
    form: OwnerForm,
) -> Response {
    let done = service.control.end_incident(&form.owner).await;
    form.finish(&service, done.map(|_| ()).map_err(to_api_error)).await
}

pub(crate) async fn file_dispute_form(
    State(service): State<Arc<Service>>,
    form: OwnerForm,
) -> Response {
    let file = async {
        let (record, reason) = (form.form.field("record"), form.text("reason")?);
        let filed = service.control.file_dispute(&form.owner, record, reason).await;
        filed.map(|_| ()).map_err(to_api_error)
    };
    let done = file.await;
    form.finish(&service, done).await
}

/// Starts a private scan and shows its progress.
pub(crate) async fn private_scan_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    limit: Result<ScanLimit, ApiError>,
    form: OwnerForm,
) -> Response {
    let command = ScanCommand {
        input: form.owner.domain.to_string(),
        visibility: Visibility::Private,
        caller: Caller::DomainOwner {
            domain: form.owner.domain.clone(),
            block: form.path.principal.block,
        },
    };
    let started = async {
        limit?.into_slot_of_address()?;
        let started = service.scanning.start_scan(command);
        let scan = started.map_err(|error| scan_to_api_error(&error))?;
        scan.accepted_or_ended().await;
        match scan.board().result.as_deref() {
            Some(Err(error)) => Err(scan_to_api_error(error)),
            _ => Ok(scan),
        }
    };
    match started.await {
        Ok(scan) => running_scan::next_page(&scan, &service_info, ""),
        Err(error) => form.finish(&service, Err(error)).await,
    }
}

pub(crate) async fn withdraw_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    form: OwnerForm,
) -> Response {
    match service.control.withdraw(&form.owner).await {
        Ok(()) => signed_out(&service_info, &form.owner),
        Err(error) => form.finish(&service, Err(to_api_error(error))).await,
    }
}

pub(crate) async fn sign_out_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    headers: http::HeaderMap,
    form: OwnerForm,
) -> Response {
    let name = session_cookie::owner_cookie_name(&service_info.issuer);
    let token = session_cookie::cookie_value(&headers, &name).and_then(SessionToken::parse);
    if let Some(token) = token
        && let Err(error) = service.control.end_owner_session(&token).await
    {
        return form.finish(&service, Err(to_api_error(error.into()))).await;
    }
    signed_out(&service_info, &form.owner)
}

/// Back to the claim, without the cookie.
fn signed_out(service_info: &ServiceInfo, owner: &Owner) -> Response {
    let page = Redirect::to(&format!("/registry/{}/claim", owner.domain)).into_response();
    session_cookie::with_cookie(page, session_cookie::clear_owner_cookie(&service_info.issuer))
}
