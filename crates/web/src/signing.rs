//! Answers are signed for whoever asks (RFC 9421, `Accept-Signature`).
//!
//! The outermost layer: what is signed is what is sent. A wish that cannot be met leaves the answer
//! unsigned, and never makes it an error.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, HeaderName, HeaderValue, header::VARY};
use proof::httpsig::{self, Asked, Message, SignatureFields};
use service::Service;

pub(crate) const SIGNATURE: HeaderName = HeaderName::from_static("signature");
pub(crate) const SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");
const ACCEPT_SIGNATURE: HeaderName = HeaderName::from_static("accept-signature");
/// The key directory's own signatures have labels that begin like this.
const DIRECTORY_LABEL: &str = "binding";

pub(crate) async fn sign(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Response {
    let lines = request.headers().get_all(ACCEPT_SIGNATURE).iter();
    // Bytes that are not text ask for nothing.
    let mut asked = httpsig::read_accept_signature(lines.filter_map(|line| line.to_str().ok()));
    asked.retain(|asked| !asked.label.starts_with(DIRECTORY_LABEL));
    if asked.is_empty() {
        return next.run(request).await;
    }
    let method = request.method().clone();
    // Our own address, whatever name a proxy asked us by: that is where the caller went.
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let target_uri = format!("{}{path}", service.base_url());
    let of_request = covered_fields(&asked, request.headers(), true);

    let mut response = next.run(request).await;

    // A signature is for the one who asked: another must not be given it out of a cache.
    response.headers_mut().append(VARY, HeaderValue::from_name(ACCEPT_SIGNATURE));
    let of_response = covered_fields(&asked, response.headers(), false);
    let (of_request, of_response) = (as_fields(&of_request), as_fields(&of_response));
    let message = Message::response(
        httpsig::Response { status: response.status().as_u16(), fields: &of_response },
        httpsig::Request { method: method.as_str(), target_uri: &target_uri, fields: &of_request },
    );
    for asked in &asked {
        if let Some(signed) = service.sign_response(asked, &message) {
            add(response.headers_mut(), &signed);
        }
    }
    response
}

/// Puts both fields on an answer, or neither.
pub(crate) fn add(headers: &mut HeaderMap, signed: &SignatureFields) {
    let values = (HeaderValue::from_str(&signed.input), HeaderValue::from_str(&signed.signature));
    if let (Ok(input), Ok(signature)) = values {
        headers.append(SIGNATURE_INPUT, input);
        headers.append(SIGNATURE, signature);
    }
}

/// The lines of the fields that somebody wants covered. What is not text stays visible as such, so
/// that it is refused and not left out.
fn covered_fields(asked: &[Asked], headers: &HeaderMap, of_request: bool) -> Vec<(String, String)> {
    let components = asked.iter().flat_map(|asked| &asked.components);
    let mut names: Vec<&str> = components
        .filter(|component| component.is_of_request() == of_request)
        .map(httpsig::Component::name)
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

fn as_fields(lines: &[(String, String)]) -> Vec<(&str, &str)> {
    lines.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
