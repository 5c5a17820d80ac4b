//! The home page and its scan form.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Redirect, Response},
};
use contract::records::{ScanRecord, Visibility};
use http::{
    HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE, LINK},
};
use service::{AddressBlock, Caller, ScanCommand, ScanReply, Service};

use super::scan;
use crate::{
    pages::{self, home::ScanForm},
    rate_limits::{self, RateLimitStatus, RateLimiters},
    request::{ClientAddress, body},
    response::{ApiError, HTML, NO_STORE},
    state::ServiceInfo,
};

pub(crate) async fn home(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    ClientAddress(address): ClientAddress,
) -> Response {
    let token = service.access.page_token(AddressBlock::from_address(address));
    let mut response = html_response(pages::home::render(
        &service_info.issuer.base_url,
        &ScanForm::default(),
        &token,
        None,
    ));
    let link = HeaderValue::from_static(
        "</openapi.json>; rel=\"service-desc\", </docs>; rel=\"service-doc\"",
    );
    response.headers_mut().insert(LINK, link);
    response
}

/// Handles the scan form: scans, then redirects to the report. On an error the form is shown again,
/// filled in as before. If our home page issued the form to this address, the scan does not count
/// against the daily limits; the rate limits apply as usual.
pub(crate) async fn scan_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    State(rates): State<Arc<RateLimiters>>,
    ClientAddress(address): ClientAddress,
    rate_limit_status: RateLimitStatus,
    request: Request,
) -> Response {
    let block = AddressBlock::from_address(address);
    let within_rates = rate_limits::acquire_scan(&rates, block, &rate_limit_status);
    let (form, token) = match read_form(request).await {
        Ok(read) => read,
        Err(error) => return error.into_response(),
    };
    let visibility = if form.unlisted { Visibility::Unlisted } else { Visibility::Public };
    let caller = if service.access.is_page_token(&token, block) {
        Caller::OwnPage
    } else {
        Caller::Anonymous(block)
    };
    let ask = ScanCommand { input: form.domain.clone(), visibility, caller };
    let result = match within_rates {
        Ok(()) => service.scanning.scan(ask).await.map_err(scan::to_api_error),
        Err(refused) => Err(refused),
    };
    match result {
        Ok(reply) => scan_response(&reply),
        Err(error) => {
            if let Some(cause) = error.internal_message() {
                tracing::warn!(cause, "a scan started by the form failed");
            }
            let token = service.access.page_token(block);
            let page = html_response(pages::home::render(
                &service_info.issuer.base_url,
                &form,
                &token,
                Some(error.message()),
            ));
            error.apply_to_page(page)
        }
    }
}

/// Redirects to a stored report. A report that was not stored is shown directly.
fn scan_response(reply: &ScanReply) -> Response {
    if let Some(id) = &reply.id {
        return Redirect::to(&format!("/r/{id}")).into_response();
    }
    match serde_json::from_slice::<ScanRecord>(&reply.bytes) {
        Ok(record) => html_response(pages::report::render(&record)),
        Err(error) => ApiError::internal(error.to_string()).into_response(),
    }
}

/// The form's values, and the token that our page put into it.
async fn read_form(request: Request) -> Result<(ScanForm, String), ApiError> {
    let (parts, body) = request.into_parts();
    let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let name = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !name.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(ApiError::unsupported_media_type(
            "This address accepts only the form of the home page (application/x-www-form-urlencoded).",
        ));
    }
    let bytes = body::read_body(&parts.headers, body).await?;
    Ok(parse_form(&bytes))
}

fn parse_form(bytes: &[u8]) -> (ScanForm, String) {
    let (mut form, mut token) = (ScanForm::default(), String::new());
    for (name, value) in url::form_urlencoded::parse(bytes) {
        match &*name {
            "domain" => form.domain = value.into_owned(),
            "unlisted" => form.unlisted = true,
            "token" => token = value.into_owned(),
            _ => {}
        }
    }
    (form, token)
}

fn html_response(html: String) -> Response {
    let headers = [(CONTENT_TYPE, HTML), (CACHE_CONTROL, NO_STORE)];
    let mut response = (headers, html).into_response();
    pages::add_page_headers(response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_parsed_leniently() {
        let (form, token) =
            parse_form(b"domain=shop.example%2F%3Cb%3E&unlisted=on&x=y&token=1.a-_");
        assert_eq!(token, "1.a-_");
        assert_eq!((form.domain.as_str(), form.unlisted), ("shop.example/<b>", true));
        let (form, token) = parse_form(b"\xff=\xfe&domain=%ff%00");
        assert_eq!((form.domain.as_str(), form.unlisted), ("\u{fffd}\0", false));
        assert_eq!(token, "");
    }

    #[test]
    fn a_stored_report_is_redirected_to() {
        let reply = ScanReply {
            bytes: bytes::Bytes::new(),
            sha256: String::new(),
            id: Some("abc".to_owned()),
        };
        let response = scan_response(&reply);
        assert_eq!(
            (response.status().as_u16(), &response.headers()["location"]),
            (303, &"/r/abc".parse().unwrap())
        );
    }
}
