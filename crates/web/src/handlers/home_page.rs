//! The home page and its scan form.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Redirect, Response},
};
use contract::{
    errors::ErrorCode,
    records::{ScanRecord, Visibility},
};
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_TYPE, HOST, LINK, ORIGIN},
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

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// A domain or address, a token and a box: far less than this.
const MAX_FORM_BYTES: usize = 16 * 1_024;

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
/// filled in as before. The form must be one that our home page issued to this address, so the scan does
/// not count against the daily limits; the rate limits apply as usual. A form that another site sends is
/// refused, or any page could make its visitors start scans.
pub(crate) async fn scan_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    State(rates): State<Arc<RateLimiters>>,
    ClientAddress(address): ClientAddress,
    rate_limit_status: RateLimitStatus,
    request: Request,
) -> Response {
    let block = AddressBlock::from_address(address);
    if is_cross_site(request.headers()) {
        let sentence = "This form was sent by another site. Use the form on the home page, or \
                        POST /api/scan.";
        return ApiError::new(ErrorCode::Forbidden, sentence).into_response();
    }
    let within_rates = rate_limits::acquire_scan(&rates, block, &rate_limit_status);
    let (form, token) = match read_form(request).await {
        Ok(read) => read,
        Err(error) => return error.into_response(),
    };
    let visibility = if form.unlisted { Visibility::Unlisted } else { Visibility::Public };
    let ask = ScanCommand { input: form.domain.clone(), visibility, caller: Caller::OwnPage };
    let result = match within_rates {
        Ok(()) if service.access.use_page_token(&token, block) => {
            service.scanning.scan(ask).await.map_err(scan::to_api_error)
        }
        Ok(()) => {
            Err(ApiError::new(ErrorCode::Forbidden, "This form has expired. Send it once more."))
        }
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

/// Whether a browser says that a page of another site sent the request. Browsers set these headers
/// themselves, and pages cannot change them. A request without them is not from a page, or from a browser
/// too old to tell; its token is checked like that of any other.
fn is_cross_site(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get(&SEC_FETCH_SITE) {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    origin.map(|(_, host)| host) != host
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
    let bytes = body::read_body_within(&parts.headers, body, MAX_FORM_BYTES).await?;
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
    fn forms_of_other_sites_are_recognised() {
        let check = |fields: &[(&'static str, &'static str)]| {
            let fields = fields.iter();
            let field = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            is_cross_site(&fields.map(field).collect())
        };
        let host = ("host", "svc.example:8080");
        for own in [
            vec![host],
            vec![host, ("sec-fetch-site", "same-origin")],
            vec![host, ("sec-fetch-site", "none")],
            vec![host, ("origin", "http://svc.example:8080")],
            vec![host, ("origin", "https://svc.example:8080")],
            // A proxy may rewrite Host; the browser's own word counts.
            vec![("host", "inner"), ("sec-fetch-site", "same-origin"), ("origin", "https://outer")],
        ] {
            assert!(!check(&own), "{own:?}");
        }
        for foreign in [
            vec![host, ("sec-fetch-site", "cross-site")],
            vec![host, ("sec-fetch-site", "same-site")],
            vec![host, ("sec-fetch-site", "cross-site"), ("origin", "http://svc.example:8080")],
            vec![host, ("origin", "http://other.example")],
            vec![host, ("origin", "http://svc.example")],
            vec![host, ("origin", "null")],
            vec![("origin", "http://svc.example")],
        ] {
            assert!(check(&foreign), "{foreign:?}");
        }
    }

    #[test]
    fn a_stored_report_is_redirected_to() {
        let reply = ScanReply {
            bytes: bytes::Bytes::new(),
            sha256: String::new(),
            id: Some("abc".to_owned()),
            is_earlier_report: false,
        };
        let response = scan_response(&reply);
        assert_eq!(
            (response.status().as_u16(), &response.headers()["location"]),
            (303, &"/r/abc".parse().unwrap())
        );
    }
}
