//! The operations of an OpenAPI description.

use serde_json::Value;
use url::Url;

use super::{
    Credential, Found, Method, Signs, Words, absolute, items, members, security, text, texts,
};

pub(super) fn operations(root: &Value, found: &mut Found) {
    for (path, item) in members(root.get("paths")) {
        if !path.starts_with('/') {
            continue;
        }
        for (word, operation) in members(Some(item)) {
            let Some(method) = Method::named(word).filter(|_| operation.is_object()) else {
                continue;
            };
            let said = format!("{} {path}", word.to_ascii_uppercase());
            let id = text(operation, "operationId");
            let endpoint = endpoint(root, item, operation, path, found.base.as_ref());
            let signs = signs(root, item, operation, method, path, id);
            if !found.add(id.unwrap_or(&said), endpoint, signs) {
                return;
            }
        }
    }
}

fn signs(
    root: &Value,
    item: &Value,
    operation: &Value,
    method: Method,
    path: &str,
    id: Option<&str>,
) -> Signs {
    let asked = operation.get("security").or_else(|| root.get("security"));
    // A description without the member says that nothing is needed.
    let (mut credential, scopes) = asked.map_or((Credential::NotNeeded, Vec::new()), security);
    let mut parameters = items(item, "parameters").chain(items(operation, "parameters"));
    if parameters.any(|parameter| is_secret(resolved(root, parameter))) {
        credential = Credential::Needed;
    }
    let body = operation.get("requestBody").map(|body| resolved(root, body));
    let in_body = |parameter: &Value| text(resolved(root, parameter), "in") == Some("body");
    Signs {
        method: Some(method),
        needs_body: body.is_some_and(|body| body.get("required") == Some(&true.into()))
            || items(operation, "parameters").any(in_body),
        credential,
        scopes,
        priced: operation.get("responses").is_some_and(|r| r.get("402").is_some())
            || members(Some(operation)).any(|(name, _)| is_price(name)),
        // Parts in braces are filled in by the caller and say nothing of the effect.
        words: Words::of(
            path.split('/')
                .filter(|part| !part.starts_with('{'))
                .chain(id)
                .chain(texts(operation, "tags")),
        ),
        ..Signs::default()
    }
}

/// A parameter that carries a credential without being called one in `security`.
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

/// What a reference inside the file points to, one step far.
fn resolved<'v>(root: &'v Value, value: &'v Value) -> &'v Value {
    text(value, "$ref")
        .and_then(|reference| root.pointer(reference.strip_prefix('#')?))
        .unwrap_or(value)
}

/// Where an operation answers: the nearest `servers` counts, and the file's own origin without any.
fn endpoint(
    root: &Value,
    item: &Value,
    operation: &Value,
    path: &str,
    base: Option<&Url>,
) -> Option<Url> {
    let nearest = [operation, item, root]
        .into_iter()
        .find_map(|level| level.get("servers")?.as_array().filter(|list| !list.is_empty()));
    let server = match nearest {
        Some(list) => absolute(base, text(list.first()?, "url")?)?,
        None => swagger(root, base)?,
    };
    let mut url = server;
    let whole = format!("{}{path}", url.path().trim_end_matches('/'));
    // A path with parts to fill in is told as far as it is fixed.
    let fixed = whole.split('{').next().unwrap_or_default();
    if fixed.len() > super::MAX_ADDRESS_BYTES {
        return None;
    }
    url.set_path(fixed);
    url.set_query(None);
    url.set_fragment(None);
    (url.as_str().len() <= super::MAX_ADDRESS_BYTES).then_some(url)
}

/// The host and base path of Swagger 2.0; the file's own origin where they are not given.
fn swagger(root: &Value, base: Option<&Url>) -> Option<Url> {
    let scheme = texts(root, "schemes").find(|scheme| *scheme == "https");
    let scheme = scheme.or_else(|| texts(root, "schemes").next()).or(base.map(Url::scheme))?;
    let path = text(root, "basePath").unwrap_or("/");
    match text(root, "host") {
        Some(host) => absolute(None, &format!("{scheme}://{host}{path}")),
        None => absolute(base, path),
    }
}
