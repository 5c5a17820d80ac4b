//! The first page, and the form on it.

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
use service::{AddressBlock, Caller, ScanAsk, ScanReply, Service};

use super::scan;
use crate::{
    body,
    client_address::ClientAddress,
    documents::{HTML, NOT_AT_ALL},
    errors::ApiError,
    limits::{self, Told},
    pages::{self, home::Form},
    state::{AskRates, Site},
};

pub(crate) async fn home(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
    ClientAddress(address): ClientAddress,
) -> Response {
    let token = service.page_token(AddressBlock::of(address));
    let mut response = page(pages::home::render(&site.base_url, &Form::default(), &token, None));
    let link = HeaderValue::from_static(
        "</openapi.json>; rel=\"service-desc\", </docs>; rel=\"service-doc\"",
    );
    response.headers_mut().insert(LINK, link);
    response
}

/// The form of the first page: scans, then leads to the report. A refusal comes back with the
/// form, filled in as it was. A form that one of our pages gave out to this address is not counted
/// by the day; the rates hold for it as for everybody.
pub(crate) async fn scan_form(
    State(service): State<Arc<Service>>,
    State(site): State<Arc<Site>>,
    State(rates): State<Arc<AskRates>>,
    ClientAddress(address): ClientAddress,
    told: Told,
    request: Request,
) -> Response {
    let block = AddressBlock::of(address);
    let within_rates = limits::may_scan(&rates, block, &told);
    let (form, token) = match read_form(request).await {
        Ok(read) => read,
        Err(error) => return error.into_response(),
    };
    let visibility = if form.unlisted { Visibility::Unlisted } else { Visibility::Public };
    let caller =
        if service.is_own_page(&token, block) { Caller::OwnPage } else { Caller::Anybody(block) };
    let ask = ScanAsk { input: form.domain.clone(), visibility, caller };
    let done = match within_rates {
        Ok(()) => service.scan(ask).await.map_err(scan::refusal),
        Err(refused) => Err(refused),
    };
    match done {
        Ok(reply) => found(&reply),
        Err(error) => {
            if let Some(cause) = error.internal_message() {
                tracing::warn!(cause, "a scan asked for by the form failed");
            }
            let token = service.page_token(block);
            let page =
                page(pages::home::render(&site.base_url, &form, &token, Some(error.sentence())));
            error.on_page(page)
        }
    }
}

/// A kept report has an address; what was not kept can only be shown now.
fn found(reply: &ScanReply) -> Response {
    if let Some(id) = &reply.id {
        return Redirect::to(&format!("/r/{id}")).into_response();
    }
    match serde_json::from_slice::<ScanRecord>(&reply.bytes) {
        Ok(record) => page(pages::report::render(&record)),
        Err(error) => ApiError::internal(error.to_string()).into_response(),
    }
}

/// The form, and the token our page put into it.
async fn read_form(request: Request) -> Result<(Form, String), ApiError> {
    let (parts, body) = request.into_parts();
    let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let name = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !name.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(ApiError::unsupported_media_type(
            "This address takes the form of the first page.",
        ));
    }
    let bytes = body::read(&parts.headers, body).await?;
    Ok(form_of(&bytes))
}

fn form_of(bytes: &[u8]) -> (Form, String) {
    let (mut form, mut token) = (Form::default(), String::new());
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

fn page(html: String) -> Response {
    let headers = [(CONTENT_TYPE, HTML), (CACHE_CONTROL, NOT_AT_ALL)];
    let mut response = (headers, html).into_response();
    pages::add_headers(response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_read_leniently_and_a_name_strictly_later() {
        let (form, token) = form_of(b"domain=shop.example%2F%3Cb%3E&unlisted=on&x=y&token=1.a-_");
        assert_eq!(token, "1.a-_");
        assert_eq!((form.domain.as_str(), form.unlisted), ("shop.example/<b>", true));
        let (form, token) = form_of(b"\xff=\xfe&domain=%ff%00");
        assert_eq!((form.domain.as_str(), form.unlisted), ("\u{fffd}\0", false));
        assert_eq!(token, "");
    }

    #[test]
    fn a_kept_report_is_gone_to() {
        let reply = ScanReply {
            bytes: bytes::Bytes::new(),
            sha256: String::new(),
            id: Some("abc".to_owned()),
        };
        let response = found(&reply);
        assert_eq!(
            (response.status().as_u16(), &response.headers()["location"]),
            (303, &"/r/abc".parse().unwrap())
        );
    }
}
