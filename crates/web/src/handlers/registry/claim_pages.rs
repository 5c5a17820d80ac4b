//! The forms of `/registry/{domain}/claim`, for people.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use contract::{
    errors::ErrorCode,
    records::{ClaimChallenge, ClaimOffer, ControlMethod},
};
use service::{ClaimDetails, ClaimSecret, ControlError, Owner, Service, access::LiveReadPermit};

use super::{DomainPath, to_api_error};
use crate::{
    handlers::page_forms::{PageForm, PageToken, page_response, page_with_error},
    pages::claim::{self as page, ChallengeParts, ClaimPageParts},
    principal::session_cookie,
    rate_limits::{LiveReadLimit, live_read_limit_error},
    response::ApiError,
    state::ServiceInfo,
};

const MAX_ORGANIZATION_CHARS: usize = 120;
const MAX_CONTACT_CHARS: usize = 254;

/// The page with the state of the domain and the form that begins a claim.
pub(super) async fn claim_page(
    service: &Service,
    path: &DomainPath,
    offer: &ClaimOffer,
    PageToken(token): PageToken,
    error: Option<&ApiError>,
) -> Response {
    let record = match service.control.unsigned_record(&path.domain).await {
        Ok(record) => record,
        Err(error) => return to_api_error(error).into_response(),
    };
    let parts = ClaimPageParts {
        offer,
        record: &record,
        token: &token,
        is_owner: path.owner().is_some(),
        problem: error.map(ApiError::message),
    };
    let html = page::render(&parts);
    match error {
        None => page_response(html),
        Some(error) => page_with_error(html, error),
    }
}

async fn claim_page_with_error(
    service: &Service,
    path: &DomainPath,
    token: PageToken,
    error: &ApiError,
) -> Response {
    match service.control.offer(&path.domain).await {
        Ok(offer) => claim_page(service, path, &offer, token, Some(error)).await,
        Err(error) => to_api_error(error).into_response(),
    }
}

/// Begins a claim, as `POST /registry/{domain}/claim` does, and shows what to publish.
pub(crate) async fn begin_form(
    State(service): State<Arc<Service>>,
    path: DomainPath,
    token: PageToken,
    form: PageForm,
) -> Response {
    match begin(&service, &path, &form).await {
        Ok(challenge) => {
            let parts = ChallengeParts { token: &token.0, ..ChallengeParts::default() };
            page_response(page::render_challenge(&challenge, &parts))
        }
        Err(error) => claim_page_with_error(&service, &path, token, &error).await,
    }
}

async fn begin(
    service: &Service,
    path: &DomainPath,
    form: &PageForm,
) -> Result<ClaimChallenge, ApiError> {
    form.use_token(service)?;
    let method = ControlMethod::from_word(form.field("method"))
        .ok_or_else(|| ApiError::bad_request("Choose one of the methods.").param("method"))?;
    let block = path.principal.block;
    service.control.begin_claim(&path.domain, &method, block).await.map_err(to_api_error)
}

/// Looks for the proof, as `POST /registry/{domain}/claim/verify` does, and signs the owner in.
pub(crate) async fn check_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    path: DomainPath,
    live_reads: LiveReadLimit,
    token: PageToken,
    form: PageForm,
) -> Response {
    let brand = &service_info.issuer.brand;
    let Some(secret) = ClaimSecret::parse(form.field("secret").trim(), brand) else {
        let error = to_api_error(ControlError::UnknownClaim);
        return claim_page_with_error(&service, &path, token, &error).await;
    };
    let error = match check(&service, &path, &live_reads, &form, &secret).await {
        Ok(owner) => return sign_in(&service, &service_info, &owner).await,
        Err(error) => error,
    };
    // The page with the token once more, unless the claim is none of ours.
    let (claim_id, block) = (form.field("claim_id"), path.principal.block);
    let challenge = service.control.shown_challenge(&path.domain, claim_id, &secret, block).await;
    match challenge {
        Ok(Some(challenge)) if *error.code() != ErrorCode::Conflict => {
            let parts = ChallengeParts {
                token: &token.0,
                problem: Some(error.message()),
                seen: &error.body().errors,
                organization: form.field("organization"),
                contact: form.field("contact"),
            };
            page_with_error(page::render_challenge(&challenge, &parts), &error)
        }
        _ => claim_page_with_error(&service, &path, token, &error).await,
    }
}

async fn check(
    service: &Service,
    path: &DomainPath,
    live_reads: &LiveReadLimit,
    form: &PageForm,
    secret: &ClaimSecret,
) -> Result<Owner, ApiError> {
    form.use_token(service)?;
    live_reads.acquire().map_err(live_read_limit_error)?;
    let text = |name: &'static str, most: usize| match form.field(name).trim() {
        "" => Ok(None),
        text if text.chars().count() <= most => Ok(Some(text.to_owned())),
        _ => Err(ApiError::bad_request(format!("Write at most {most} characters.")).param(name)),
    };
    let details = ClaimDetails {
        organization: text("organization", MAX_ORGANIZATION_CHARS)?,
        contact: text("contact", MAX_CONTACT_CHARS)?,
    };
    let (claim_id, block) = (form.field("claim_id"), path.principal.block);
    let proven = service.control.check_claim(&path.domain, claim_id, secret, details, block).await;
    Ok(proven.map_err(to_api_error)?.owner)
}

/// Begins a session with the secret of a claim.
pub(crate) async fn sign_in_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    path: DomainPath,
    token: PageToken,
    form: PageForm,
) -> Response {
    match find_owner(&service, &service_info, &path, &form).await {
        Ok(owner) => sign_in(&service, &service_info, &owner).await,
        Err(error) => claim_page_with_error(&service, &path, token, &error).await,
    }
}

async fn find_owner(
    service: &Service,
    service_info: &ServiceInfo,
    path: &DomainPath,
    form: &PageForm,
) -> Result<Owner, ApiError> {
    form.use_token(service)?;
    let secret = ClaimSecret::parse(form.field("secret").trim(), &service_info.issuer.brand);
    let owner = match secret {
        Some(secret) => service.control.owner_by_secret(&secret).await.map_err(to_api_error)?,
        None => None,
    };
    owner.filter(|owner| owner.domain == path.domain).ok_or_else(|| {
        let sentence = "This secret does not open this domain now. Its claim may have ended; then prove control again.";
        ApiError::new(ErrorCode::Unauthorized, sentence)
    })
}

async fn sign_in(service: &Service, service_info: &ServiceInfo, owner: &Owner) -> Response {
    match service.control.begin_owner_session(owner).await {
        Ok(token) => {
            let page = Redirect::to(&format!("/registry/{}/owner", owner.domain)).into_response();
            session_cookie::with_cookie(
                page,
                session_cookie::set_owner_cookie(&service_info.issuer, &token),
            )
        }
        Err(error) => to_api_error(error).into_response(),
    }
}
