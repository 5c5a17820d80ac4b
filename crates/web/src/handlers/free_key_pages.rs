//! `/keys/free`: the form for people, and the page that a link in a mail leads to. Nothing is used up by
//! opening the link, because mail scanners open links, too.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::errors::ErrorCode;
use service::{AddressBlock, ClaimOutcome, LinkState, LinkToken, Service};

use super::{
    free_keys::{offered, to_api_error},
    page_forms::{PageForm, PageToken, page_response, page_with_error},
};
use crate::{
    pages::free_keys as page,
    rate_limits::ReadLimit,
    request::{ClientAddress, PathParameter},
    response::ApiError,
    state::ServiceInfo,
};

pub(crate) async fn form_page(_: ReadLimit, PageToken(token): PageToken) -> Response {
    page_response(page::render_form("", &token, None))
}

/// Takes the form, as `POST /api/v1/keys/free` does and within the same limits.
pub(crate) async fn send_form(
    State(service): State<Arc<Service>>,
    ClientAddress(address): ClientAddress,
    limit: Result<ReadLimit, ApiError>,
    PageToken(token): PageToken,
    sent: PageForm,
) -> Response {
    let mailbox = sent.field("email").trim();
    let block = AddressBlock::from_address(address);
    match take_form(&service, limit, &sent, mailbox, block).await {
        Ok(()) => page_response(page::render_sent()),
        Err(error) => {
            page_with_error(page::render_form(mailbox, &token, Some(error.message())), &error)
        }
    }
}

async fn take_form(
    service: &Service,
    limit: Result<ReadLimit, ApiError>,
    sent: &PageForm,
    mailbox: &str,
    block: AddressBlock,
) -> Result<(), ApiError> {
    limit?;
    sent.use_token(service)?;
    offered(service)?.request_key(mailbox, block).await.map_err(to_api_error)
}

/// The page with the button.
pub(crate) async fn link_page(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    token: Result<PathParameter, ApiError>,
) -> Result<Response, ApiError> {
    let token = parse_token(token)?;
    match offered(&service)?.link_state(&token).await.map_err(to_api_error)? {
        LinkState::Valid => Ok(page_response(page::render_link())),
        LinkState::Unknown => Err(unknown_link()),
        LinkState::Expired => Err(expired_link()),
    }
}

/// The button: makes the key and shows it, this once.
pub(crate) async fn show_key(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    token: Result<PathParameter, ApiError>,
    // Refuses a form that another site sent.
    _: PageForm,
) -> Result<Response, ApiError> {
    let token = parse_token(token)?;
    match offered(&service)?.claim_key(&token).await.map_err(to_api_error)? {
        ClaimOutcome::Key(key) => {
            Ok(page_response(page::render_key(&service_info.issuer.base_url, key.reveal())))
        }
        ClaimOutcome::Unknown => Err(unknown_link()),
        ClaimOutcome::Expired => Err(expired_link()),
        ClaimOutcome::HasKey => Err(ApiError::new(
            ErrorCode::Conflict,
            "This mail address has a key already. Each mail address gets one.",
        )),
    }
}

/// What is not valid UTF-8 is no token either.
fn parse_token(token: Result<PathParameter, ApiError>) -> Result<LinkToken, ApiError> {
    let token = token.ok().and_then(|PathParameter(text)| LinkToken::parse(&text));
    token.ok_or_else(unknown_link)
}

fn unknown_link() -> ApiError {
    let sentence = "This link is not valid. It may have been used: each link shows a key once.";
    ApiError::new(ErrorCode::NotFound, sentence)
}

fn expired_link() -> ApiError {
    ApiError::new(ErrorCode::LinkExpired, "This link has expired. Ask for another one.")
}
