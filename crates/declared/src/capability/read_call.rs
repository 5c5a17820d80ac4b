//! The one request that may check an operation: a GET whose URL the description gives completely.

use std::sync::Arc;

use serde_json::Value;
use url::Url;

use super::bounds::MAX_ADDRESS_BYTES;
use super::fields::{items, text};
use super::name_words::NameWords;
use super::references::{is_self_contained, resolve};

/// Operations with more parameters are not called.
const MAX_PARAMETERS: usize = 40;
const MAX_EXAMPLE_BYTES: usize = 200;
const MAX_NAME_BYTES: usize = 100;
/// Words in the names of parameters that carry credentials or personal data. No example is sent for these.
const CONFIDENTIAL: [&str; 26] = [
    "account",
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "card",
    "credential",
    "credentials",
    "email",
    "iban",
    "jwt",
    "key",
    "mail",
    "nonce",
    "otp",
    "passport",
    "password",
    "phone",
    "pin",
    "secret",
    "session",
    "sid",
    "signature",
    "ssn",
    "token",
    "username",
];

/// A GET request that a description fully determines, and the description to compare the response with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadCall {
    /// The URL with the documented examples of all required parameters.
    pub url: String,
    /// Whether the URL contains examples. They may be out of date without anybody having lied.
    pub has_examples: bool,
    filled_in: Vec<String>,
    /// The path as a member of `paths`.
    path: String,
    pub(super) document: Arc<Value>,
}

impl ReadCall {
    /// Whether the request goes to this domain itself, or to its `www.` name.
    #[must_use]
    pub fn is_at(&self, domain: &str) -> bool {
        let url = Url::parse(&self.url).ok();
        url.as_ref().and_then(Url::host_str).is_some_and(|host| is_same_host(host, domain))
    }

    /// The names and values that were filled in.
    pub(super) fn filled_in(&self) -> impl Iterator<Item = &str> {
        self.filled_in.iter().map(String::as_str)
    }

    pub(super) fn operation(&self) -> Option<&Value> {
        self.document.get("paths")?.get(&self.path)?.get("get")
    }
}

/// Whether two names are the same host, apart from `www.`.
fn is_same_host(one: &str, other: &str) -> bool {
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_ascii_lowercase();
    bare(one) == bare(other)
}

/// The request for the GET operation at a path. `None` if it needs anything that the description does not
/// give, or goes to another host than that of the description.
pub(super) fn read_call(
    document: &Arc<Value>,
    path: &str,
    server: Option<Url>,
    described_at: Option<&Url>,
) -> Option<ReadCall> {
    let item = document.get("paths")?.get(path)?;
    let operation = item.get("get").filter(|operation| operation.is_object())?;
    let server = server.filter(is_plain_https)?;
    let own_host = described_at.filter(|url| is_plain_https(url))?.host_str()?;
    if !is_same_host(server.host_str()?, own_host) || operation.get("requestBody").is_some() {
        return None;
    }
    let shared = item.get("parameters").unwrap_or(&Value::Null);
    if !is_self_contained(document, operation) || !is_self_contained(document, shared) {
        return None;
    }
    let parameters = required_parameters(document, item, operation)?;
    let mut whole = format!("{}{path}", server.path().trim_end_matches('/'));
    let mut query = Vec::new();
    let mut filled_in = Vec::new();
    for Required { name, place, value } in parameters {
        match place {
            Place::Path => {
                let template = format!("{{{name}}}");
                if !whole.contains(&template) || matches!(value.as_str(), "" | "." | "..") {
                    return None;
                }
                whole = whole.replace(&template, &path_encoded(&value));
            }
            Place::Query => query.push((name.clone(), value.clone())),
        }
        filled_in.extend([name, value]);
    }
    if !is_plain_path(&whole) {
        return None;
    }
    let mut url = server;
    url.set_path(&whole);
    url.set_query(None);
    url.set_fragment(None);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    // A path that the URL parser changed is not the path that was described.
    let is_as_written = url.path() == whole && url.as_str().len() <= MAX_ADDRESS_BYTES;
    is_as_written.then(|| ReadCall {
        url: url.into(),
        has_examples: !filled_in.is_empty(),
        filled_in,
        path: path.to_owned(),
        document: Arc::clone(document),
    })
}

/// https, a name, and nothing special.
fn is_plain_https(url: &Url) -> bool {
    url.scheme() == "https"
        && url.domain().is_some()
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
}

/// Whether a path has no template left, no empty or relative segment in its middle, and nothing that
/// clients read differently. A percent sign comes only from our own encoding of examples.
fn is_plain_path(path: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/!$&'()*+,;=:@%".contains(c);
    let mut segments = path.split('/').skip(1).peekable();
    let mut is_whole = path.starts_with('/') && path.chars().all(is_plain);
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        is_whole &= !matches!(segment, "." | "..") && (is_last || !segment.is_empty());
    }
    is_whole
}

fn path_encoded(value: &str) -> String {
    value
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

struct Required {
    name: String,
    place: Place,
    value: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Path,
    Query,
}

/// The required parameters with their documented values. `None` if one has no value, or is of a kind that
/// is never sent.
fn required_parameters(document: &Value, item: &Value, operation: &Value) -> Option<Vec<Required>> {
    let is_list = |holder: &Value| holder.get("parameters").is_none_or(Value::is_array);
    if !is_list(item) || !is_list(operation) {
        return None;
    }
    let mut found: Vec<Required> = Vec::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    // An operation's own parameter replaces the one of its path.
    for (at, parameter) in
        items(operation, "parameters").chain(items(item, "parameters")).enumerate()
    {
        if at >= MAX_PARAMETERS {
            return None;
        }
        let parameter = resolve(document, parameter)?;
        let (name, place) = (text(parameter, "name")?, text(parameter, "in")?);
        if seen.contains(&(name, place)) {
            continue;
        }
        seen.push((name, place));
        let is_required = parameter.get("required") == Some(&Value::Bool(true));
        let place = match place {
            "path" => Place::Path,
            "query" if is_required => Place::Query,
            // Swagger 2.0: a request with a body.
            "body" | "formData" => return None,
            "query" | "header" | "cookie" if !is_required => continue,
            _ => return None,
        };
        let is_confidential = NameWords::from_texts([name]).contains_any(&CONFIDENTIAL);
        if name.len() > MAX_NAME_BYTES || name.contains(['{', '}']) || is_confidential {
            return None;
        }
        let value = documented_value(document, parameter)?;
        found.push(Required { name: name.to_owned(), place, value });
    }
    Some(found)
}

/// The example or default of a parameter, if it is a single plain value.
fn documented_value(document: &Value, parameter: &Value) -> Option<String> {
    let schema = match parameter.get("schema") {
        Some(schema) => Some(resolve(document, schema)?),
        None => None,
    };
    let of_schema = |name: &str| schema.and_then(|schema| schema.get(name));
    let named_example = || {
        let example = parameter.get("examples")?.as_object()?.values().next()?;
        resolve(document, example)?.get("value")
    };
    let value = parameter
        .get("example")
        .or_else(named_example)
        .or_else(|| of_schema("example"))
        .or_else(|| of_schema("examples").and_then(|list| list.as_array()?.first()))
        .or_else(|| of_schema("default"))
        .or_else(|| parameter.get("x-example"))
        .or_else(|| parameter.get("default"))?;
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    let is_plain = value.len() <= MAX_EXAMPLE_BYTES && !value.chars().any(char::is_control);
    is_plain.then_some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(document: &Value, path: &str, server: &str) -> Option<ReadCall> {
        let at = Url::parse("https://ferry.lab/openapi.json").unwrap();
        read_call(&Arc::new(document.clone()), path, Url::parse(server).ok(), Some(&at))
    }

    fn url_of(path: &str, operation: Value) -> Option<String> {
        let document = json!({"paths": {path: {"get": operation}},
            "components": {"parameters": {"Day": {"name": "day", "in": "query", "required": true,
                "schema": {"$ref": "#/components/schemas/Day"}}},
                "schemas": {"Day": {"type": "string", "default": "mon & tue"}}}});
        call(&document, path, "https://ferry.lab/v1/").map(|call| call.url)
    }

    #[test]
    fn a_url_is_complete_or_there_is_no_call() {
        let parameter = |place: &str, more: Value| {
            let mut one = json!({"name": "id", "in": place, "required": true});
            one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"parameters": [one]})
        };
        for (path, operation, expected) in [
            ("/times", json!({}), Some("https://ferry.lab/v1/times")),
            ("/times/", json!({}), Some("https://ferry.lab/v1/times/")),
            (
                "/{id}",
                parameter("path", json!({"example": "a b/ü"})),
                Some("https://ferry.lab/v1/a%20b%2F%C3%BC"),
            ),
            (
                "/{id}.json",
                parameter("path", json!({"schema": {"default": 7}})),
                Some("https://ferry.lab/v1/7.json"),
            ),
            (
                "/t",
                parameter("query", json!({"examples": {"x": {"value": true}}})),
                Some("https://ferry.lab/v1/t?id=true"),
            ),
            (
                "/t",
                parameter("query", json!({"x-example": 1.5})),
                Some("https://ferry.lab/v1/t?id=1.5"),
            ),
            (
                "/t",
                json!({"parameters": [{"$ref": "#/components/parameters/Day"}]}),
                Some("https://ferry.lab/v1/t?day=mon+%26+tue"),
            ),
            (
                "/t",
                json!({"parameters": [{"name": "page", "in": "query"}]}),
                Some("https://ferry.lab/v1/t"),
            ),
            (
                "/t",
                json!({"parameters": [{"name": "x-trace", "in": "header"}]}),
                Some("https://ferry.lab/v1/t"),
            ),
            // Anything that is missing, unclear or more than a plain GET.
            ("/{id}", json!({}), None),
            ("/{id}", parameter("path", json!({})), None),
            ("/{id}", parameter("path", json!({"example": ".."})), None),
            ("/{id}", parameter("path", json!({"example": ""})), None),
            ("/{id}", parameter("path", json!({"example": {"a": 1}})), None),
            ("/{id}", parameter("path", json!({"example": "a\r\nhost: x"})), None),
            ("/t", parameter("query", json!({"schema": {"enum": ["a"]}})), None),
            (
                "/t",
                json!({"parameters": [{"name": "access_token", "in": "query", "required": true, "example": "a"}]}),
                None,
            ),
            (
                "/{userEmail}",
                json!({"parameters": [{"name": "userEmail", "in": "path", "required": true, "example": "a"}]}),
                None,
            ),
            ("/t", parameter("header", json!({"example": "a"})), None),
            ("/t", parameter("cookie", json!({"example": "a"})), None),
            ("/t", parameter("body", json!({})), None),
            ("/t", parameter("formData", json!({"example": "a"})), None),
            ("/t", json!({"requestBody": {"required": false}}), None),
            ("/t", json!({"parameters": {"id": 1}}), None),
            ("/t", json!({"parameters": [{"$ref": "https://evil.example/p.json"}]}), None),
            ("/t", json!({"responses": {"200": {"$ref": "#/paths/~1t"}}}), None),
            ("/a/../admin", json!({}), None),
            ("/a//b", json!({}), None),
            ("/a?x=1", json!({}), None),
            ("/a#b", json!({}), None),
            ("/a%2e%2e/b", json!({}), Some("https://ferry.lab/v1/a%2e%2e/b")),
            ("/a\\b", json!({}), None),
            ("/ä", json!({}), None),
        ] {
            assert_eq!(url_of(path, operation.clone()).as_deref(), expected, "{path} {operation}");
        }
    }

    #[test]
    fn only_the_host_of_the_description_is_called() {
        let document = json!({"paths": {"/t": {"get": {}}}});
        for (server, is_called) in [
            ("https://ferry.lab/", true),
            ("https://www.ferry.lab/", true),
            ("https://FERRY.lab/", true),
            ("http://ferry.lab/", false),
            ("https://ferry.lab:8443/", false),
            ("https://api.ferry.lab/", false),
            ("https://ferry.lab.evil.example/", false),
            ("https://user@ferry.lab/", false),
            ("https://ferry.lab/?x=1", false),
            ("https://127.0.0.1/", false),
            ("https://[::1]/", false),
        ] {
            assert_eq!(call(&document, "/t", server).is_some(), is_called, "{server}");
        }
        let one = call(&document, "/t", "https://ferry.lab/").unwrap();
        assert!(one.is_at("ferry.lab") && !one.is_at("other.lab") && !one.is_at("lab"));
        assert!(
            read_call(&Arc::new(document), "/t", Url::parse("https://ferry.lab").ok(), None)
                .is_none()
        );
    }
}
