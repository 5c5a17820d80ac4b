//! The forms of our own pages: read leniently, and only if one of our pages issued them to this client.

use std::convert::Infallible;

use axum::{
    body::Body,
    extract::{FromRequest, FromRequestParts, Request},
    response::{IntoResponse, Response},
};
use contract::errors::ErrorCode;
use http::{
    HeaderMap,
    header::{CACHE_CONTROL, CONTENT_TYPE},
    request::Parts,
};
use service::{AddressBlock, Service};

use crate::{
    pages::{self, home::ScanForm},
    principal::same_origin::is_cross_site,
    request::{ClientAddress, body},
    response::{ApiError, HTML, NO_STORE},
    state::{AppState, ServiceInfo},
};

/// A few short fields and a token: far less than this.
const MAX_FORM_BYTES: usize = 16 * 1_024;

/// A new token for this client, for a form on the page that it gets.
#[derive(Debug)]
pub(crate) struct PageToken(pub(super) String);

impl FromRequestParts<AppState> for PageToken {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let block = client_block(parts, state).await;
        Ok(Self(state.service.access.page_token(block)))
    }
}

/// A form as the client sent it. One that a page of another site sent is refused.
#[derive(Debug)]
pub(crate) struct PageForm {
    fields: FormFields,
    block: AddressBlock,
}

impl FromRequest<AppState> for PageForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        refuse_cross_site(&parts.headers)?;
        let block = client_block(&mut parts, state).await;
        Ok(Self { fields: read_form(&parts.headers, body).await?, block })
    }
}

impl PageForm {
    /// The last value of a field; empty if there is none.
    pub(super) fn field(&self, name: &str) -> &str {
        field(&self.fields, name)
    }

    /// Uses the token of the form. Refuses a form that none of our pages issued to this client lately.
    pub(super) fn use_token(&self, service: &Service) -> Result<(), ApiError> {
        if service.access.use_page_token(self.field("token"), self.block) {
            return Ok(());
        }
        Err(ApiError::new(ErrorCode::Forbidden, "This form has expired. Send it once more."))
    }
}

async fn client_block(parts: &mut Parts, state: &AppState) -> AddressBlock {
    let Ok(ClientAddress(address)) = ClientAddress::from_request_parts(parts, state).await;
    AddressBlock::from_address(address)
}

/// The names and values of a form, as sent.
type FormFields = Vec<(String, String)>;

/// Refuses a form that a page of another site sent, or any page could make its visitors start scans.
fn refuse_cross_site(headers: &HeaderMap) -> Result<(), ApiError> {
    if is_cross_site(headers) {
        let sentence =
            "This form was sent by another site. Use the form on our own page, or the API.";
        return Err(ApiError::new(ErrorCode::Forbidden, sentence));
    }
    Ok(())
}

async fn read_form(headers: &HeaderMap, body: Body) -> Result<FormFields, ApiError> {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let name = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !name.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(ApiError::unsupported_media_type(
            "This address accepts only the form of our own page (application/x-www-form-urlencoded).",
        ));
    }
    let bytes = body::read_body_within(headers, body, MAX_FORM_BYTES).await?;
    Ok(parse_form(&bytes))
}

fn parse_form(bytes: &[u8]) -> FormFields {
    url::form_urlencoded::parse(bytes).into_owned().collect()
}

fn field<'a>(form: &'a FormFields, name: &str) -> &'a str {
    form.iter().rev().find(|(known, _)| known == name).map_or("", |(_, value)| value)
}

/// A page that nobody may store.
pub(super) fn page_response(html: String) -> Response {
    let headers = [(CONTENT_TYPE, HTML), (CACHE_CONTROL, NO_STORE)];
    let mut response = (headers, html).into_response();
    pages::add_page_headers(response.headers_mut());
    response
}

/// A page that shows the error of a form, with its status. What only the operator may know is logged.
pub(super) fn page_with_error(html: String, error: &ApiError) -> Response {
    if let Some(cause) = error.internal_message() {
        tracing::warn!(cause, "a form of our pages failed");
    }
    error.apply_to_page(page_response(html))
}

/// The home page with the error of the last attempt.
pub(super) fn home_with_error(
    service_info: &ServiceInfo,
    form: &ScanForm,
    token: &str,
    error: &ApiError,
) -> Response {
    let base_url = &service_info.issuer.base_url;
    page_with_error(pages::home::render(base_url, form, token, Some(error.message())), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_parsed_leniently() {
        let form = parse_form(b"domain=shop.example%2F%3Cb%3E&unlisted=on&x=y&token=1.a-_");
        assert_eq!(field(&form, "token"), "1.a-_");
        assert_eq!((field(&form, "domain"), field(&form, "unlisted")), ("shop.example/<b>", "on"));
        let form = parse_form(b"\xff=\xfe&domain=%ff%00");
        assert_eq!((field(&form, "domain"), field(&form, "token")), ("\u{fffd}\0", ""));
    }
}
