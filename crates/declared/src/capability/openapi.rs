//! The operations of an OpenAPI description.

use std::sync::Arc;

use serde_json::Value;
use url::Url;

use super::bounds::MAX_ADDRESS_BYTES;
use super::collector::{CapabilityCollector, absolute_url};
use super::effect_hints::{CredentialRequirement, EffectHints, MethodKind};
use super::fields::{items, members, parse_security, text, texts};
use super::name_words::NameWords;
use super::read_call::{ReadCall, read_call};
use super::references::resolve;

pub(super) fn operations(document: &Arc<Value>, found: &mut CapabilityCollector) {
    let root = document.as_ref();
    for (path, item) in members(root.get("paths")) {
        if !path.starts_with('/') {
            continue;
        }
        for (word, operation) in members(Some(item)) {
            let Some(method) = MethodKind::from_name(word).filter(|_| operation.is_object()) else {
                continue;
            };
            let request_line = format!("{} {path}", word.to_ascii_uppercase());
            let id = text(operation, "operationId");
            let base = found.base.clone();
            let server = server_url(root, item, operation, base.as_ref());
            // Only GET is ever called, so nothing else has a call.
            let call = (word == "get")
                .then(|| read_call(document, path, server.clone(), base.as_ref()))
                .flatten();
            let mut signs = operation_hints(root, item, operation, method, path, id);
            signs.words.add_all(call.iter().flat_map(ReadCall::filled_in));
            signs.words.add_all(server.iter().map(Url::path));
            if method == MethodKind::Safe {
                let place = server.as_ref().map(|url| url.as_str().trim_end_matches('/'));
                signs.read_of = place.map(|place| format!("{place}{path}"));
            }
            let endpoint = operation_url(server, path);
            if !found.add_operation(id.unwrap_or(&request_line), endpoint, signs, call) {
                return;
            }
        }
    }
}

fn operation_hints(
    root: &Value,
    item: &Value,
    operation: &Value,
    method: MethodKind,
    path: &str,
    id: Option<&str>,
) -> EffectHints {
    let requirements = operation.get("security").or_else(|| root.get("security"));
    // A description without `security` needs no credentials.
    let (mut credential, scopes) =
        requirements.map_or((CredentialRequirement::NotNeeded, Vec::new()), parse_security);
    let mut parameters = items(item, "parameters").chain(items(operation, "parameters"));
    if parameters.any(|parameter| resolve(root, parameter).is_some_and(is_secret)) {
        credential = CredentialRequirement::Needed;
    }
    let body = operation.get("requestBody").and_then(|body| resolve(root, body));
    let in_body = |parameter: &Value| {
        resolve(root, parameter).and_then(|parameter| text(parameter, "in")) == Some("body")
    };
    EffectHints {
        method: Some(method),
        needs_body: body.is_some_and(|body| body.get("required") == Some(&true.into()))
            || items(operation, "parameters").any(in_body),
        credential,
        scopes,
        priced: operation.get("responses").is_some_and(|r| r.get("402").is_some())
            || members(Some(operation)).any(|(name, _)| is_price(name)),
        // Path parameters (`{id}`) say nothing about the effect.
        words: NameWords::from_texts(
            path.split('/')
                .filter(|part| !part.starts_with('{'))
                .chain(id)
                .chain(texts(operation, "tags")),
        ),
        summary: NameWords::from_texts(text(operation, "summary")),
        ..EffectHints::default()
    }
}

/// Whether a parameter carries a credential that `security` does not list.
fn is_secret(parameter: &Value) -> bool {
    let name = text(parameter, "name").unwrap_or_default().to_ascii_lowercase().replace('-', "_");
    let known = matches!(
        name.as_str(),
        "authorization" | "api_key" | "apikey" | "x_api_key" | "access_token" | "x_auth_token"
    );
    known && matches!(text(parameter, "in"), Some("header" | "query" | "cookie"))
}

fn is_price(member: &str) -> bool {
    matches!(member, "x-payment-info" | "x-price" | "x-pricing" | "x-402" | "x-x402")
}

/// The URL of the server that an operation is at: from the nearest `servers`, or the file's own origin
/// without any.
fn server_url(root: &Value, item: &Value, operation: &Value, base: Option<&Url>) -> Option<Url> {
    let nearest = [operation, item, root]
        .into_iter()
        .find_map(|level| level.get("servers")?.as_array().filter(|list| !list.is_empty()));
    match nearest {
        Some(list) => absolute_url(base, text(list.first()?, "url")?),
        None => swagger_base_url(root, base),
    }
}

/// The URL of an operation. A path with parameters is kept up to the first parameter.
fn operation_url(server: Option<Url>, path: &str) -> Option<Url> {
    let mut url = server?;
    let whole = format!("{}{path}", url.path().trim_end_matches('/'));
    let fixed = whole.split('{').next().unwrap_or_default();
    if fixed.len() > MAX_ADDRESS_BYTES {
        return None;
    }
    url.set_path(fixed);
    url.set_query(None);
    url.set_fragment(None);
    (url.as_str().len() <= MAX_ADDRESS_BYTES).then_some(url)
}

/// Host and base path of Swagger 2.0; the file's own origin if they are missing.
fn swagger_base_url(root: &Value, base: Option<&Url>) -> Option<Url> {
    let scheme = texts(root, "schemes").find(|scheme| *scheme == "https");
    let scheme = scheme.or_else(|| texts(root, "schemes").next()).or(base.map(Url::scheme))?;
    let path = text(root, "basePath").unwrap_or("/");
    match text(root, "host") {
        Some(host) => absolute_url(None, &format!("{scheme}://{host}{path}")),
        None => absolute_url(base, path),
    }
}
