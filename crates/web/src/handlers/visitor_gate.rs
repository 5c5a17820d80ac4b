//! `GET /api/v1/visitor/gate`: for the web server in front of a site (nginx `auth_request`, Caddy
//! `forward_auth`). One request without a body: the visitor's own header fields go in, the verdict comes back
//! in header fields, and the status says whether to let the visitor in.

use std::sync::Arc;

use axum::{
    Extension,
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    Brand,
    errors::ErrorV1,
    records::{VisitorHeaders, VisitorVerdict},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode, Uri,
    header::{CACHE_CONTROL, HOST, USER_AGENT},
};
use service::{
    Service,
    visitors::{CheckedVisitor, VisitorDescription},
};

use crate::{
    rate_limits::VisitorLimit,
    request::{ClientAddress, PeerAddress, query_parameters},
    response::{ApiError, NO_STORE},
};

/// Field values beyond this are not needed to check a visitor.
const MAX_USER_AGENT_BYTES: usize = 8_192;

/// Let a visitor in, or refuse it
///
/// For the web server in front of a site. It passes on the visitor's request: its user agent, its address
/// (`X-Forwarded-For` or `Forwarded` of a proxy that `server.trusted_proxies` names) and its signature. The
/// answer is 204 or 403 without a body; header fields (`svc-visitor`, …) say the verdict, the agent, its
/// operator and the reason. Nothing about the visitor is stored.
#[utoipa::path(
    get,
    path = "/api/v1/visitor/gate",
    operation_id = "visitorGate",
    tag = "visitors",
    params(
        ("refuse" = Option<String>, Query, description = "The verdicts that are refused, separated by \
            commas: `spoofed` (the default), `unverifiable`, `not_a_known_agent`, `verified`; or `none`.",
            example = "spoofed"),
    ),
    responses(
        (status = 204, description = "Let the visitor in."),
        (status = 403, description = "Refuse the visitor; no body."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
    )
)]
pub(crate) async fn visitor_gate(
    State(service): State<Arc<Service>>,
    limit: Result<VisitorLimit, ApiError>,
    ClientAddress(address): ClientAddress,
    peer: Option<Extension<PeerAddress>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["refuse"])?;
    let refused = parse_refused(parameters.get("refuse").map_or("spoofed", String::as_str))?;
    if limit.is_err() {
        return Ok(not_checked(&service, "The limit of visitors to check was reached."));
    }
    // The address of a web server: it does not pass on whose request it is, is not trusted to, or the request
    // comes from its own machine. Nobody is accused because of that.
    let is_peer = peer.is_none_or(|peer| peer.0.0.ip().to_canonical() == address);
    if is_peer || service.visitors.is_proxy_address(address) {
        return Ok(not_checked(
            &service,
            "The address is that of a web server, not of a visitor: add the web server to \
             server.trusted_proxies, and let it send the visitor's address in X-Forwarded-For.",
        ));
    }
    let fields: VisitorHeaders = headers
        .iter()
        .filter(|(name, _)| **name != HOST)
        .filter_map(|(name, value)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        })
        .collect();
    let user_agent = headers.get(USER_AGENT).map(HeaderValue::as_bytes).unwrap_or_default();
    let authority = headers.get("x-forwarded-host").or_else(|| headers.get(HOST));
    let checked = service
        .visitors
        .check_for_site(VisitorDescription {
            user_agent: user_agent.get(..MAX_USER_AGENT_BYTES).unwrap_or(user_agent),
            address: Some(address),
            headers: headers.contains_key("signature-input").then_some(&fields),
            authority: authority.and_then(|host| host.to_str().ok()),
        })
        .await;
    let status = if refused.contains(&checked.verdict.verdict) {
        StatusCode::FORBIDDEN
    } else {
        StatusCode::NO_CONTENT
    };
    Ok(reply(service.brand(), status, &checked))
}

fn parse_refused(text: &str) -> Result<Vec<VisitorVerdict>, ApiError> {
    if text == "none" {
        return Ok(Vec::new());
    }
    let words = text.split(',').map(|word| VisitorVerdict::from_word(word.trim()));
    let words: Option<Vec<VisitorVerdict>> = words.collect();
    words.ok_or_else(|| {
        let words = VisitorVerdict::WORDS.join(", ");
        ApiError::bad_request(format!("`refuse` is a list of {words}, or `none`.")).param("refuse")
    })
}

/// A visitor that could not be checked is let in or refused as the operator configured.
fn not_checked(service: &Service, why: &str) -> Response {
    let status = if service.visitors.gate_fails_closed() {
        StatusCode::FORBIDDEN
    } else {
        StatusCode::NO_CONTENT
    };
    let fields = [("visitor", "not_checked"), ("visitor-why", why)];
    (status, [(CACHE_CONTROL, NO_STORE)], header_map(service.brand(), &fields)).into_response()
}

fn reply(brand: &Brand, status: StatusCode, checked: &CheckedVisitor) -> Response {
    let CheckedVisitor { verdict, checker, .. } = checked;
    let agent = verdict.claimed.and_then(|agent| checker.agents().agent(agent));
    let why = checked.why();
    let mut fields = vec![("visitor", verdict.verdict.as_str()), ("visitor-why", why.as_str())];
    if let Some(agent) = agent {
        fields.push(("visitor-agent", &agent.name));
        fields.push(("visitor-operator", &agent.operator));
    }
    if let Some(method) = verdict.method {
        fields.push(("visitor-verified-by", method.as_str()));
    }
    (status, [(CACHE_CONTROL, NO_STORE)], header_map(brand, &fields)).into_response()
}

/// `{brand}-{name}` fields. Characters that a field cannot hold become question marks.
fn header_map(brand: &Brand, fields: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in fields {
        let value: String = value
            .chars()
            .map(|c| if c.is_ascii() && !c.is_ascii_control() { c } else { '?' })
            .collect();
        let name = HeaderName::try_from(brand.header(name).to_ascii_lowercase());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
            map.insert(name, value);
        }
    }
    map
}
