//! Signs responses on request (RFC 9421, `Accept-Signature`).
//!
//! This is the outermost layer, so it signs exactly what is sent. If a requested signature cannot be
//! made, the response is sent unsigned; it never becomes an error.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, HeaderName, HeaderValue, header::VARY};
use proof::http_signatures::{self, Message, RequestedSignature, SignatureFields};
use service::Service;

pub(crate) const SIGNATURE: HeaderName = HeaderName::from_static("signature");
pub(crate) const SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");
const ACCEPT_SIGNATURE: HeaderName = HeaderName::from_static("accept-signature");
/// Labels that begin like this are reserved for the key directory's own signatures.
const DIRECTORY_LABEL_PREFIX: &str = "binding";

pub(crate) async fn sign_response(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    let lines = request.headers().get_all(ACCEPT_SIGNATURE).iter();
    // Lines that are not text are ignored.
    let mut requested =
        http_signatures::parse_accept_signature(lines.filter_map(|line| line.to_str().ok()));
    requested.retain(|signature| !signature.label.starts_with(DIRECTORY_LABEL_PREFIX));
    if requested.is_empty() {
        return next.run(request).await;
    }
    let method = request.method().clone();
    // The public base URL, because a proxy may have called us by another name.
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let target_uri = format!("{}{path}", service.base_url());
    let of_request = covered_fields(&requested, request.headers(), true);

    let mut response = next.run(request).await;

    // A cache must not serve a signed response to a client that did not ask for the signature.
    response.headers_mut().append(VARY, HeaderValue::from_name(ACCEPT_SIGNATURE));
    let of_response = covered_fields(&requested, response.headers(), false);
    let (of_request, of_response) = (borrow_fields(&of_request), borrow_fields(&of_response));
    let message = Message::response(
        http_signatures::Response { status: response.status().as_u16(), fields: &of_response },
        http_signatures::Request {
            method: method.as_str(),
            target_uri: &target_uri,
            fields: &of_request,
        },
    );
    for signature in &requested {
        if let Some(signed) = service.keys.sign_response(signature, &message) {
            add_signature_headers(response.headers_mut(), &signed);
        }
    }
    response
}

/// Adds both signature headers to a response, or neither.
pub(crate) fn add_signature_headers(headers: &mut HeaderMap, signed: &SignatureFields) {
    let values = (HeaderValue::from_str(&signed.input), HeaderValue::from_str(&signed.signature));
    if let (Ok(input), Ok(signature)) = values {
        headers.append(SIGNATURE_INPUT, input);
        headers.append(SIGNATURE, signature);
    }
}

/// The header lines that a requested signature must cover. A value that is not UTF-8 is kept in lossy
/// form, so that signing refuses it instead of leaving it out.
fn covered_fields(
    requested: &[RequestedSignature],
    headers: &HeaderMap,
    of_request: bool,
) -> Vec<(String, String)> {
    let components = requested.iter().flat_map(|signature| &signature.components);
    let mut names: Vec<&str> = components
        .filter(|component| component.is_of_request() == of_request)
        .map(http_signatures::Component::name)
        .filter(|name| !name.starts_with('@'))
        .collect();
    names.sort_unstable();
    names.dedup();
    let lines = names.into_iter().flat_map(|name| {
        let values = headers.get_all(name).iter();
        values.map(move |value| {
            (name.to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
    });
    lines.collect()
}

fn borrow_fields(lines: &[(String, String)]) -> Vec<(&str, &str)> {
    lines.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
